import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/**
 * One line from stdin; what is typed on a terminal is not shown.
 * @returns null where stdin ends without a line or the person interrupts
 */
export function readSecretLine(prompt: string, signal: AbortSignal): Promise<string | null> {
  const { stdin, stderr } = process
  if (stdin.isTTY) stderr.write(prompt)
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silence, terminal: stdin.isTTY === true, historySize: 0 })
  return new Promise((resolve) => {
    const finish = (line: string | null) => {
      // Before closing, which resolves to null.
      resolve(line)
      lines.close()
      stdin.destroy()
      if (stdin.isTTY) stderr.write('\n')
    }
    lines.once('line', finish)
    lines.once('close', () => resolve(null))
    // On a terminal in raw mode Ctrl-C arrives here and not as a signal.
    lines.once('SIGINT', () => {
      process.kill(process.pid, 'SIGINT')
      finish(null)
    })
    signal.addEventListener('abort', () => finish(null), { once: true })
  })
}
