import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

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
