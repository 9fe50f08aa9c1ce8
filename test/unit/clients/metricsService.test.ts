import { describe, expect, test } from 'vitest'
import { RequestError } from '#core/clients/httpErrors.ts'
import { createMetricsService, type RawAddress, type ServiceForms } from '#core/clients/metricsService.ts'

const signal = new AbortController().signal
const query = {
  dataset: 'liquidations',
  exchange: 'gamma-perps',
  symbol: 'perpetual-BTC-USD:USDC',
  startDay: '2026-07-01',
  endDay: '2026-08-02',
}
const slice = { period: '2026-06', symbols: { 'alpha-futures': 'perpetual-BTC-USDT:USDT' } }
const statuses = { 400: 'rejected', 403: 'forbidden', 404: 'not-found', 405: 'rejected', 503: 'service' } as const

type Answers = (path: string, query: Record<string, string>) => unknown

/** Creates a service that answers as the test says; a number refuses with that status. */
function serviceWith(
  answer: Answers,
  { last = null, preview = null }: { last?: RawAddress | null } & Partial<ServiceForms> = {},
) {
  const asked: string[] = []
  let known = last
  const rawAddress = { read: () => known, write: (address: RawAddress) => void (known = address) }
  const service = createMetricsService(
    async (path, parameters) => {
      asked.push(`${path} ${parameters.start_date}..${parameters.end_date}`)
      const value = answer(path, parameters)
      if (typeof value === 'number')
        throw new RequestError(statuses[value as keyof typeof statuses], `GET ${path}`, {
          service: { message: `no ${path}`, status: value, requestId: null },
        })
      return { value, headers: { get: () => null }, origin: 'https://service.example' }
    },
    { rawAddress, preview },
  )
  return { service, asked, known: () => known }
}

const listing = (...periods: string[]) => ({ files: periods.map((period) => ({ period, url: `link ${period}` })) })

describe('a listing of raw events', () => {
  test('says periods, sizes, what is missing and how long its links live, in every form', async () => {
    const { service } = serviceWith(() => ({
      files: [
        { period: '2026-08-02T00:00:00Z', url: 'b', size: null },
        { period: '2026-07', url: 'a', size: 1200 },
        { year: 2026, month: 8, day: 1, url: 'c', size: '12' },
      ],
      missing_periods: ['2026-08-03', '2026-08-04T00:00:00.000Z', 7, 'soon'],
      expires_in: 3600,
      schema_version: 9,
    }))
    expect(await service.rawFiles(query, signal)).toEqual({
      files: [
        { period: '2026-07', url: 'a', sizeBytes: 1200, listedBy: 'https://service.example' },
        { period: '2026-08-01', url: 'c', listedBy: 'https://service.example' },
        { period: '2026-08-02', url: 'b', listedBy: 'https://service.example' },
      ],
      missing: ['2026-08-03', '2026-08-04'],
      expiresInMs: 3_600_000,
    })
  })

  test('without missing periods, sizes and expiry is accepted', async () => {
    const { service } = serviceWith(() => listing('2026-08-01'))
    expect(await service.rawFiles(query, signal)).toMatchObject({ missing: [], expiresInMs: null })
  })

  test('in which a month has all of its days too leaves out the month', async () => {
    const days = Array.from({ length: 31 }, (_, index) => `2026-07-${String(index + 1).padStart(2, '0')}`)
    const { service } = serviceWith(() => listing('2026-07', ...days))
    expect((await service.rawFiles(query, signal)).files.map(({ period }) => period)).toEqual(days)
  })

  test('with a file of no period is refused with its place', async () => {
    const { service } = serviceWith(() => ({ files: [{ period: '2026-W23', url: 'x' }] }))
    await expect(service.rawFiles(query, signal)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: 'files.0.period: is neither a month nor a day',
    })
  })

  test('of a long range is requested in parts of at most 366 days, each day once', async () => {
    const { service, asked } = serviceWith((_, { start_date: start }) => ({
      ...listing(start),
      missing_periods: ['2024-02'],
      expires_in: start === '2024-01-01' ? 3600 : 900,
    }))
    const all = await service.rawFiles({ ...query, startDay: '2024-01-01', endDay: '2026-01-02' }, signal)
    expect(asked.map((each) => each.split(' ')[1])).toEqual([
      '2024-01-01..2024-12-31',
      '2025-01-01..2026-01-01',
      '2026-01-02..2026-01-02',
    ])
    expect(all.files).toHaveLength(3)
    expect(all).toMatchObject({ missing: ['2024-02'], expiresInMs: 900_000 })
  })
})

describe('the address of raw events', () => {
  const only =
    (found: string, status = 404): Answers =>
    (path) =>
      path === found ? listing('2026-08-01') : status

  test('is the one by range, else the older one, and what worked is asked first from then on', async () => {
    const { service, asked, known } = serviceWith(only('/raw/files'))
    await service.rawFiles(query, signal)
    await service.rawFiles(query, signal)
    expect(asked.map((each) => each.split(' ')[0])).toEqual(['/data/raw/liquidations', '/raw/files', '/raw/files'])
    expect(known()).toBe('files')
  })

  test('is looked for again when the service has changed', async () => {
    const { service, known } = serviceWith(only('/data/raw/liquidations', 405), { last: 'files' })
    expect((await service.rawFiles(query, signal)).files).toHaveLength(1)
    expect(known()).toBe('data')
  })

  test('is not looked for because of any other refusal', async () => {
    for (const status of [400, 403, 503]) {
      const { service, asked } = serviceWith(() => status)
      await expect(service.rawFiles(query, signal)).rejects.toMatchObject({ code: statuses[status as 400] })
      expect(asked).toHaveLength(1)
    }
  })

  test('is unknown where neither is there: the first refusal is thrown, each was asked once', async () => {
    const { service, asked, known } = serviceWith(() => 404)
    await expect(service.rawFiles(query, signal)).rejects.toMatchObject({
      service: { message: 'no /data/raw/liquidations' },
    })
    expect([asked.length, known()]).toEqual([2, null])
  })

  test('that refuses after the first was not found says its own reason', async () => {
    const { service } = serviceWith((path) => (path === '/raw/files' ? 403 : 404))
    await expect(service.rawFiles(query, signal)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('a preview', () => {
  const inside = { exchange: 'alpha-futures', symbol: 'perpetual-BTC-USDT:USDT' }
  const metrics = { dataset: 'flow', interval: '1h', timestamp: 'exchange' }
  const days = { startDay: '2026-06-03', endDay: '2026-06-04' }

  test('is requested at its own addresses, for exactly the slice, and what was not asked for is left out', async () => {
    const { service, asked } = serviceWith(() => listing('2026-06-02', '2026-06-03', '2026-06-04'), {
      preview: { slice },
    })
    const raw = await service.rawFiles({ dataset: 'trades', ...inside, ...days }, signal)
    await service.files({ ...metrics, ...inside, ...days }, signal)
    expect(asked).toEqual([
      '/data/raw/preview/trades 2026-06-01..2026-06-30',
      '/data/preview/flow 2026-06-01..2026-06-30',
    ])
    expect(raw.files.map(({ period }) => period)).toEqual(['2026-06-03', '2026-06-04'])
  })

  test('refuses anything else before a request, and says what the slice is', async () => {
    const { service, asked } = serviceWith(() => listing(), { preview: { slice } })
    const refused = (changes: object) =>
      service.files({ ...metrics, ...inside, ...days, ...changes }, signal).catch((thrown: Error) => thrown.message)
    const words = 'it offers 2026-06 of perpetual-BTC-USDT:USDT on alpha-futures, and not'
    expect(await refused({ symbol: 'perpetual-ETH-USDT:USDT' })).toContain(
      `${words} perpetual-ETH-USDT:USDT on alpha-futures.`,
    )
    expect(await refused({ exchange: 'beta-perps' })).toContain(`${words} perpetual-BTC-USDT:USDT on beta-perps.`)
    expect(await refused({ endDay: '2026-07-01' })).toContain(`${words} 2026-06-03 to 2026-07-01.`)
    expect(asked).toEqual([])
  })

  test('of no known slice is for the service to decide, and its words are kept', async () => {
    const { service, asked } = serviceWith(() => 400, { preview: { slice: null } })
    await expect(service.rawFiles({ dataset: 'trades', ...inside, ...days }, signal)).rejects.toMatchObject({
      code: 'rejected',
      service: { message: 'no /data/raw/preview/trades' },
    })
    expect(asked).toEqual(['/data/raw/preview/trades 2026-06-03..2026-06-04'])
  })
})
