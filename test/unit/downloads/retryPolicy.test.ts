import { describe, expect, test } from 'vitest'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import { SlowError, UnreachableError, RequestError } from '#core/clients/httpErrors.ts'
import {
  ConnectionProblem,
  consequenceOf,
  createRefusals,
  createStalledAttempts,
  refusalError,
} from '#core/downloads/retryPolicy.ts'
import type { Job } from '#core/store/jobTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const consequenceFor = (code: ErrorCode, failures = 1) => consequenceOf(new AppError(code), failures, 0)

test('a retryable failure waits longer each time; any other fails', () => {
  expect(consequenceFor('timeout')).toEqual({ kind: 'wait', delayMs: 250 })
  expect(consequenceFor('service', 4)).toEqual({ kind: 'wait', delayMs: 2000 })
  expect(consequenceFor('service', 5)).toEqual({ kind: 'wait', delayMs: 4000 })
  expect(consequenceFor('service', 6)).toEqual({ kind: 'fail' })
  expect(consequenceFor('rejected')).toEqual({ kind: 'fail' })
  expect(consequenceFor('not-found')).toEqual({ kind: 'fail' })
  expect(consequenceFor('forbidden')).toEqual({ kind: 'refused' })
})

test('a transfer that was too slow waits for minutes, so that others come first, and fails in the end', () => {
  const consequences = [1, 5, 6].map((failures) => consequenceOf(new SlowError('GET'), failures, 0))
  const wait = { kind: 'wait', delayMs: 300_000 }
  expect(consequences).toEqual([wait, wait, { kind: 'fail' }])
})

test('without a network no job fails, however long the outage lasts', () => {
  expect(consequenceFor('network', 5000)).toEqual({ kind: 'wait', delayMs: 30_000 })
  expect(consequenceFor('offline', 5000)).toEqual({ kind: 'release' })
})

test('a damaged file is downloaded again twice', () => {
  expect([1, 2, 3].map((failures) => consequenceFor('corrupt-file', failures).kind)).toEqual(['wait', 'wait', 'fail'])
})

test('a rejected key, a full disk and a rate limit pause more than one job', () => {
  for (const code of ['unauthorized', 'invalid-key'] as const)
    expect(consequenceFor(code)).toEqual({ kind: 'pause connection', delayMs: null })
  expect(consequenceOf(new ConnectionProblem('not-found'), 1, 0)).toEqual({ kind: 'pause connection', delayMs: null })
  expect(consequenceFor('disk-full').kind).toBe('pause all')
  expect(consequenceFor('read-only').kind).toBe('pause all')
  const slower = new RequestError('rate-limited', 'GET', { retryAfterMs: 7000 })
  expect(consequenceOf(slower, 1, 0)).toEqual({ kind: 'pause connection', delayMs: 7000 })
})

test('a rate limit without a time makes only the job wait', () => {
  expect(consequenceFor('rate-limited')).toEqual({ kind: 'wait', delayMs: 250 })
})

test('a service out of reach pauses its connection for a minute at least', () => {
  expect(consequenceOf(new UnreachableError('GET'), 1, 0)).toEqual({ kind: 'pause connection', delayMs: 60_000 })
})

test('with a shared store, a rejected key fails the files that the store lacks and pauses nothing', () => {
  expect(consequenceOf(new AppError('unauthorized'), 1, 0, true)).toEqual({ kind: 'fail' })
  expect(consequenceOf(new ConnectionProblem('not-found'), 1, 0, true)).toEqual({ kind: 'fail' })
  expect(consequenceOf(new AppError('disk-full'), 1, 0, true).kind).toBe('pause all')
})

test('attempts that bring new bytes do not count as failures in a row', () => {
  const attempts = createStalledAttempts()
  expect([0, 0, 500, 500, 400, 501].map((doneBytes) => attempts.noteFailure(1, doneBytes))).toEqual([1, 2, 1, 2, 3, 1])
  expect(attempts.noteFailure(2, 0)).toBe(1)
  attempts.forget(1)
  expect(attempts.noteFailure(1, 0)).toBe(1)
})

describe('a refusal by the service', () => {
  const job = (series: OwnedSeries, createdAtMs: number) => ({ series, createdAtMs }) as Job
  const series = flowSeries()
  const refused = (message: string, code?: string) =>
    new RequestError('forbidden', 'GET /data: status 403', {
      service: { message, status: 403, requestId: null },
      refusal: { bodyStart: JSON.stringify({ message, code }), headers: { get: () => null } },
    })

  test('is known for all intervals of its dataset, except where the interval needs a tier of its own', () => {
    const { unavailable } = openTestStore()
    const refusals = createRefusals(unavailable)
    expect(refusals.find(series)).toBeUndefined()
    refusals.record(job(flowSeries({ interval: '15s' }), 5), refused('Tier 3 only'), 10)
    expect(refusals.find(series)).toBeUndefined()
    expect(refusals.find(flowSeries({ interval: '15s' }))).toMatchObject({ interval: '15s', message: 'Tier 3 only' })
    refusals.record(job(flowSeries({ interval: '1h' }), 5), refused('Tier 1 only'), 10)
    expect(refusals.find(series)).toMatchObject({ dataset: 'flow', interval: '', message: 'Tier 1 only', atMs: 10 })
    expect(refusals.find(flowSeries({ dataset: 'vtwap' }))).toBeUndefined()
    expect(refusals.find(flowSeries({ connectionId: 'other' }))).toBeUndefined()
    expect(unavailable.refusals('sandbox')).toHaveLength(2)
  })

  test('of raw events as a whole is known for all of their datasets, and for no metric of the same name', () => {
    const refusals = createRefusals(openTestStore().unavailable)
    const raw = (dataset: string) => flowSeries({ kind: 'raw', dataset, interval: '', timestamp: '' })
    refusals.record(job(raw('open_interest'), 5), refused('Not yours.'), 10)
    expect(refusals.find(raw('trades'))).toBeUndefined()
    expect(refusals.find(flowSeries({ dataset: 'open_interest' }))).toBeUndefined()
    refusals.record(job(raw('trades'), 5), refused('Raw events need Pro.', 'raw_not_in_plan'), 10)
    expect(refusals.find(raw('liquidations'))).toMatchObject({ dataset: '', message: 'Raw events need Pro.' })
    expect(refusals.find(flowSeries({ dataset: 'trades' }))).toBeUndefined()
  })

  test('of a job that was queued before is not recorded again, and of a later one is', () => {
    const { unavailable } = openTestStore()
    const refusals = createRefusals(unavailable)
    refusals.record(job(series, 5), refused('first'), 10)
    refusals.record(job(series, 10), refused('late'), 20)
    refusals.record(job(flowSeries({ dataset: 'vtwap' }), 10), refused('other'), 21)
    expect(
      unavailable
        .refusals('sandbox')
        .map(({ message }) => message)
        .toSorted(),
    ).toEqual(['first', 'other'])
    refusals.record(job(series, 11), refused('second'), 30)
    expect(refusals.find(series)).toMatchObject({ message: 'second', atMs: 30 })
    refusals.clear(refusals.find(series)!)
    expect(refusals.find(series)).toBeUndefined()
  })

  test('is passed to the next job with its day and the service’s message', () => {
    const error = refusalError({
      ...{ connectionId: 'a', kind: 'metrics', dataset: 'flow', interval: '15s' },
      ...{ message: 'No.', atMs: 1.79e12 },
    })
    expect(error).toMatchObject({
      code: 'forbidden',
      detail: 'flow 15s was refused on 2026-09-21',
      service: { message: 'No.', status: 403 },
    })
  })
})
