import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { onTestFinished, vi } from 'vitest'
import { processUsage } from '#core/guard/guardedProcess.ts'

export interface TalkingProcess {
  child: ChildProcess
  /**
   * Resolves when the process has printed this line and rejects if it ends without printing it. Lines are queued until
   * a test waits for them.
   */
  says(line: string): Promise<void>
}

/** Runs a TypeScript file of this project on the same Node. The process is killed when the test ends. */
export function startScript(file: string, args: string[]): TalkingProcess {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const wakers = new Set<() => void>()
  const wake = () => wakers.forEach((waker) => waker())
  let ended = false
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  child.on('exit', () => {
    ended = true
    wake()
  })
  return {
    child,
    says: (line) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const at = lines.indexOf(line)
          if (at >= 0) lines.splice(at, 1)
          else if (!ended) return
          wakers.delete(look)
          if (at >= 0) resolve()
          else reject(new Error(`the process ended without printing “${line}”`))
        }
        wakers.add(look)
        look()
      }),
  }
}

/**
 * Tells whether a process runs; in a container an ended orphan may stay in the process list, because nothing collects
 * it.
 */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Processor time after which a child of a program is at work and no longer starting. */
const STARTED_MS = 1500

/** Waits until a child of a process is at work, and returns its id. The child is killed when the test ends. */
export async function workingChild(pid: number): Promise<number> {
  const child = await vi.waitFor(async () => {
    const lines = execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' }).split('\n')
    for (const [parent, each] of lines.map((line) => line.trim().split(/\s+/).map(Number)))
      if (parent === pid && ((await processUsage(each))?.cpuMs ?? 0) > STARTED_MS) return each
    throw new Error('no child of the process is at work')
  })
  onTestFinished(() => void (isAlive(child) && process.kill(child, 'SIGKILL')))
  return child
}
