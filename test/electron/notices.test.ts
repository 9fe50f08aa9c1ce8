import { expect, test, vi } from 'vitest'
import type { EventPayload } from '#shared/contract/events.ts'
import type { EventName } from '#shared/contract/names.ts'
import { followDownloads, notify } from '../../electron/main/notices.ts'
import { desktop, resetDesktop } from '../fakes/electron.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const idleCounts = { queued: 0, running: 0, waiting: 0, paused: 0, done: 40, failed: 2, cancelled: 0 }
const progressOf = (counts: Partial<typeof idleCounts>): EventPayload<'downloads.progressed'> => ({
  counts: { ...idleCounts, ...counts },
  bytesPerSecond: 0,
  secondsLeft: null,
  running: [],
  holds: [],
  here: true,
})

function followFakeDownloads(wantsNotices = true, keepsAwake = true) {
  resetDesktop()
  const window = new FakeWindow({})
  const listeners = new Map<string, (payload: never) => void>()
  const shown: string[] = []
  followDownloads({
    core: {
      call: () => Promise.reject(new Error('nothing is asked here')),
      on: (name, listener) => {
        listeners.set(name, listener as (payload: never) => void)
        return () => {}
      },
    },
    window: () => window as never,
    wantsNotices: () => wantsNotices,
    keepsAwake: () => keepsAwake,
    log: fakeLog(),
    show: (route) => shown.push(route),
  })
  const tell = <Name extends EventName>(name: Name, payload: EventPayload<Name>) =>
    listeners.get(name)?.(payload as never)
  return { window, tell, shown }
}

test('the task bar shows how far this stretch of work is, and nothing when there is none', () => {
  const { window, tell } = followFakeDownloads()
  tell('downloads.progressed', progressOf({ queued: 10 }))
  expect(window.progress).toBe(0)
  tell('downloads.progressed', progressOf({ queued: 5, done: 44, failed: 3 }))
  expect(window.progress).toBe(0.5)
  tell('downloads.progressed', progressOf({}))
  expect(window.progress).toBe(-1)
})

test.runIf(process.platform === 'linux')('the title shows how far downloads are where the task bar cannot', () => {
  const { window, tell } = followFakeDownloads()
  tell('downloads.progressed', progressOf({ queued: 10 }))
  expect(window.getTitle()).toBe('0 % · Perpscope')
  tell('downloads.progressed', progressOf({ queued: 5, done: 44, failed: 3 }))
  let isPrevented = false
  window.emit('page-title-updated', { preventDefault: () => (isPrevented = true) }, 'Catalog – Perpscope')
  expect(isPrevented).toBe(true)
  expect(window.getTitle()).toBe('50 % · Catalog – Perpscope')
  tell('downloads.progressed', progressOf({}))
  expect(window.getTitle()).toBe('Catalog – Perpscope')
  expect(window.listenerCount('page-title-updated')).toBe(0)
})

test('the computer stays awake while downloads run here, if the user wants that', () => {
  const { tell } = followFakeDownloads()
  tell('downloads.progressed', progressOf({ queued: 10 }))
  tell('downloads.progressed', progressOf({ running: 3 }))
  expect(desktop.steps).toEqual(['stay awake: prevent-app-suspension'])
  tell('downloads.progressed', progressOf({}))
  expect(desktop.steps).toEqual(['stay awake: prevent-app-suspension', 'may sleep: 7'])

  const { tell: tellAnother } = followFakeDownloads(true, false)
  tellAnother('downloads.progressed', progressOf({ queued: 10 }))
  const { tell: tellThird } = followFakeDownloads()
  tellThird('downloads.progressed', { ...progressOf({ queued: 10 }), here: false })
  expect(desktop.steps).toEqual([])
})

test('a notification stays referenced until it is chosen or closed, and a failure is logged', () => {
  resetDesktop()
  const log = fakeLog()
  notify('Downloads finished', '', () => {}, log)
  desktop.notifications[0].emit('failed', {}, 'no service')
  expect(log.lines).toEqual(['warn a notification could not be shown: no service'])
})

test('a user who looks elsewhere is told of the end, and choosing the notification leads to the downloads', () => {
  const { window, tell, shown } = followFakeDownloads()
  tell('downloads.finished', { done: 0, failed: 0 })
  expect(desktop.notifications).toHaveLength(0)
  tell('downloads.finished', { done: 7, failed: 1 })
  expect(desktop.notifications[0].options).toEqual({
    title: 'Downloads finished with errors',
    body: '7 files downloaded, 1 failed.',
  })
  desktop.notifications[0].emit('click')
  expect(shown).toEqual(['/downloads'])
  window.hasFocus = true
  tell('downloads.held', { connectionId: 'x', code: 'unauthorized', message: 'The service refused the API key.' })
  expect(desktop.notifications).toHaveLength(1)
})

test('nothing is told where the person does not want it', () => {
  const { tell } = followFakeDownloads(false)
  tell('downloads.finished', { done: 7, failed: 0 })
  expect(desktop.notifications).toHaveLength(0)
})
