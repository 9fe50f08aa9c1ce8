import { afterAll, beforeAll, expect, it } from 'vitest'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { metricDataset, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { type BookEvents, bookLevels, type EventsOf, type QuoteEvents, sideCodes } from '#shared/metrics/events.ts'
import { createMetricComputer } from '#shared/metrics/metricComputer.ts'
import { differences, type Table } from '../conformance/compareMetrics.ts'
import { intervalUs, secondOpinions } from './secondOpinion.ts'

const startUs = Date.UTC(2026, 8, 1) * 1000
const endUs = startUs + 2 * 86_400_000_000

let db: DuckDBConnection
let events: Pick<EventsOf, 'trades' | 'quotes' | 'book'>

/**
 * SQL that creates two days of events: trades of all sizes, some of unknown side, quotes of which some lack a price on
 * one side, and an order book; there are stretches without trades.
 */
const tables = [
  'SELECT setseed(0.25)',
  `CREATE TABLE trades AS SELECT ${startUs} + (i * 5000000 + floor(random() * 4000000))::BIGINT + (i // 4000) * 1300000000 AS t, i,
     ['buy', 'sell', 'unknown'][1 + floor(random() * 2.2)::INT] AS side, 60000 + 300 * sin(i / 900) + round(random() * 40) / 2 AS p,
     round(0.0001 + pow(random(), 8), 5) AS q FROM range(30000) r(i) ORDER BY t, i`,
  `CREATE TABLE quotes AS SELECT ${startUs} + (i * 8000000 + floor(random() * 7000000))::BIGINT AS t,
     CASE WHEN random() < 0.02 THEN 0 ELSE 59990 + 300 * sin(i / 560) END AS bid, round(random() * 20, 3) AS bid_amount,
     CASE WHEN random() < 0.02 THEN 0 ELSE 60012 + 300 * sin(i / 560) END AS ask, round(random() * 20, 3) AS ask_amount
     FROM range(20000) r(i) ORDER BY t`,
  `CREATE TABLE book AS SELECT ${startUs} + i * 20000000 AS t, [(1 + (i * 7 + l * 13) % 101)::DOUBLE / 8 FOR l IN range(25)] AS bids,
     [(1 + (i * 11 + l * 5) % 97)::DOUBLE / 8 FOR l IN range(25)] AS asks FROM range(7000) r(i)`,
]

beforeAll(async () => {
  db = await (await DuckDBInstance.create(':memory:')).connect()
  for (const sql of tables) await db.run(sql)
  const trades = await columns('SELECT t::DOUBLE, p, q, side FROM trades ORDER BY t, i')
  const quotes = await columns('SELECT t::DOUBLE, bid, bid_amount, ask, ask_amount FROM quotes ORDER BY t')
  const book = await columns('SELECT t::DOUBLE, bids, asks FROM book ORDER BY t')
  const numbers = (cells: unknown[]) => Float64Array.from(cells as number[])
  const levels = (lists: unknown[]) => Float64Array.from((lists as number[][]).flat())
  const [bidPrice, bidAmount, askPrice, askAmount] = quotes.slice(1).map(numbers)
  events = {
    trades: {
      timeUs: numbers(trades[0]),
      price: numbers(trades[1]),
      amount: numbers(trades[2]),
      side: Uint8Array.from(trades[3] as (keyof typeof sideCodes)[], (side) => sideCodes[side]),
    },
    quotes: { timeUs: numbers(quotes[0]), bidPrice, bidAmount, askPrice, askAmount } satisfies QuoteEvents,
    book: { timeUs: numbers(book[0]), bidAmounts: levels(book[1]), askAmounts: levels(book[2]) } satisfies BookEvents,
  }
  expect(events.book.bidAmounts).toHaveLength(events.book.timeUs.length * bookLevels)
})

afterAll(() => db.closeSync())

const columns = async (sql: string) => (await db.runAndReadAll(sql)).getColumnsJS()

async function opinionOf(dataset: string): Promise<Table> {
  const result = await db.runAndReadAll(secondOpinions[dataset])
  const read = Object.entries(result.getColumnsObjectJS())
  const cells = read.map(
    ([name, values]) => [name, Float64Array.from(values, (value) => (value === null ? NaN : Number(value)))] as const,
  )
  const byName = new Map(cells)
  const time = byName.get('time')!
  byName.delete('time')
  return { time, columns: byName }
}

/** Returns the engine's rows for the intervals that have events, with the columns of the reference table. */
function engineTable(dataset: MetricDatasetId, opinion: Table): Table {
  const computer = createMetricComputer({ datasets: [dataset], intervalSeconds: intervalUs / 1e6, startUs, endUs })
  for (let source = computer.wants(), fed = new Set(); source; source = computer.wants()) {
    if (fed.has(source)) computer.end(source)
    else computer.push(source, events[source as keyof typeof events] as never)
    fed.add(source)
  }
  const [{ timeMs, columns: all }] = computer.take()
  const opinionTimes = new Set(opinion.time)
  const keep = (values: Float64Array) => values.filter((_, i) => opinionTimes.has(timeMs[i]))
  const names = metricDataset(dataset).columns.map(({ name }) => name)
  const picked = [...opinion.columns.keys()].map((name) => [name, keep(all[names.indexOf(name)])] as const)
  return { time: keep(timeMs), columns: new Map(picked) }
}

it.each(Object.keys(secondOpinions) as MetricDatasetId[])(
  '%s is what SQL over the same events says',
  async (dataset) => {
    const opinion = await opinionOf(dataset)
    expect(opinion.time.length).toBeGreaterThan(300)
    expect(differences(opinion, engineTable(dataset, opinion))).toEqual([])
  },
)
