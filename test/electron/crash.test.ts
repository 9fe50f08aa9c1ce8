import { expect, it, vi } from 'vitest'
import { BrowserWindow } from 'electron'
import type { Crash } from '#core/diagnosis/crashReports.ts'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { createCrashLimit, watchProcess, watchWindow } from '../../electron/main/crash.ts'
import { app, desktop, resetDesktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { openPage, sendFromPage, startedDesktop } from '../fakes/startedDesktop.ts'
import { fakeLog } from '../fakes/fakeLog.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

/** Records the reported crashes and the messages to the page. */
function reports() {
  const reported: Crash[] = []
  const told: string[] = []
  return {
    reported,
    told,
    report: (crash: Crash) => void reported.push(crash),
    tell: (message: string) => void told.push(message),
  }
}

function watchedWindow() {
  resetDesktop()
  const parts = { log: fakeLog(), clock: fakeClock(), ...reports() }
  watchWindow(new BrowserWindow({}), parts)
  const window = FakeWindow.open[0]
  const crash = async (reason = 'crashed') => {
    const before = desktop.dialogs.length
    window.webContents.emit('render-process-gone', {}, { reason, exitCode: 5 })
    await vi.waitFor(() => expect(desktop.dialogs.length).toBe(before + 1))
  }
  return { ...parts, window, crash }
}

const answer = (response: number) => desktop.answers.set('message', { response })
const buttons = () => (desktop.dialogs.at(-1)?.options as { buttons: string[] }).buttons

it('offers to reload a page that crashed, and does', async () => {
  const { window, crash, log, reported } = watchedWindow()
  answer(0)
  await crash()
  await vi.waitFor(() => expect(window.webContents.reloads).toBe(1))
  expect(buttons()).toEqual(['Reload', 'Close'])
  expect(log.lines).toEqual(["error the window's page ended: crashed (5)"])
  expect(reported).toEqual([{ process: 'window', reason: 'crashed (5)', detail: '' }])
})

it('closes a page that crashed where the person wants that', async () => {
  const { window, crash } = watchedWindow()
  answer(1)
  await crash('oom')
  await vi.waitFor(() => expect(window.isDestroyed()).toBe(true))
  expect(window.webContents.reloads).toBe(0)
})

it('gives up at the third crash within a minute', async () => {
  const { window, crash } = watchedWindow()
  answer(0)
  for (let count = 0; count < 3; count++) await crash()
  await vi.waitFor(() => expect(window.isDestroyed()).toBe(true))
  expect(buttons()).toEqual(['Close'])
  expect(window.webContents.reloads).toBe(2)
})

it('does not give up where crashes are rare', async () => {
  const { window, crash, clock } = watchedWindow()
  answer(0)
  for (let count = 1; count <= 5; count++) {
    await crash()
    await vi.waitFor(() => expect(window.webContents.reloads).toBe(count))
    clock.advance(40_000)
  }
})

it('says nothing where a page ends normally', async () => {
  const { window } = watchedWindow()
  window.webContents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 })
  expect(desktop.dialogs).toEqual([])
})

it('asks once about a page that hangs, and reloads it without a second question', async () => {
  const { window } = watchedWindow()
  answer(1)
  window.emit('unresponsive')
  window.emit('unresponsive')
  await vi.waitFor(() => expect(window.webContents.crashes).toBe(1))
  window.webContents.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 })
  expect(window.webContents.reloads).toBe(1)
  expect(desktop.dialogs).toHaveLength(1)
  expect(buttons()).toEqual(['Wait', 'Reload', 'Close'])
})

it('waits for a page that hangs where the person wants that', async () => {
  const { window } = watchedWindow()
  answer(0)
  window.emit('unresponsive')
  await vi.waitFor(() => expect(desktop.dialogs).toHaveLength(1))
  expect(window).toMatchObject({ webContents: { crashes: 0, reloads: 0, destroyed: false } })
})

it('forgets failures that are older than a minute', () => {
  const clock = fakeClock()
  const limit = createCrashLimit(clock)
  const failures = [0, 30_000, 31_000, 1000].map((ms) => {
    clock.advance(ms)
    return limit.countFailure()
  })
  expect(failures).toEqual([false, false, false, true])
})

/**
 * Starts to watch the process, and returns the listeners instead of adding them, so that no failure of a test counts as
 * one of the app.
 */
function watchedProcess() {
  resetDesktop()
  const log = fakeLog()
  const on = vi.spyOn(process, 'on').mockReturnThis()
  const kept = reports()
  watchProcess({ log, clock: fakeClock(), ...kept })
  const listeners = Object.fromEntries(on.mock.calls) as unknown as Record<string, (thrown: unknown) => unknown>
  on.mockRestore()
  return { log, ...kept, fail: listeners.uncaughtException, reject: listeners.unhandledRejection }
}

it('writes a failure of the process down, asks once, and goes on', async () => {
  const { log, fail } = watchedProcess()
  answer(0)
  await Promise.all([fail(new Error('first')), fail('second')])
  expect(log.lines.map((line) => line.split('\n')[0])).toEqual([
    'error uncaught exception: Error: first',
    'error uncaught exception: second',
  ])
  expect(desktop.dialogs).toMatchObject([{ kind: 'message' }])
  expect(buttons()).toEqual(['Continue', 'Restart'])
  expect(desktop).toMatchObject({ exitCode: null, relaunches: [] })
})

it('restarts after a failure where the person wants that', async () => {
  const { fail } = watchedProcess()
  answer(1)
  await fail(new Error('first'))
  expect(desktop.relaunches).toHaveLength(1)
  expect(desktop.quits).toBe(1)
})

it('stops with a message after the third failure in a minute', async () => {
  const { fail } = watchedProcess()
  answer(0)
  for (const message of ['first', 'second', 'third']) await fail(new Error(message))
  expect(desktop.dialogs.at(-1)).toMatchObject({ kind: 'error', title: 'Perpscope has to stop' })
  expect(desktop.exitCode).toBe(1)
})

it('only writes down what nobody waited for', () => {
  const { log, reject } = watchedProcess()
  for (let count = 0; count < 5; count++) reject('late')
  expect(log.lines).toEqual(new Array(5).fill('error unhandled rejection: late'))
  expect(desktop).toMatchObject({ dialogs: [], exitCode: null })
})

it('writes down the end of a helper process, reports it and tells the page', () => {
  const { log, reported, told } = watchedProcess()
  const end = (details: object) => app.emit('child-process-gone', {}, details)
  end({ type: 'GPU', reason: 'crashed', exitCode: 3 })
  end({ type: 'Utility', name: 'Network Service', reason: 'oom', exitCode: 1 })
  end({ type: 'Utility', name: 'Perpscope studies', reason: 'crashed', exitCode: 11 })
  expect(log.lines).toEqual([
    'error a GPU process ended: crashed (3)',
    'error a Utility process ended: oom (1)',
    'error a Utility process ended: crashed (11)',
  ])
  expect(reported.map(({ process, reason }) => `${process}: ${reason}`)).toEqual([
    'GPU process: crashed (3)',
    'Utility process (Network Service): out of memory (1)',
    'Utility process (Perpscope studies): crashed (11)',
  ])
  expect(told).toEqual([
    'The graphics process failed and was started again. Nothing was lost.',
    'The helper “Network Service” failed and was started again. Nothing was lost.',
    'The helper “Perpscope studies” failed, and so did its task. It starts again with the next task.',
  ])
})

it('is silent about helpers that end normally, and about own ones that it ended itself', () => {
  const { log, reported, told } = watchedProcess()
  app.emit('child-process-gone', {}, { type: 'Utility', reason: 'clean-exit', exitCode: 0 })
  app.emit('child-process-gone', {}, { type: 'Utility', name: 'Perpscope JSON reader', reason: 'killed', exitCode: 9 })
  expect([log.lines, reported, told]).toEqual([[], [], []])
})

it('reports a failure of the process without its message, which may quote data', async () => {
  const { fail, reported } = watchedProcess()
  answer(0)
  await fail(new TypeError('row 7 of CANARY-data is not a number'))
  expect(reported).toMatchObject([{ process: 'main process', reason: 'uncaught exception' }])
  expect(reported[0].detail).toMatch(/^TypeError\n\s+at .*crash\.test/)
  expect(JSON.stringify(reported)).not.toContain('CANARY')
})

it('tells a page of the real app, which keeps the report until it is deleted', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  app.emit('child-process-gone', {}, { type: 'GPU', reason: 'crashed', exitCode: 3 })
  const messages = () => window.webContents.sent.map(({ message }) => message)
  await vi.waitFor(() =>
    expect(messages()).toContainEqual({
      kind: 'event',
      name: 'app.recovered',
      payload: { message: 'The graphics process failed and was started again. Nothing was lost.' },
    }),
  )
  const ask = async (id: number, name: string) => {
    sendFromPage(window.webContents, ipcChannels.fromWindow, { kind: 'call', id, name, input: {} })
    const isAnswer = (message: unknown) => (message as { id?: number }).id === id
    await vi.waitFor(() => expect(messages().some(isAnswer)).toBe(true))
    return (messages().find(isAnswer) as { value: unknown }).value
  }
  expect(await ask(1, 'app.crashes')).toMatchObject([{ process: 'GPU process', reason: 'crashed (3)', detail: '' }])
  await ask(2, 'app.removeCrashes')
  expect(await ask(3, 'app.crashes')).toEqual([])
})
