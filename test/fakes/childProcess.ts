import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export interface TalkingProcess {
  child: ChildProcess
  /** Resolves when the process says this line; rejects when it ends before. Lines are kept until they are asked for. */
  says(line: string): Promise<void>
}

/** Runs one of this project's TypeScript files under the same Node. It is killed when the test ends. */
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
          else reject(new Error(`the process ended without saying “${line}”`))
        }
        wakers.add(look)
        look()
      }),
  }
}
