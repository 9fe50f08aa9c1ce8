import { expect, it } from 'vitest'
import { createSizeMeter, secondsLeft } from '#core/downloads/queueEvents.ts'

const none = { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }
const left = (queued: number) => ({ ...none, queued })
const finished = (files: number) => ({ files, bytes: files * 1000 })

it('waits for the finished files to say something about the others', () => {
  expect(secondsLeft(left(500), finished(1), 1000)).toBeNull()
  expect(secondsLeft(left(500), finished(10), 1000)).toBe(500)
  expect(secondsLeft(left(2), finished(2), 1000)).toBe(2)
  expect(secondsLeft(left(1), finished(1), 1000)).toBe(1)
  expect(secondsLeft({ ...none, running: 1, waiting: 2, paused: 9 }, finished(5), 1000)).toBe(3)
  expect(secondsLeft(left(2), finished(0), 1000)).toBeNull()
  expect(secondsLeft(left(500), finished(10), 0)).toBeNull()
  expect(secondsLeft(left(0), finished(3), 0)).toBe(0)
})

it('counts only files that finished since the queue was last empty, and starts again with a cleared history', () => {
  const counts = (queued: number, done: number, doneBytes: number, cleared = 0) => ({
    now: { ...none, queued, done: done - cleared },
    ever: { ...none, done },
    doneBytes,
  })
  // A thousand small files of an earlier request tell nothing about the large files that are queued now.
  const sizes = createSizeMeter(counts(0, 1000, 5_000_000))
  expect(sizes.finishedSince(counts(160, 1000, 5_000_000))).toEqual({ files: 0, bytes: 0 })
  expect(sizes.finishedSince(counts(158, 1002, 5_400_000))).toEqual({ files: 2, bytes: 400_000 })
  expect(sizes.finishedSince(counts(158, 1002, 0, 1002))).toEqual({ files: 0, bytes: 0 })
  expect(sizes.finishedSince(counts(157, 1003, 200_000, 1002))).toEqual({ files: 1, bytes: 200_000 })
  expect(sizes.finishedSince(counts(0, 1160, 32_000_000, 1002))).toEqual({ files: 158, bytes: 32_000_000 })
  expect(sizes.finishedSince(counts(9, 1160, 32_000_000, 1002))).toEqual({ files: 0, bytes: 0 })
})
