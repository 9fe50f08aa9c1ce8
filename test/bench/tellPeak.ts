import { readFileSync } from 'node:fs'

/**
 * Prints the peak memory of a measured program at its end, and at the end of each thread; the program preloads this file. The kernel's peak
 * of the memory itself is preferred, because `maxRSS` of a process starts at the value of its parent.
 */
function peakKilobytes(): number {
  try {
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
    if (peak) return Number(peak[1])
  } catch {
    // Only Linux has this file.
  }
  return process.resourceUsage().maxRSS
}

process.on('exit', () => process.stderr.write(`peak ${peakKilobytes()}`))
