import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inputForSecret, type InputSources, readSecretLine } from '../../../electron/cli/readSecret.ts'

const stdin = new PassThrough()
const consoleInput = new PassThrough()

const chosen = (sources: Partial<InputSources>) =>
  inputForSecret({
    stdin,
    platform: 'win32',
    isElectron: true,
    isStdinDevice: () => true,
    openConsole: () => consoleInput,
    ...sources,
  })

test('the installed program of Windows reads from the console, which gives it no stdin', () => {
  expect(chosen({})).toBe(consoleInput)
})

test.each([
  ['a pipe or a file', { isStdinDevice: () => false }],
  ['a program of Node', { isElectron: false }],
  ['another system', { platform: 'linux' }],
] as const)('%s reads from stdin', (_what, sources) => expect(chosen(sources)).toBe(stdin))

test('a terminal is read as it is', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true })
  expect(chosen({ stdin: terminal })).toBe(terminal)
})

test('without a console stdin is read, which ends at once', () => {
  const openConsole = () => {
    throw new Error('ENOENT')
  }
  expect(chosen({ openConsole })).toBe(stdin)
})

/** A terminal as the program sees it. */
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

test('a pipe that ends without a line gives none', async () => {
  const pipe = new PassThrough()
  const line = readSecretLine('Key: ', new AbortController().signal, pipe)
  pipe.end()
  expect(await line).toBeNull()
})
