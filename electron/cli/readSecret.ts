import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { type CommandInput, openStdin } from './stdin.ts'

/**
 * Reads one line from stdin without echoing it on a terminal.
 * @returns null if stdin ends without a line or the user interrupts the command
 */
export function readSecretLine(
  prompt: string,
  signal: AbortSignal,
  input: CommandInput = openStdin(),
): Promise<string | null> {
  const { stderr } = process
  const isTerminal = input.isTTY === true
  if (isTerminal) stderr.write(prompt)
  const discardingOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: discardingOutput, terminal: isTerminal, historySize: 0 })
  return new Promise((resolve) => {
    const finish = (line: string | null) => {
      // The promise is resolved before the input is closed, because the close event would resolve it to null.
      resolve(line)
      lines.close()
      input.destroy()
      if (isTerminal) stderr.write('\n')
    }
    lines.once('line', finish)
    lines.once('close', () => resolve(null))
    // On a terminal in raw mode, Ctrl-C arrives here instead of as a signal. The event is emitted rather than sent as a
    // real signal, which on Windows would kill the process with the terminal still in raw mode.
    lines.once('SIGINT', () => {
      process.emit('SIGINT', 'SIGINT')
      finish(null)
    })
    signal.addEventListener('abort', () => finish(null), { once: true })
  })
}
