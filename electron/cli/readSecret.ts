import { fstatSync, openSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { ReadStream } from 'node:tty'

/** Input of one line: a terminal, or a pipe or file. */
export type SecretInput = Readable & { isTTY?: boolean }

export interface InputSources {
  stdin: SecretInput
  platform: NodeJS.Platform
  isElectron: boolean
  /** Tells whether stdin is a device such as NUL, or nothing at all, instead of a pipe or a file. */
  isStdinDevice(): boolean
  openConsole(): SecretInput
}

/** Input device of the console on Windows, whichever program the terminal has started. */
const CONSOLE_INPUT = '\\\\.\\CONIN$'

const systemSources = (): InputSources => ({
  stdin: process.stdin,
  platform: process.platform,
  isElectron: process.versions.electron !== undefined,
  isStdinDevice() {
    try {
      return fstatSync(0).isCharacterDevice()
    } catch {
      return true
    }
  },
  // Reading without echo changes the mode of the console, for which it has to be opened for writing too.
  openConsole: () => new ReadStream(openSync(CONSOLE_INPUT, 'r+')),
})

/**
 * Chooses the input of a secret. On Windows the installed program is not a console program: it gets no stdin from the
 * terminal that starts it, only from a pipe or a file, so it opens the input of the console itself.
 */
export function inputForSecret({ stdin, platform, isElectron, isStdinDevice, openConsole }: InputSources): SecretInput {
  if (platform !== 'win32' || !isElectron || stdin.isTTY || !isStdinDevice()) return stdin
  try {
    return openConsole()
  } catch {
    // There is no console, as in a scheduled task: stdin ends without a line.
    return stdin
  }
}

/**
 * Reads one line from stdin; what is typed on a terminal is not shown.
 * @returns null where stdin ends without a line or the user interrupts
 */
export function readSecretLine(
  prompt: string,
  signal: AbortSignal,
  input: SecretInput = inputForSecret(systemSources()),
): Promise<string | null> {
  const { stderr } = process
  const isTerminal = input.isTTY === true
  if (isTerminal) stderr.write(prompt)
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: silence, terminal: isTerminal, historySize: 0 })
  return new Promise((resolve) => {
    const finish = (line: string | null) => {
      // The promise resolves before the input is closed, because closing resolves it to null.
      resolve(line)
      lines.close()
      input.destroy()
      if (isTerminal) stderr.write('\n')
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
