import { expect, test } from 'vitest'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import { RequestError } from '#core/clients/httpErrors.ts'
import { ConnectionProblem, consequenceOf } from '#core/downloads/failures.ts'

const follows = (code: ErrorCode, failures = 1) => consequenceOf(new AppError(code), failures, 0)

test('what is worth trying again waits longer each time; what is not fails', () => {
  expect(follows('timeout')).toEqual({ kind: 'wait', delayMs: 250 })
  expect(follows('service', 4)).toEqual({ kind: 'wait', delayMs: 2000 })
  expect(follows('service', 6)).toEqual({ kind: 'fail' })
  expect(follows('rejected')).toEqual({ kind: 'fail' })
  expect(follows('not-found')).toEqual({ kind: 'fail' })
  expect(follows('forbidden')).toEqual({ kind: 'refused' })
})

test('without a network nothing fails, however long it lasts', () => {
  expect(follows('network', 5000)).toEqual({ kind: 'wait', delayMs: 30_000 })
  expect(follows('offline', 5000)).toEqual({ kind: 'release' })
})

test('a file that comes damaged is fetched anew twice', () => {
  expect([1, 2, 3].map((failures) => follows('corrupt-file', failures).kind)).toEqual(['wait', 'wait', 'fail'])
})

test('a key, a disk or a service that wants a pause concerns more than one file', () => {
  expect(follows('unauthorized')).toEqual({ kind: 'hold connection', delayMs: null })
  expect(consequenceOf(new ConnectionProblem('not-found'), 1, 0)).toEqual({ kind: 'hold connection', delayMs: null })
  expect(follows('disk-full').kind).toBe('hold all')
  expect(follows('read-only').kind).toBe('hold all')
  const slower = new RequestError('rate-limited', 'GET', { retryAfterMs: 7000 })
  expect(consequenceOf(slower, 1, 0)).toEqual({ kind: 'hold connection', delayMs: 7000 })
})
