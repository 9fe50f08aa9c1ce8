import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readSecretLine } from '../../../electron/cli/readSecret.ts'
import { type InputSources, openStdin } from '../../../electron/cli/stdin.ts'

const stdin = new PassThrough()
const [file, pipe, consoleInput] = [new PassThrough(), new PassThrough(), new PassThrough()]

const openStdinFrom = (sources: Partial<InputSources>) =>
  openStdin({
    stdin,
    platform: 'win32',
    isElectron: true,
    kindOfStdin: () => 'device',
    openFile: () => file,
    openPipe: () => pipe,
    openConsole: () => consoleInput,
    ...sources,
  })

test('the installed program of Windows reads from the console, which gives it no stdin', () => {
  expect(openStdinFrom({})).toBe(consoleInput)
})

test('a pipe or a file it opens itself, because Electron has ended its stdin', () => {
  expect(openStdinFrom({ kindOfStdin: () => 'pipe' })).toBe(pipe)
  expect(openStdinFrom({ kindOfStdin: () => 'file' })).toBe(file)
})

test.each([
  ['a program of Node', { isElectron: false }],
  ['another system', { platform: 'linux' }],
] as const)('%s reads from stdin', (_what, sources) => expect(openStdinFrom(sources)).toBe(stdin))

test('without a console stdin is read, which ends at once', () => {
  const openConsole = () => {
    throw new Error('ENOENT')
  }
  expect(openStdinFrom({ openConsole })).toBe(stdin)
})

/** Creates a terminal as the program sees one. */
function openTerminal() {
  const modes: boolean[] = []
  const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => void modes.push(raw) })
  const written: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  return { terminal, modes, written }
}

test('what is typed is taken without being shown, and the terminal is left as it was', async () => {
  const { terminal, modes, written } = openTerminal()
  const line = readSecretLine('Key: ', new AbortController().signal, terminal)
  terminal.write('CANARY-key\r')
  expect(await line).toBe('CANARY-key')
  expect(modes).toEqual([true, false])
  expect(terminal.destroyed).toBe(true)
  expect(written).toEqual(['Key: ', '\n'])
})

test('a cancelled question ends without a line', async () => {
  const { terminal, modes } = openTerminal()
  const stop = new AbortController()
  const line = readSecretLine('Key: ', stop.signal, terminal)
  stop.abort()
  expect(await line).toBeNull()
  expect(modes.at(-1)).toBe(false)
})

test('Ctrl-C interrupts the program and leaves the terminal as it was', async () => {
  const { terminal, modes } = openTerminal()
  const interrupted = vi.fn()
  process.once('SIGINT', interrupted)
  const line = readSecretLine('Key: ', new AbortController().signal, terminal)
  terminal.write('CANARY\x03')
  expect(await line).toBeNull()
  expect(interrupted).toHaveBeenCalledOnce()
  expect(modes).toEqual([true, false])
})

test('a pipe that ends without a line gives none', async () => {
  const pipe = new PassThrough()
  const line = readSecretLine('Key: ', new AbortController().signal, pipe)
  pipe.end()
  expect(await line).toBeNull()
})
