import { expect, test } from 'vitest'
import { createStallDetector } from '../../../electron/cli/fetching/followBatch.ts'

function startStallCheck() {
  let nowMs = 0
  const isStuck = createStallDetector(() => nowMs)
  return (mark: string, afterMs: number, isExcused = false) => {
    nowMs += afterMs
    return isStuck(mark, isExcused)
  }
}

test('ends where nothing moves for long, and begins anew with every byte', () => {
  const check = startStallCheck()
  for (let s = 0; s < 40; s++) expect(check('1 file', 1000)).toBe(false)
  expect(check('a byte more', 1000)).toBe(false)
  for (let s = 0; s < 45; s++) expect(check('a byte more', 1000)).toBe(false)
  expect(check('a byte more', 1000)).toBe(true)
})

test('waits as long as the service asks', () => {
  const check = startStallCheck()
  for (let s = 0; s < 600; s++) expect(check('1 file', 1000, true)).toBe(false)
})

test('does not count the time in which the machine slept', () => {
  const check = startStallCheck()
  check('1 file', 100)
  expect(check('1 file', 8 * 3_600_000)).toBe(false)
  expect(check('1 file', 100)).toBe(false)
})
