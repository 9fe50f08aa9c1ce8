import { dirname, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenForOpenings } from '../../electron/main/openings.ts'
import { relaunch } from '../../electron/main/relaunch.ts'
import { closeBeforeQuit } from '../../electron/main/startDesktop.ts'
import { app, desktop, fakeEvent, resetDesktop } from '../fakes/electron.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => resetDesktop())

it('closes the core before it ends, once', async () => {
  const closing = Promise.withResolvers<void>()
  const close = vi.fn(() => closing.promise)
  closeBeforeQuit(close, fakeLog(), listenForOpenings())
  app.quit()
  app.quit()
  expect(desktop.exitCode).toBeNull()
  closing.resolve()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(close).toHaveBeenCalledOnce()
})

it('ends also where the core fails to close, and writes down why', async () => {
  const log = fakeLog()
  closeBeforeQuit(() => Promise.reject(new Error('stuck')), log, listenForOpenings())
  app.quit()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(log.lines).toEqual(['error closing failed: Error: stuck'])
})

it('does not wait for ever', async () => {
  vi.useFakeTimers()
  const log = fakeLog()
  closeBeforeQuit(() => new Promise(() => {}), log, listenForOpenings())
  app.quit()
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  expect(desktop.exitCode).toBe(0)
  expect(log.lines).toEqual(['error closing failed: Error: it took too long'])
})

it('starts again with what a second start was to open while this one was closing', async () => {
  const closing = Promise.withResolvers<void>()
  const openings = listenForOpenings()
  closeBeforeQuit(() => closing.promise, fakeLog(), openings)
  openings.deliverTo(() => {})
  app.emit('second-instance', {}, ['perpscope-desktop', 'early.perpscope'], '/home/ana')
  app.quit()
  app.emit('second-instance', {}, ['perpscope-desktop', 'perpscope://catalog/ohlcv', 'day.parquet'], '/home/ana')
  // On macOS, files and addresses arrive as events and not by a second start.
  app.emit('open-file', fakeEvent(), '/home/ana/ideas.perpscope')
  app.emit('open-url', fakeEvent(), 'perpscope://raw')
  closing.resolve()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(desktop.relaunches).toHaveLength(1)
  // On Windows, Electron refuses a command line with arguments after an address.
  expect(desktop.relaunches[0].args?.slice(-3)).toEqual([
    resolve('/home/ana', 'day.parquet'),
    '/home/ana/ideas.perpscope',
    'perpscope://raw',
  ])
})

it.each([
  ['a second start', () => app.emit('second-instance', {}, ['perpscope-desktop'], '/')],
  ['a click on the dock', () => app.emit('activate')],
])('opens no window in an app that is closing for %s, and starts it again', async (_what, ask) => {
  await startedDesktop()
  app.quit()
  ask()
  expect(FakeWindow.open).toEqual([])
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0), 20_000)
  expect(desktop.relaunches).toHaveLength(1)
})

it('ends for good where nobody started it meanwhile', async () => {
  closeBeforeQuit(() => Promise.resolve(), fakeLog(), listenForOpenings())
  app.quit()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(desktop.relaunches).toEqual([])
})

describe('a restart', () => {
  const argv = process.argv
  afterEach(() => {
    process.argv = argv
    vi.unstubAllEnvs()
  })

  it('keeps the data folder that was asked for, and no file that was opened', () => {
    desktop.packaged = true
    process.argv = ['perpscope-desktop', 'old.perpscope', '--data-dir', '/srv/data']
    relaunch()
    expect(desktop.relaunches).toEqual([{ args: ['--data-dir', '/srv/data'] }])
  })

  it('starts the AppImage itself, because its program is unmounted when it ends', () => {
    desktop.packaged = true
    process.argv = ['perpscope-desktop']
    vi.stubEnv('APPIMAGE', '/opt/Perpscope.AppImage')
    vi.stubEnv('APPDIR', dirname(process.execPath))
    relaunch(['day.parquet'])
    expect(desktop.relaunches).toEqual([{ args: ['day.parquet'], execPath: '/opt/Perpscope.AppImage' }])
  })
})
