import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError, errorCodes } from '#shared/contract/errors.ts'
import { isWorthRetrying, parseRetryAfter, retryDelayMs } from '#core/clients/httpErrors.ts'

const nowMs = Date.UTC(2026, 8, 1, 12)

describe('the delay', () => {
  test.each([
    [1, 0, 250],
    [1, 1, 500],
    [2, 1, 1000],
    [5, 0.5, 6000],
    [8, 1, 60_000],
    [1000, 1, 60_000],
  ])('after %i failures with chance %d: %i ms', (failures, random, delayMs) => {
    expect(retryDelayMs(failures, null, random)).toBe(delayMs)
  })

  test('what the service asks for wins, within reason', () => {
    expect(retryDelayMs(1, 42_000, 0.9)).toBe(42_000)
    expect(retryDelayMs(9, 0, 0.9)).toBe(0)
    expect(retryDelayMs(1, 1e12, 0)).toBe(900_000)
  })

  test('always lies between half and the whole of its step', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const delayMs = retryDelayMs(failures, null, random)
          const ceiling = Math.min(60_000, 500 * 2 ** (failures - 1))
          expect(delayMs).toBeGreaterThanOrEqual(Math.floor(ceiling / 2))
          expect(delayMs).toBeLessThanOrEqual(ceiling)
        },
      ),
    )
  })
})

test.each([
  [null, null],
  ['', null],
  ['0', 0],
  ['120', 120_000],
  [' 3 ', 3000],
  ['-5', null],
  ['soon', null],
  ['Tue, 01 Sep 2026 12:00:30 GMT', 30_000],
  ['Tue, 01 Sep 2026 11:00:00 GMT', 0],
])('Retry-After %j is %j ms', (header, expected) => {
  expect(parseRetryAfter(header, nowMs)).toBe(expected)
})

test('only what may pass by itself is tried again', () => {
  const retryableCodes = errorCodes.filter((code) => isWorthRetrying(new AppError(code)))
  expect(retryableCodes.sort()).toEqual(['network', 'rate-limited', 'service', 'timeout'])
})
