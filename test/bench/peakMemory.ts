import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotHere } from './benchLine.ts'

const commandLine = join(import.meta.dirname, '../../out/main/cli.js')
const SAMPLE_MS = 5

/** Returns the ids of a process and of all its descendants. */
function familyOf(pid: number): number[] {
  const children = (each: number) =>
    readdirSync(`/proc/${each}/task`).flatMap((thread) =>
      readFileSync(`/proc/${each}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  try {
    return [pid, ...children(pid).flatMap(familyOf)]
  } catch {
    // The process has ended meanwhile.
    return []
  }
}

/** Returns the peak memory of a process in kilobytes; the kernel records it, so no peak between samples is missed. */
function peakKilobytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/**
 * Watches the memory of a process and of its descendants until the returned function is called. The function returns
 * the peak in megabytes: the largest sum over processes that ran at the same time.
 */
export function watchMemory(pid: number): () => number {
  if (!existsSync('/proc/self/status')) throw new NotHere('only Linux tells the peak memory of other processes')
  let most = 0
  const sample = () => {
    const sum = familyOf(pid).reduce((total, each) => total + peakKilobytes(each), 0)
    most = Math.max(most, sum)
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return () => {
    clearInterval(timer)
    return most / 1024
  }
}

/** Returns the peak memory of one run of the built command line. */
export async function peakMegabytes(args: readonly string[]): Promise<number> {
  if (!existsSync(commandLine)) throw new Error('Nothing is built; run “npm run build” first.')
  const child = spawn(process.execPath, [commandLine, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const peak = watchMemory(child.pid!)
  const exit = once(child, 'exit')
  let errors = ''
  for await (const part of child.stderr) errors += String(part)
  const [status] = (await exit) as [number | null]
  if (status !== 0) throw new Error(`the command line failed: ${errors}`)
  return peak()
}

/** Returns the command-line arguments for a command and its options. */
export const withOptions = (command: string, options: Record<string, string>): string[] => [
  command,
  ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
]
