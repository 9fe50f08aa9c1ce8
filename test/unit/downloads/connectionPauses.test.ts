import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createConnectionPauses } from '#core/downloads/retryPolicy.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

function opened() {
  let nowMs = 1_000_000
  const store = openTestStore()
  const pauses = createConnectionPauses(store.pauses, { nowMs: () => nowMs })
  return { store, pauses, goTo: (ms: number) => (nowMs = ms) }
}

test('a pause ends with its time, and also when the clock was set back before its start', () => {
  const { pauses, store, goTo } = opened()
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
  const { pauses, goTo } = opened()
  pauses.pause('desk', new AppError('unauthorized'), null)
  goTo(9_000_000_000)
  expect(pauses.isPaused('desk')).toBe(true)
  pauses.resume('desk')
  expect(pauses.isPaused('desk')).toBe(false)
})

test('a pause that cannot be stored is listed all the same, as long as it lasts', () => {
  const { pauses, store, goTo } = opened()
  pauses.pauseWithoutStore(new AppError('disk-full', 'The folder is /data'))
  expect(pauses.isPaused('')).toBe(true)
  expect(store.pauses.list()).toEqual([])
  expect(pauses.unstored()).toMatchObject([{ connectionId: '', untilMs: 1_005_000, error: { code: 'disk-full' } }])
  goTo(1_005_000)
  expect(pauses.unstored()).toEqual([])
  expect(pauses.isPaused('')).toBe(false)
})
