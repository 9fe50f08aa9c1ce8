import { readFileSync } from 'node:fs'

/**
 * Preloaded into a program under measure: says at its end (and at that of each thread) the most memory it held. The kernel's own count for a process
 * (`maxRSS`) begins with that of the process that started it, so where the kernel keeps one for the memory itself, that counts.
 */
function peakKilobytes(): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
    if (peak) return Number(peak[1])
  } catch {
    // Not on Linux.
  }
  return process.resourceUsage().maxRSS
}

process.on('exit', () => process.stderr.write(`peak ${peakKilobytes()}`))
