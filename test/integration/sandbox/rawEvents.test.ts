import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readParquet } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

interface Span {
  first: string
  last: string
  days: number
  missing?: string[]
  bytes?: number
}

interface Catalog {
  schema_version: number
  daily_files_from: string
  preview: { period: string; symbols: Record<string, string> }
  datasets: { id: string; exchanges: string[]; columns: { name: string; type: string; nullable: boolean }[] }[]
  summary: { dataset: string; exchange: string; symbols: number; first: string; last: string }[]
  coverage: {
    generated_at: string
    datasets: Record<string, Record<string, Record<string, Span>>>
  }
}

let sandbox: TestSandbox
let catalog: Catalog
beforeAll(async () => {
  sandbox = await startTestSandbox()
  catalog = (await get(sandbox.catalogUrl)).json<Catalog>()
})
afterAll(() => sandbox.close())

const venues = ['venuea-futures', 'venueb-perps', 'venuec-perps']
const datasets = ['trades', 'quotes', 'mark_price', 'index_price', 'funding_rate', 'open_interest']

describe('the catalog', () => {
  test('has the documented shape', () => {
    expect(Object.keys(catalog)).toEqual([
      'schema_version',
      'daily_files_from',
      'preview',
      'datasets',
      'summary',
      'coverage',
    ])
    expect([catalog.schema_version, catalog.daily_files_from]).toEqual([1, '2026-08-01'])
    expect(catalog.coverage.generated_at).toBe('2026-09-15T00:10:00.000Z')
    expect(catalog.datasets.map(({ id }) => id)).toEqual(datasets)
    for (const { exchanges, columns } of catalog.datasets) {
      expect(exchanges).toEqual(venues)
      for (const column of columns) {
        expect(Object.keys(column)).toEqual(['name', 'type', 'nullable', 'description'])
        expect(['timestamp', 'string', 'float64']).toContain(column.type)
      }
    }
  })

  test('sums up its own coverage', () => {
    expect(catalog.summary).toHaveLength(datasets.length * venues.length)
    for (const { dataset, exchange, symbols, first, last } of catalog.summary) {
      const spans = Object.values(catalog.coverage.datasets[dataset][exchange])
      expect(spans).toHaveLength(symbols)
      expect(spans.map((span) => span.first).sort()[0]).toBe(first)
      expect(
        spans
          .map((span) => span.last)
          .sort()
          .at(-1),
      ).toBe(last)
    }
  })

  test('previews symbols that have data in that month', async () => {
    for (const [exchange, symbol] of Object.entries(catalog.preview.symbols)) {
      const span = catalog.coverage.datasets.trades[exchange][symbol]
      expect(span.first <= `${catalog.preview.period}-01` && span.last >= `${catalog.preview.period}-01`).toBe(true)
    }
  })

  test('counts the days that the listing has, holes left out', async () => {
    const symbols = Object.entries(catalog.coverage.datasets.trades['venuea-futures'])
    const daily = symbols.filter(([, { first }]) => first >= '2026-08-01')
    const holed = symbols.filter(
      ([, { first, last, days }]) => days < (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1,
    )
    expect(daily.length).toBeGreaterThan(0)
    expect(holed.length).toBeGreaterThan(0)
    for (const [symbol, { first, last, days }] of daily) {
      const range = { start: '2026-08-01', end: '2026-09-20' }
      const listing = await sandbox.rawFiles({ dataset: 'quotes', symbol, ...range })
      const periods = listing.files.map(({ period }) => period)
      expect([periods[0], periods.at(-1), periods.length]).toEqual([first, last, days])
      expect(listing.missing_periods).toHaveLength(51 - days)
    }
  })

  test('names the missing days and the bytes of all files', async () => {
    const spans = Object.entries(catalog.coverage.datasets.funding_rate['venuea-futures'])
    const spanDays = ({ first, last }: Span) => (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1
    for (const [, span] of spans) expect(span.missing ?? []).toHaveLength(spanDays(span) - span.days)
    const isShort = (span: Span) => spanDays(span) < 366
    const [symbol, span] = spans.find(([, one]) => one.missing && isShort(one))!
    const files = await sandbox.rawDataFiles({ dataset: 'funding_rate', symbol, start: span.first, end: span.last })
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBe(span.bytes)
    const hole = await sandbox.rawFiles({ dataset: 'trades', symbol, start: span.missing![0] })
    if (span.missing![0] >= '2026-08-01') expect(hole.missing_periods).toEqual([span.missing![0]])
  })

  test('is served without a key beside the metrics, and nowhere else', async () => {
    expect((await get(`${sandbox.url}/api/v1/metadata/raw`)).json()).toEqual(catalog)
    expect((await get(`${sandbox.url}/api/v1/metadata/symbols`)).status).toBe(401)
  })
})

describe('the listing of a dataset', () => {
  const range = { start: '2026-06-20', end: '2026-09-20' }

  test('names the size of each file, and the periods without one', async () => {
    const answer = await sandbox.rawData({ dataset: 'funding_rate', ...range })
    const listing = answer.json<{ files: { period: string; url: string; size: number }[]; missing_periods: string[] }>()
    expect(listing).toMatchObject({ expires_in: 3600, schema_version: 1 })
    expect(listing.files.map(({ period }) => period).slice(0, 3)).toEqual(['2026-06', '2026-07', '2026-08-01'])
    expect(listing.missing_periods).toEqual(['15', '16', '17', '18', '19', '20'].map((day) => `2026-09-${day}`))
    for (const { url, size } of listing.files.slice(1, 4)) expect((await get(url)).bytes).toHaveLength(size)
  })

  test('has the same files as the older listing, for an hour', async () => {
    const request = { dataset: 'quotes', exchange: 'venueb-perps', start: '2026-09-10' }
    const [file] = await sandbox.rawDataFiles(request)
    const [older] = (await sandbox.rawFiles(request)).files
    sandbox.setNow(sandbox.now() + 59 * 60_000)
    const bytes = await get(file.url)
    expect((await get(older.url)).status).toBe(403)
    sandbox.setNow(sandbox.now() + 2 * 60_000)
    expect((await get(file.url)).status).toBe(403)
    sandbox.setNow(sandbox.now() - 61 * 60_000)
    expect(bytes.bytes).toEqual((await get(older.url)).bytes)
  })

  test('takes at most 366 days', async () => {
    const year = { dataset: 'trades', start: '2024-01-01', end: '2024-12-31' }
    expect((await sandbox.rawData(year)).status).toBe(200)
    const tooLong = await sandbox.rawData({ ...year, end: '2025-01-01' })
    expect([tooLong.status, tooLong.json()]).toMatchObject([
      400,
      { code: 'range_too_long', details: { max_days: 366 } },
    ])
  })

  test('is refused to a plan without raw events, with the page of the plans', async () => {
    const refused = await sandbox.rawData({ dataset: 'trades', ...range, tier: '0' })
    expect(refused.status).toBe(403)
    expect(refused.json()).toMatchObject({ code: 'raw_not_in_plan', upgrade_url: expect.stringMatching(/^https:/) })
    expect((await sandbox.rawData({ dataset: 'books', ...range })).status).toBe(404)
  })
})

describe('a sandbox of another age', () => {
  test.each([
    ['old', [404, 404, 200]],
    ['new', [200, 200, 404]],
  ] as const)('%s has only the paths of its age', async (rawEvents, statuses) => {
    const other = await startTestSandbox({ faults: { rawEvents } })
    const query = new URLSearchParams({ exchange: venues[0], symbol: 'perpetual-BTC-USDT:USDT' })
    const range = 'start_date=2026-09-01&end_date=2026-09-01'
    const paths = ['/metadata/raw', `/data/raw/trades?${query}&${range}`, `/raw/files?dataset=trades&${query}&${range}`]
    const answers = await Promise.all(paths.map((path) => other.api(path)))
    expect(answers.map(({ status }) => status)).toEqual(statuses)
    const { coverage } = (await get(other.catalogUrl)).json<Catalog>()
    const hasBytes = Object.values(coverage.datasets.trades[venues[0]]).some((span) => span.bytes)
    expect(hasBytes).toBe(rawEvents === 'new')
    await other.close()
  })
})

/** Reads a raw file with the columns that the file itself declares. */
async function rawFile(dataset: string, exchange: string, symbol: string, start = '2026-09-10') {
  const { files } = await sandbox.rawFiles({ dataset, exchange, symbol, start })
  return readParquet((await get(files[0].url)).bytes)
}

describe.each(venues)('files of %s', (exchange) => {
  const symbol = exchange === 'venuec-perps' ? 'perpetual-DOGE-USD:USDC' : 'perpetual-DOGE-USDT:USDT'

  test.each(datasets)('%s have the documented columns, types and nullability', async (dataset) => {
    const { metadata, columns, rows } = await rawFile(dataset, exchange, symbol)
    const declared = catalog.datasets.find(({ id }) => id === dataset)?.columns ?? []
    const hasKind = exchange === 'venuec-perps' && dataset !== 'trades' && dataset !== 'quotes'
    const expected = declared.flatMap(({ name, type, nullable }) => {
      const kind = { name: 'exchange_timestamp_kind', type: 'string', nullable: false }
      return name === 'exchange_timestamp' && hasKind ? [{ name, type, nullable }, kind] : [{ name, type, nullable }]
    })
    const actual = metadata.schema.slice(1).map((element) => ({
      name: element.name,
      type: { INT64: 'timestamp', BYTE_ARRAY: 'string', DOUBLE: 'float64' }[String(element.type)],
      nullable: element.repetition_type === 'OPTIONAL',
    }))
    expect(actual).toEqual(expected)
    for (const { type, logical_type } of metadata.schema.slice(1)) {
      if (type === 'INT64') expect(logical_type).toEqual({ type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' })
    }
    expect(rows).toBeGreaterThan(100)
    expect(new Set(columns.local_timestamp_kind)).toEqual(new Set(['measured']))
    if (hasKind) expect(new Set(columns.exchange_timestamp_kind)).toEqual(new Set(['modelled']))
  })

  test('contain one day by exchange time, and nothing arrives before it happened', async () => {
    const { numbers, rows } = await rawFile('trades', exchange, symbol)
    const exchangeTimes = numbers('exchange_timestamp')
    const localTimes = numbers('local_timestamp')
    for (let i = 0; i < rows; i++) {
      expect(Math.floor(exchangeTimes[i] / 86_400e6) * 86_400).toBe(Date.parse('2026-09-10') / 1000)
      expect(localTimes[i]).toBeGreaterThan(exchangeTimes[i])
      if (i > 0) expect(exchangeTimes[i]).toBeGreaterThanOrEqual(exchangeTimes[i - 1])
    }
  })
})

test('one row per change, except that settled funding rates are repeated', async () => {
  for (const [dataset, names] of [
    ['quotes', ['bid_price', 'bid_amount', 'ask_price', 'ask_amount']],
    ['mark_price', ['mark_price']],
    ['open_interest', ['open_interest']],
    ['funding_rate', ['funding_rate', 'next_funding_timestamp']],
  ] as const) {
    const symbol = `perpetual-${dataset === 'funding_rate' ? 'ADA' : 'DOGE'}-USDT:USDT`
    const { numbers, rows } = await rawFile(dataset, 'venuea-futures', symbol)
    const columns = names.map(numbers)
    const repeats = Array.from({ length: rows - 1 }, (_, i) => columns.every((values) => values[i + 1] === values[i]))
    expect([dataset, repeats.filter(Boolean).length]).toEqual([dataset, 0])
  }
  const settled = await rawFile('funding_rate', 'venuea-futures', 'perpetual-DOGE-USDT:USDT')
  expect(settled.rows).toBeGreaterThan(1000)
  expect(new Set(settled.columns.funding_rate).size).toBe(3)
})

test('arrivals were modelled before anybody measured them', async () => {
  const { columns } = await rawFile('funding_rate', 'venuea-futures', 'perpetual-BTC-USDT:USDT', '2021-03-05')
  expect(new Set(columns.local_timestamp_kind)).toEqual(new Set(['modelled']))
})

test('some trades have no known side, and the next settlement is not always named', async () => {
  const trades = await rawFile('trades', 'venueb-perps', 'perpetual-SOL-USDT:USDT')
  expect(new Set(trades.columns.side)).toEqual(new Set(['buy', 'sell', 'unknown']))
  const funding = await rawFile('funding_rate', 'venueb-perps', 'perpetual-SOL-USDT:USDT')
  const missing = funding.columns.next_funding_timestamp.filter((value) => value === null).length
  expect(missing).toBeGreaterThan(0)
  expect(missing).toBeLessThan(funding.rows / 10)
})
