import { describe, expect, test } from 'vitest'
import type { HistoryRequest, LiveRequest } from '#shared/catalog/portfolioRequest.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { createPortfolioService } from '#core/clients/portfolioService.ts'
import { packedJson } from '../../fakes/packedJson.ts'

const { signal } = new AbortController()

/** Creates the client of a service that answers every request with `body`. */
function serviceAnswering(body: unknown) {
  const queries: Record<string, string>[] = []
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  const service = createPortfolioService(async (_path, query) => {
    queries.push(query)
    return { value: packedJson(bytes, 'service'), headers: new Headers() }
  })
  return { service, queries }
}

const weights: HistoryRequest = { endpoint: 'history', portfolio: 'p.20' }
const returns: HistoryRequest = { endpoint: 'returns', portfolio: 'p.20' }
const onePrice: HistoryRequest = { endpoint: 'prices', ticker: ['BTC'] }
const twoPrices: HistoryRequest = { endpoint: 'prices', ticker: ['BTC', 'ETH'] }
const anyDays = { start: null, end: null }

async function history(request: HistoryRequest, body: unknown) {
  const { value, problems } = await serviceAnswering(body).service.history(request, anyDays, signal)
  return { ...value, days: [...value.days].map(dayFromNumber), values: [...value.values], problems }
}

const index = ['2026-09-01', '2026-09-02']

describe('a history', () => {
  test('is rows by day, nulls and NaN are missing, fields nobody knows are no matter', async () => {
    const text =
      '{"data":[[0.5,NaN],[null,-Infinity]],"index":["2026-09-01","2026-09-02T00:00:00"],"columns":["A","0G"],"new":{}}'
    expect(await history(weights, text)).toEqual({
      days: index,
      columns: ['A', '0G'],
      values: [0.5, NaN, NaN, NaN],
      problems: [],
    })
  })

  test('the columns tell one ticker from several', async () => {
    expect(await history(onePrice, { data: [1, 2], index })).toMatchObject({ columns: ['BTC'], values: [1, 2] })
    expect(await history(onePrice, { data: [[1], [2]], index, columns: ['BTC'] })).toMatchObject({ values: [1, 2] })
    expect(
      await history(twoPrices, {
        data: [
          [1, 2],
          [3, null],
        ],
        index,
        columns: ['ETH', 'BTC'],
      }),
    ).toMatchObject({
      columns: ['ETH', 'BTC'],
    })
    expect(await history(returns, { data: [1, 2], index, columns: ['p.20'] })).toMatchObject({ columns: ['p.20'] })
    expect(await history(returns, { data: [1, 2], index })).toMatchObject({ columns: ['returns'] })
  })

  test('may be empty, all missing, or one day long', async () => {
    expect(await history(weights, { data: [], index: [], columns: [] })).toMatchObject({ days: [], problems: [] })
    expect(await history(weights, { data: [[]], index: ['2026-09-01'], columns: [] })).toMatchObject({ values: [] })
    expect(await history(returns, { data: [null, null], index })).toMatchObject({ values: [NaN, NaN] })
    expect(await history(returns, { data: [1], index: ['2026-09-01'] })).toMatchObject({ values: [1] })
  })

  test('days twice and days out of order are put right, and said', async () => {
    const twice = await history(returns, {
      data: [1, 2, 3, 4],
      index: ['2026-09-02', '2026-09-01', '2026-09-02', '2026-09-03'],
    })
    expect(twice).toMatchObject({ days: [...['2026-09-01', '2026-09-02'], '2026-09-03'], values: [2, 3, 4] })
    expect(twice.problems).toEqual([
      'one row repeats an earlier date; the last row of each date was used',
      'the dates were out of order and have been sorted',
    ])
    const next = await history(weights, {
      data: [
        [1, 2],
        [3, 4],
      ],
      index: ['2026-09-01', '2026-09-01'],
      columns: ['A', 'B'],
    })
    expect(next).toMatchObject({ days: ['2026-09-01'], values: [3, 4], problems: [expect.stringContaining('one row')] })
  })

  test('a value too large to be meant is missing, and said', async () => {
    expect(await history(returns, { data: [0.01, 1e300], index })).toMatchObject({
      values: [0.01, NaN],
      problems: ['one value is implausibly large and treated as missing'],
    })
  })

  test('tickers that are not in the answer are named', async () => {
    const { problems } = await history(twoPrices, { data: [[1], [2]], index, columns: ['ETH'] })
    expect(problems).toEqual(['missing from the service’s response: BTC'])
  })

  test.each<[string, HistoryRequest, unknown, string]>([
    [
      'a ragged row',
      weights,
      { data: [[1, 2], [3]], index, columns: ['A', 'B'] },
      'data.1 (2026-09-02): 1 value for 2 columns',
    ],
    ['two columns of returns', returns, { data: [[1, 2]], index, columns: ['a', 'b'] }, '2 names instead of one'],
    ['more dates than rows', weights, { data: [[1]], index, columns: ['A'] }, '1 row for 2 dates'],
    ['more rows than dates', returns, { data: [1, 2, 3], index }, '3 rows for 2 dates'],
    [
      'dates that are none',
      returns,
      { data: [1, 2], index: ['2026-09-01', 'banana'] },
      'index.1: “banana” is not a date',
    ],
    ['a day that does not exist', returns, { data: [1], index: ['2026-02-30'] }, 'is not a date'],
    ['a time within a day', returns, { data: [1], index: ['2026-09-01T12:00:00'] }, 'is not a date'],
    ['numbers as dates', returns, { data: [1], index: [20260901] }, 'index'],
    ['text among the values', returns, { data: [1, '2'], index }, 'data'],
    [
      'text in a row',
      weights,
      { data: [[1], ['x']], index, columns: ['A'] },
      'data.1 (2026-09-02): not a list of numbers',
    ],
    ['objects as rows', weights, { data: [{ A: 1 }, { A: 2 }], index, columns: ['A'] }, 'data.0'],
    [
      'flat values for several columns',
      weights,
      { data: [1, 2], index, columns: ['A', 'B'] },
      'single numbers for 2 columns',
    ],
    [
      'a name twice',
      weights,
      {
        data: [
          [1, 2],
          [3, 4],
        ],
        index,
        columns: ['A', 'A'],
      },
      'a name appears twice',
    ],
    ['no columns', weights, { data: [[1], [2]], index }, 'columns: missing'],
    ['no columns for several tickers', twoPrices, { data: [1, 2], index }, 'columns: missing'],
    ['no data', returns, { index }, 'data'],
    ['something else', returns, ['x'], 'the response'],
    ['a web page', returns, '<html>Welcome</html>', 'not JSON'],
  ])('with %s is refused, and says where', async (_, request, body, message) => {
    await expect(history(request, body)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining(message),
    })
  })
})

describe('a live answer', () => {
  const live: LiveRequest = { endpoint: 'weights', portfolio: 'p.20' }
  const point: LiveRequest = { endpoint: 'regime-live', overlay: 'o' }
  const good = { data: [0.5, null], columns: ['A', 'B'], index: '2026-09-15', createdAt: '2026-09-15T12:05:00Z' }
  const ask = (request: LiveRequest, body: unknown) => serviceAnswering(body).service.snapshot(request, signal)

  test('is one value a column, or one value that may be none', async () => {
    expect((await ask(live, good)).value).toMatchObject({
      columns: ['A', 'B'],
      values: Float64Array.of(0.5, NaN),
      createdAtMs: Date.parse('2026-09-15T12:05:00Z'),
    })
    expect((await ask(point, { ...good, data: null })).value).toMatchObject({ values: Float64Array.of(NaN) })
    expect((await ask(point, { ...good, data: 0 })).value).toMatchObject({ values: Float64Array.of(0) })
    expect((await ask(live, { ...good, data: [], columns: [] })).value.columns).toEqual([])
  })

  test.each([
    ['2026-09-15T12:05:00', '2026-09-15T12:05:00.000Z'],
    ['2026-09-15 12:05:00.123456', '2026-09-15T12:05:00.123Z'],
    ['2026-09-15T14:05:00+02:00', '2026-09-15T12:05:00.000Z'],
    ['2026-09-15T14:05:00.5+0200', '2026-09-15T12:05:00.500Z'],
  ])('made at %s, as services write it', async (createdAt, instant) => {
    const { createdAtMs } = (await ask(live, { ...good, createdAt })).value
    expect(createdAtMs).toBe(Date.parse(instant))
  })

  test('may not say when it was made', async () => {
    for (const createdAt of [undefined, null, ''])
      expect((await ask(live, { ...good, createdAt })).value.createdAtMs).toBe(null)
  })

  test.each<[string, LiveRequest, unknown, string]>([
    ['fewer values than columns', live, { ...good, data: [1] }, '1 value for 2 columns'],
    ['a name twice', live, { ...good, columns: ['A', 'A'] }, 'a name appears twice'],
    ['a time that is none', live, { ...good, createdAt: 'yesterday' }, 'createdAt: “yesterday” is not a time'],
    ['no day', live, { ...good, index: 'today' }, 'index: “today” is not a date'],
    ['a list for a value', point, good, 'neither a number nor null'],
    ['text for a value', point, { ...good, data: '1' }, 'neither a number nor null'],
  ])('with %s is refused, and says where', async (_, request, body, message) => {
    await expect(ask(request, body)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining(message),
    })
  })
})

test('what is asked is always said in full and in one form', async () => {
  const { service, queries } = serviceAnswering({ data: [[1, 2]], index: ['2026-09-01'], columns: ['A', 'B'] })
  await service.history({ endpoint: 'prices', ticker: [' B', 'A ', 'B'] }, { start: '2026-09-01', end: null }, signal)
  await service.history({ endpoint: 'history', portfolio: ' p.20 ', smoothing: '0' }, anyDays, signal)
  expect(queries).toEqual([
    { ticker: 'A,B', start_date: '2026-09-01' },
    { portfolio: 'p.20', smoothing: '0', exchange: 'unconstrained' },
  ])
  const live = serviceAnswering({ data: 1, index: '2026-09-01', createdAt: '2026-09-01T00:00:00Z' })
  await live.service.snapshot({ endpoint: 'overlay-live', portfolio: 'p', overlay: 'o' }, signal)
  await live.service.snapshot({ endpoint: 'regime-live', overlay: 'o' }, signal)
  expect(live.queries).toEqual([{ portfolio: 'p', overlay: 'o', as_of: 'close' }, { overlay: 'o' }])
})

test('tickers are each named once', async () => {
  const request = { endpoint: 'tickers', id: 'momentum', universeSize: 'full' } as const
  expect(await serviceAnswering({ tickers: ['BTC', '0G', 'BTC', 'BTC'] }).service.tickers(request, signal)).toEqual({
    value: ['BTC', '0G'],
    problems: ['the service’s response repeats 1 ticker'],
  })
  await expect(serviceAnswering({ tickers: [1] }).service.tickers(request, signal)).rejects.toMatchObject({
    code: 'bad-answer',
  })
})
