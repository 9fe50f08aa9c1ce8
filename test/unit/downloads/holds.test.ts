import { expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createHolds } from '#core/downloads/holds.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

function opened() {
  let nowMs = 1_000_000
  const store = openTestStore()
  const holds = createHolds(store.holds, { nowMs: () => nowMs })
  return { store, holds, goTo: (ms: number) => (nowMs = ms) }
}

test('a hold ends with its time, and also when the clock was set back before its beginning', () => {
  const { holds, store, goTo } = opened()
  const slowDown = new AppError('rate-limited')
  holds.hold('desk', slowDown, 60_000)
  goTo(1_059_999)
  expect(holds.isHeld('desk')).toBe(true)
  goTo(1_060_000)
  expect(holds.isHeld('desk')).toBe(false)
  holds.hold('desk', slowDown, 60_000)
  goTo(500_000)
  expect(holds.isHeld('desk')).toBe(false)
  expect(store.holds.list()).toEqual([])
})

test('one that waits for the person has no end of its own', () => {
  const { holds, goTo } = opened()
  holds.hold('desk', new AppError('unauthorized'), null)
  goTo(9_000_000_000)
  expect(holds.isHeld('desk')).toBe(true)
  holds.release('desk')
  expect(holds.isHeld('desk')).toBe(false)
})

test('what cannot be written down is told all the same, for as long as it lasts', () => {
  const { holds, store, goTo } = opened()
  holds.holdWithoutStore(new AppError('disk-full', 'The folder is /data'))
  expect(holds.isHeld('')).toBe(true)
  expect(store.holds.list()).toEqual([])
  expect(holds.unstored()).toMatchObject([{ connectionId: '', untilMs: 1_005_000, error: { code: 'disk-full' } }])
  goTo(1_005_000)
  expect(holds.unstored()).toEqual([])
  expect(holds.isHeld('')).toBe(false)
})
