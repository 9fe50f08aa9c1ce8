import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricDatasets, type EventSource, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import type { EventColumns, EventsOf } from '#shared/metrics/events.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import { rawEvents } from '../../fakes/rawEvents.ts'
import { readParquet, timesMs, type ParquetTable } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const day = '2026-09-03'
const subjects = [
  { exchange: 'venuea-futures', symbol: 'perpetual-AVAX-USDT:USDT' },
  { exchange: 'venueb-perps', symbol: 'perpetual-SOL-USDT:USDT' },
  { exchange: 'venuec-perps', symbol: 'perpetual-DOGE-USD:USDC' },
]

async function rawTables(dataset: string, subject: (typeof subjects)[0]): Promise<ParquetTable[]> {
  const { files } = await sandbox.rawFiles({ dataset, ...subject, start: '2026-09-02', end: day })
  expect(files).toHaveLength(2)
  return Promise.all(files.map(async ({ url }) => readParquet((await get(url)).bytes)))
}

function compute(id: MetricDatasetId, events: Map<EventSource, EventColumns>): MetricRows {
  const startUs = Date.parse(day) * 1000
  const computer = createMetricComputer({ datasets: [id], intervalSeconds: 300, startUs, endUs: startUs + 86_400e6 })
  const fed = new Set<EventSource>()
  for (let source = computer.wants(); source; source = computer.wants()) {
    if (fed.has(source)) computer.end(source)
    else computer.push(source, events.get(source) as unknown as EventsOf[typeof source])
    fed.add(source)
  }
  return computer.take()[0]
}

/**
 * Compares a served file with generated rows; the file may keep ratios as 32-bit floats, everything else must be equal.
 */
function expectSame(served: ParquetTable, rows: MetricRows, id: MetricDatasetId): void {
  expect(timesMs(served)).toEqual([...rows.timeMs])
  metricDatasets
    .find((dataset) => dataset.id === id)
    ?.columns.forEach(({ name }, index) => {
      const isFloat = served.metadata.schema.find((element) => element.name === name)?.type === 'FLOAT'
      const expected = rows.columns[index]
      const actual = served.numbers(name)
      const differing = actual.filter(
        (value, at) => !Object.is(value, isFloat ? Math.fround(expected[at]) : expected[at]),
      )
      expect([id, name, differing.length]).toEqual([id, name, 0])
    })
}

describe.each(subjects)('$exchange $symbol', (subject) => {
  test.each(['exchange', 'true'])('files by %s time are what the engine makes of the raw files', async (timestamp) => {
    const raw = metricDatasets.filter(({ drivingSource }) => drivingSource !== 'book')
    const sources = [...new Set(raw.flatMap(({ drivingSource, asOf }) => [drivingSource, ...asOf]))]
    const events = new Map<EventSource, EventColumns>()
    for (const source of sources) events.set(source, rawEvents(source, await rawTables(source, subject), timestamp))
    for (const { id } of raw) {
      const asked = { bucket: id, interval: '5m', timestamp, ...subject, start: day }
      expectSame(await readParquet(await sandbox.file(asked)), compute(id, events), id)
    }
  })

  test('the trade datasets agree with each other', async () => {
    const read = async (bucket: string) => readParquet(await sandbox.file({ bucket, ...subject, start: day }))
    const [flow, sizes, candles, vtwap, range] = await Promise.all(
      ['flow', 'trade_size', 'ohlcv', 'vtwap', 'range'].map(read),
    )
    const knownSideCounts = flow
      .numbers('taker_buy_count')
      .map((buys, at) => buys + flow.numbers('taker_sell_count')[at])
    for (let at = 0; at < candles.rows; at++) {
      const volume = candles.numbers('volume')[at]
      expect(sizes.numbers('volume')[at]).toBe(volume)
      // Trades of an unknown side count for neither side.
      expect(knownSideCounts[at]).toBeLessThanOrEqual(sizes.numbers('n_trades')[at])
      expect(knownSideCounts[at]).toBeGreaterThan(sizes.numbers('n_trades')[at] * 0.9)
      expect(vtwap.numbers('vwap')[at] * volume).toBeCloseTo(candles.numbers('volume_notional')[at], 0)
      const [high, low] = [candles.numbers('high')[at], candles.numbers('low')[at]]
      expect(vtwap.numbers('vwap')[at]).toBeGreaterThanOrEqual(low * (1 - 1e-9))
      expect(vtwap.numbers('vwap')[at]).toBeLessThanOrEqual(high * (1 + 1e-9))
      expect(range.numbers('range')[at]).toBeCloseTo(high - low, 9)
    }
  })

  test('a month contains the hours of its days', async () => {
    const asked = { bucket: 'ohlcv', ...subject, start: '2026-07-01' }
    const month = await readParquet(await sandbox.file(asked))
    expect(month.rows).toBeGreaterThan(700)
    expect(month.rows).toBeLessThanOrEqual(744)
    const days = await readParquet(await sandbox.file({ ...asked, interval: '1d' }))
    const volume = (table: ParquetTable) => table.numbers('volume').reduce((sum, value) => sum + value, 0)
    expect(volume(days) / volume(month)).toBeCloseTo(1, 9)
  })
})

test('a day at work reaches up to the last whole minute of the clock', async () => {
  const asked = { bucket: 'ohlcv', interval: '1m', start: '2026-09-15' }
  const morning = await readParquet(await sandbox.file(asked))
  expect(timesMs(morning).at(-1)).toBe(Date.parse('2026-09-15T12:33:00Z'))
  sandbox.setNow(Date.parse('2026-09-15T18:00:30Z'))
  const evening = await readParquet(await sandbox.file(asked))
  sandbox.setNow(Date.parse('2026-09-16T08:00:00Z'))
  const whole = await readParquet(await sandbox.file(asked))
  sandbox.setNow(Date.parse('2026-09-15T12:34:56Z'))
  expect(timesMs(evening).at(-1)).toBe(Date.parse('2026-09-15T17:59:00Z'))
  expect(timesMs(whole).at(-1)).toBe(Date.parse('2026-09-15T23:59:00Z'))
  expect(whole.numbers('close').slice(0, morning.rows)).toEqual(morning.numbers('close'))
})

test('content depends on nothing but seed, symbol and day: not on order, process or threads', async () => {
  const asked = [
    { bucket: 'flow', interval: '1m', ...subjects[0], start: '2026-09-01' },
    { bucket: 'l2_imbalance', interval: '15s', ...subjects[1], start: '2026-09-01' },
    { bucket: 'basis', interval: '1h', timestamp: 'true', ...subjects[2], start: '2026-09-01' },
  ]
  const first: Uint8Array[] = []
  for (const one of asked) first.push(await sandbox.file(one))
  const other = await startTestSandbox()
  const stranger = await startTestSandbox({ seed: 2 })
  try {
    const again = await Promise.all([...asked].reverse().map((one) => other.file(one)))
    again.reverse().forEach((bytes, index) => expect(Buffer.compare(bytes, first[index])).toBe(0))
    expect(Buffer.compare(await stranger.file(asked[0]), first[0])).not.toBe(0)
  } finally {
    await Promise.all([other.close(), stranger.close()])
  }
})
