import { expect, test } from 'vitest'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import { RequestError } from '#core/clients/httpErrors.ts'
import { ConnectionProblem, consequenceOf } from '#core/downloads/retryPolicy.ts'

const follows = (code: ErrorCode, failures = 1) => consequenceOf(new AppError(code), failures, 0)

test('a retryable failure waits longer each time; any other fails', () => {
  expect(follows('timeout')).toEqual({ kind: 'wait', delayMs: 250 })
  expect(follows('service', 4)).toEqual({ kind: 'wait', delayMs: 2000 })
  expect(follows('service', 6)).toEqual({ kind: 'fail' })
  expect(follows('rejected')).toEqual({ kind: 'fail' })
  expect(follows('not-found')).toEqual({ kind: 'fail' })
  expect(follows('forbidden')).toEqual({ kind: 'refused' })
})

test('without a network no job fails, however long the outage lasts', () => {
  expect(follows('network', 5000)).toEqual({ kind: 'wait', delayMs: 30_000 })
  expect(follows('offline', 5000)).toEqual({ kind: 'release' })
})

test('a damaged file is downloaded again twice', () => {
  expect([1, 2, 3].map((failures) => follows('corrupt-file', failures).kind)).toEqual(['wait', 'wait', 'fail'])
})

test('a rejected key, a full disk and a rate limit pause more than one job', () => {
  expect(follows('unauthorized')).toEqual({ kind: 'pause connection', delayMs: null })
  expect(consequenceOf(new ConnectionProblem('not-found'), 1, 0)).toEqual({ kind: 'pause connection', delayMs: null })
  expect(follows('disk-full').kind).toBe('pause all')
  expect(follows('read-only').kind).toBe('pause all')
  const slower = new RequestError('rate-limited', 'GET', { retryAfterMs: 7000 })
  expect(consequenceOf(slower, 1, 0)).toEqual({ kind: 'pause connection', delayMs: 7000 })
})
