import { expect, it } from 'vitest'
import { secondsLeft } from '#core/downloads/queueEvents.ts'

const counts = (done: number, queued: number) => ({
  now: { queued, running: 0, waiting: 0, paused: 0, done, failed: 0, cancelled: 0 },
  doneBytes: done * 1000,
})

it('waits for the finished files to say something about the others', () => {
  expect(secondsLeft(counts(1, 500), 1000)).toBeNull()
  expect(secondsLeft(counts(10, 500), 1000)).toBe(500)
  expect(secondsLeft(counts(2, 2), 1000)).toBe(2)
  expect(secondsLeft(counts(0, 2), 1000)).toBeNull()
  expect(secondsLeft(counts(10, 500), 0)).toBeNull()
  expect(secondsLeft(counts(3, 0), 0)).toBe(0)
})
