import fs, { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runCommandLine } from '../../electron/main/commandMode.ts'
import { app, desktop, fakeEvent, resetDesktop } from '../fakes/electron.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const program = vi.hoisted(() => ({ run: async (): Promise<number> => 0 }))
vi.mock('../../electron/cli/runProgram.ts', () => ({ FAILED: 1, runProgram: () => program.run() }))

vi.mock('../../electron/main/startDesktop.ts', () => ({ startDesktop: async () => {} }))

const started = vi.hoisted(() => [] as { file: string; args: string[] }[])
vi.mock('node:child_process', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:child_process')>()),
  spawn: (file: string, args: string[]) => {
    started.push({ file, args })
    return { unref: () => {} }
  },
}))

function onFake(run: () => Promise<number>, isReady = true) {
  resetDesktop()
  if (isReady) app.beReady()
  started.length = 0
  program.run = run
  const events = ['uncaughtException', 'unhandledRejection', 'SIGINT'] as const
  const before = events.map((event) => [event, process.rawListeners(event)] as const)
  onTestFinished(() => {
    for (const [event, kept] of before)
      for (const listener of process.rawListeners(event))
        if (!kept.includes(listener)) process.off(event, listener as () => void)
  })
}

it('gives the engine a folder of its own that is gone afterwards, never the data folder', async () => {
  let engine = ''
  onFake(async () => {
    engine = desktop.paths.get('userData') ?? ''
    expect(existsSync(engine)).toBe(true)
    expect(desktop.paths.get('sessionData')).toBe(engine)
    return 3
  })
  await runCommandLine(['ls'])
  expect(engine).toMatch(/perpscope-chromium-/)
  expect(existsSync(engine)).toBe(false)
  expect(desktop.exitCode).toBe(3)
})

it('has its folder when the main module is evaluated, because Electron settles its folders then', async () => {
  onFake(async () => 0, false)
  const { argv } = process
  onTestFinished(() => void (process.argv = argv))
  process.argv = ['/electron', '/app', '--cli', '--', 'ls']
  await import('../../electron/main/index.ts')
  expect(desktop.paths.get('userData')).toMatch(/perpscope-chromium-/)
  app.beReady()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
})

it('runs when Electron is ready, because it starts no utility process earlier', async () => {
  const run = vi.fn(async () => 0)
  onFake(run, false)
  const running = runCommandLine(['ls'])
  await new Promise(setImmediate)
  expect(run).not.toHaveBeenCalled()
  app.beReady()
  await running
  expect(run).toHaveBeenCalledOnce()
})

it('ends with its status where the system does not let go of the folder', async () => {
  onFake(async () => {
    vi.spyOn(fs, 'rmSync').mockImplementation(() => {
      throw Object.assign(new Error('busy'), { code: 'EBUSY' })
    })
    syncBuiltinESMExports()
    return 3
  })
  await runCommandLine(['ls'])
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  expect(desktop.exitCode).toBe(3)
})

it('hands a file, a link or a click on the dock to the app', async () => {
  onFake(async () => {
    const events = [fakeEvent(), fakeEvent()]
    app.emit('open-file', events[0], '/a.perpscope')
    app.emit('open-url', events[1], 'perpscope://raw')
    app.emit('activate')
    expect(events.every(({ defaultPrevented }) => defaultPrevented)).toBe(true)
    return 0
  })
  await runCommandLine([])
  expect(started.map(({ args }) => args)).toEqual([['/a.perpscope'], ['perpscope://raw'], []])
  expect(started.every(({ file }) => file === process.execPath)).toBe(true)
})

it.each(['uncaughtException', 'unhandledRejection'] as const)(
  'ends with status 1 and a sentence, not with a dialog: %s',
  async (event) => {
    const stderrTexts: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation(((text: string, done?: () => void) => {
      stderrTexts.push(text)
      done?.()
      return true
    }) as typeof process.stderr.write)
    onTestFinished(() => void vi.restoreAllMocks())
    onFake(async () => {
      const listener = process.rawListeners(event).at(-1) as (thrown: Error) => void
      listener(new Error('the disk is gone'))
      return 0
    })
    await runCommandLine([])
    expect(desktop.exitCode).toBe(1)
    expect(stderrTexts).toEqual(['perpscope: the disk is gone\n'])
  },
)
