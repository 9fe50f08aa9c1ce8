import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { LinkError } from '#core/clients/httpErrors.ts'
import { createConnectionPauses } from '#core/downloads/retryPolicy.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

function openPauses() {
  let nowMs = 1_000_000
  const store = openTestStore()
  const pauses = createConnectionPauses(store.pauses, { nowMs: () => nowMs })
  return { store, pauses, goTo: (ms: number) => (nowMs = ms) }
}

test('a pause ends with its time, and also when the clock was set back before its start', () => {
  const { pauses, store, goTo } = openPauses()
  const slowDown = new AppError('rate-limited')
  pauses.pause('desk', slowDown, 60_000)
  goTo(1_059_999)
  expect(pauses.isPaused('desk')).toBe(true)
  goTo(1_060_000)
  expect(pauses.isPaused('desk')).toBe(false)
  pauses.pause('desk', slowDown, 60_000)
  goTo(500_000)
  expect(pauses.isPaused('desk')).toBe(false)
  expect(store.pauses.list()).toEqual([])
})

test('a pause that waits for the person has no end of its own', () => {
  const { pauses, goTo } = openPauses()
  pauses.pause('desk', new AppError('unauthorized'), null)
  goTo(9_000_000_000)
  expect(pauses.isPaused('desk')).toBe(true)
  pauses.resume('desk')
  expect(pauses.isPaused('desk')).toBe(false)
})

test('a pause that cannot be stored is listed all the same, as long as it lasts', () => {
  const { pauses, store, goTo } = openPauses()
  pauses.pauseWithoutStore(new AppError('disk-full', 'The folder is /data'))
  expect(pauses.isPaused('')).toBe(true)
  expect(store.pauses.list()).toEqual([])
  expect(pauses.unstoredPauses()).toMatchObject([
    { connectionId: '', untilMs: 1_005_000, error: { code: 'disk-full' } },
  ])
  goTo(1_005_000)
  expect(pauses.unstoredPauses()).toEqual([])
  expect(pauses.isPaused('')).toBe(false)
})

test('three failures in a row pause the connection, and a success in between starts the count again', () => {
  const { pauses, store } = openPauses()
  const fail = () => pauses.noteFailure('desk', new AppError('network'), 8000)
  expect([fail(), fail()]).toEqual([1_008_000, 1_008_000])
  pauses.noteSuccess('desk')
  fail()
  fail()
  expect([pauses.isSuspect('desk'), pauses.isPaused('desk'), store.pauses.list()]).toEqual([false, false, []])
  fail()
  expect([pauses.isSuspect('desk'), pauses.isPaused('desk')]).toEqual([true, true])
  expect(store.pauses.list()).toMatchObject([{ connectionId: 'desk', untilMs: 1_008_000, error: { code: 'network' } }])
  expect([pauses.isSuspect('other'), pauses.isPaused('other')]).toEqual([false, false])
  pauses.resume('desk')
  expect([pauses.isSuspect('desk'), pauses.isPaused('desk'), store.pauses.list()]).toEqual([false, false, []])
})

test('failed links never pause the connection, but delay their files more each time in a row', () => {
  const { pauses } = openPauses()
  const fail = (delayMs: number) => pauses.noteFailure('desk', new LinkError('network', 'GET'), delayMs) - 1_000_000
  expect([fail(50), fail(50), fail(500)]).toEqual([100, 200, 500])
  expect([pauses.isSuspect('desk'), pauses.isPaused('desk')]).toEqual([false, false])
  pauses.noteSuccess('desk')
  expect(fail(0)).toBe(100)
  for (let time = 0; time < 5000; time++) fail(0)
  expect(fail(0)).toBe(300_000)
})

test('a pause that another process ended is over here too, and one that it left goes on', () => {
  const { pauses, store } = openPauses()
  for (let time = 0; time < 3; time++) pauses.noteFailure('desk', new AppError('network'), 8000)
  pauses.pause('other', new AppError('unauthorized'), null)
  pauses.pauseWithoutStore(new AppError('disk-full'))
  pauses.dropEndedElsewhere()
  expect(['desk', 'other', ''].map(pauses.isPaused)).toEqual([true, true, true])
  store.pauses.clear('desk')
  pauses.dropEndedElsewhere()
  expect(['desk', 'other', ''].map(pauses.isPaused)).toEqual([false, true, true])
  expect(pauses.isSuspect('desk')).toBe(false)
})
