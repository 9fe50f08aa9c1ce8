import { describe, expect, test } from 'vitest'
import type { MetricsService } from '#core/clients/metricsService.ts'
import { AppError } from '#shared/contract/errors.ts'
import { createSignedUrls, PeriodRefusedError } from '#core/downloads/signedUrls.ts'
import { addDays } from '#shared/time.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'

const series = flowSeries()
const dayAt = (index: number) => addDays('2026-08-01', index)
const refusal = { message: 'not in your plan', status: 403, requestId: null }
const signal = new AbortController().signal

/** Creates a service that has every day, and a queue of `queued` days. */
function world(queued = 50, listsAtOnce = 32) {
  const clock = fakeClock()
  let expiresInMs: number | null = null
  const requested: string[] = []
  let trouble: Error | null = null
  let openFrom = ''
  let server = 'service.example'
  const files: MetricsService['files'] = async ({ startDay, endDay }) => {
    requested.push(`${startDay}..${endDay}`)
    await Promise.resolve()
    if (trouble) throw trouble
    if (startDay < openFrom) throw new AppError('forbidden', null, { service: refusal })
    const listed = []
    for (let day = startDay; day <= endDay; day = addDays(day, 1))
      listed.push({ period: day, url: `url ${day} ${requested.length}` })
    return { files: listed, missing: [], expiresInMs }
  }
  const days = Array.from({ length: queued }, (_, index) => dayAt(index))
  const urls = createSignedUrls({
    clock,
    openService: async () => ({ files }) as MetricsService,
    serverOf: () => server,
    nextPeriods: (_, from) =>
      days.filter((day) => day >= from || days[0] > days[days.length - 1]).slice(0, listsAtOnce),
    lastPeriod: () => days.toSorted().at(-1),
  })
  return {
    clock,
    requested,
    urls,
    fail: (error: Error | null) => (trouble = error),
    queue: days,
    limit: (day: string) => (openFrom = day),
    move: () => (server = 'other.example'),
    linksLive: (ms: number) => (expiresInMs = ms),
    offer: (index: number, renew = false) => urls.find(series, dayAt(index), renew, signal),
  }
}

describe('a range partly outside the plan', () => {
  test('is found open from its last period: only the periods that are refused alone are', async () => {
    const { offer, requested, limit } = world(50)
    limit('2026-08-03')
    await expect(offer(0)).rejects.toBeInstanceOf(PeriodRefusedError)
    expect(requested.splice(0)).toEqual(['2026-08-01..2026-09-01', '2026-09-19..2026-09-19', '2026-08-01..2026-08-01'])
    await expect(offer(1)).rejects.toMatchObject({ code: 'forbidden', service: refusal })
    expect((await offer(2)).kind).toBe('url')
    expect(requested).toEqual(['2026-08-02..2026-08-02', '2026-08-03..2026-08-03'])
  })

  test('is found open from its last period, too, if that is the first one of the queue', async () => {
    const { offer, requested, limit, queue } = world(3)
    limit('2026-08-03')
    queue.reverse()
    expect((await offer(2)).kind).toBe('url')
    expect(requested.splice(0)).toEqual(['2026-08-01..2026-08-03', '2026-08-03..2026-08-03', '2026-08-03..2026-08-03'])
    queue.shift()
    await expect(offer(1)).rejects.toBeInstanceOf(PeriodRefusedError)
    expect(requested).toEqual(['2026-08-02..2026-08-02'])
  })

  test('is refused whole if its last period is', async () => {
    const { offer, requested, limit } = world(50)
    limit('2026-12-01')
    const offers = await Promise.allSettled([offer(0), offer(1), offer(2)])
    for (const each of offers) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } })
    expect(offers.some((each) => each.status === 'rejected' && each.reason instanceof PeriodRefusedError)).toBe(false)
    expect(requested).toEqual(['2026-08-01..2026-09-01', '2026-09-19..2026-09-19'])
  })
})

describe('signed URLs', () => {
  test('are listed once for all jobs that wait at the same time', async () => {
    const { offer, requested } = world()
    const offers = await Promise.all([offer(0), offer(1), offer(31)])
    expect(offers.map((each) => each.kind)).toEqual(['url', 'url', 'url'])
    expect(requested).toEqual(['2026-08-01..2026-09-01'])
  })

  test('of the connection’s previous service are not used any more', async () => {
    const { offer, requested, move } = world()
    await offer(0)
    move()
    await offer(1)
    expect(requested).toHaveLength(2)
  })

  test('of the next jobs are prefetched once, and the earlier ones stay usable', async () => {
    const { urls, offer, requested } = world()
    await offer(0)
    const coming = Array.from({ length: 16 }, (_, index) => ({ series, period: dayAt(20 + index) }))
    urls.prefetch(coming)
    urls.prefetch(coming)
    expect(requested).toHaveLength(1)
    await Promise.all([offer(33), offer(25), offer(49)])
    expect(requested).toEqual(['2026-08-01..2026-09-01', '2026-09-02..2026-09-19'])
  })

  test('whose prefetch failed are listed again by the job that needs them, which gets the error', async () => {
    const { urls, offer, requested, fail } = world()
    fail(new Error('no such key'))
    urls.prefetch([{ series, period: dayAt(0) }])
    await expect(offer(0)).rejects.toThrow('no such key')
    fail(null)
    expect(await offer(0)).toMatchObject({ kind: 'url' })
    expect(requested).toHaveLength(3)
  })

  test('that were refused are listed again, for their period alone', async () => {
    const { offer, requested } = world()
    await offer(3)
    expect(await offer(3, true)).toEqual({ kind: 'url', url: 'url 2026-08-04 2' })
    expect(requested[1]).toBe('2026-08-04..2026-08-04')
  })

  test('expire after four minutes', async () => {
    const { offer, requested, clock } = world()
    await offer(0)
    clock.advance(239_000)
    await offer(1)
    expect(requested).toHaveLength(1)
    clock.advance(2000)
    await offer(1)
    expect(requested).toHaveLength(2)
  })

  test('are used for most of the time for which the service says that they live', async () => {
    const { offer, requested, clock, linksLive } = world()
    linksLive(3_600_000)
    await offer(0)
    clock.advance(45 * 60_000)
    await offer(1)
    expect(requested).toHaveLength(1)
    clock.advance(5 * 60_000)
    linksLive(60_000)
    await offer(2)
    expect(requested).toHaveLength(2)
    clock.advance(50_000)
    await offer(3)
    expect(requested).toHaveLength(3)
  })

  test('whose listing was cancelled by its requester still come for the others that wait', async () => {
    const { urls, fail, requested } = world()
    fail(new DOMException('cancelled', 'AbortError'))
    const first = urls.find(series, dayAt(0), false, signal)
    const second = urls.find(series, dayAt(1), false, signal)
    await expect(first).rejects.toThrow('cancelled')
    fail(null)
    await second.catch(() => {})
    expect(requested.length).toBeGreaterThan(1)
  })
})

describe('a day that the service does not list', () => {
  const find = (listed: string[], queued: string[], missing: string[] = []) =>
    createSignedUrls({
      clock: fakeClock(),
      openService: () =>
        Promise.resolve({
          files: () =>
            Promise.resolve({
              files: listed.map((period) => ({ period, url: `url ${period}` })),
              missing,
              expiresInMs: null,
            }),
        } as unknown as MetricsService),
      serverOf: () => 'service.example',
      nextPeriods: () => queued,
      lastPeriod: () => queued.at(-1),
    }).find(series, '2026-08-05', false, signal)
  const days = ['2026-08-05', '2026-08-06']

  test.each([
    ['nothing is listed', []],
    ['only the other days are listed', ['2026-08-06']],
    ['another day is listed twice', ['2026-08-06', '2026-08-06']],
    ['the service says that it is missing, whatever else it lists', ['2026-08-04', '2026-08-06'], ['2026-08-05']],
    ['the service lists much more than it was asked for', ['2026-08-01', '2026-08-02', '2026-08-03', '2026-08-06']],
  ])('is absent if %s', async (_, listed, missing: string[] = []) =>
    expect(await find(listed, days, missing)).toEqual({ kind: 'absent' }),
  )

  test('is an error that says so if a day that was not asked for is listed instead', async () => {
    await expect(find(['2026-08-04', '2026-08-06'], days)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining('The service listed no file for 2026-08-05, but 2026-08-04,') as string,
    })
  })
})
