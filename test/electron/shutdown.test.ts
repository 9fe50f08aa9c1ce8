import { beforeEach, expect, it, vi } from 'vitest'
import { closeBeforeQuit } from '../../electron/main/startDesktop.ts'
import { app, desktop, resetDesktop } from '../fakes/electron.ts'
import { fakeLog } from '../fakes/fakeLog.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => resetDesktop())

it('closes the core before it ends, once', async () => {
  const closing = Promise.withResolvers<void>()
  const close = vi.fn(() => closing.promise)
  closeBeforeQuit(close, fakeLog())
  app.quit()
  app.quit()
  expect(desktop.exitCode).toBeNull()
  closing.resolve()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(close).toHaveBeenCalledOnce()
})

it('ends also where the core fails to close, and writes down why', async () => {
  const log = fakeLog()
  closeBeforeQuit(() => Promise.reject(new Error('stuck')), log)
  app.quit()
  await vi.waitFor(() => expect(desktop.exitCode).toBe(0))
  expect(log.lines).toEqual(['error closing failed: Error: stuck'])
})

it('does not wait for ever', async () => {
  vi.useFakeTimers()
  const log = fakeLog()
  closeBeforeQuit(() => new Promise(() => {}), log)
  app.quit()
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  expect(desktop.exitCode).toBe(0)
  expect(log.lines).toEqual(['error closing failed: Error: it took too long'])
})
