import type { WindowScope, Windowed } from '../plan.ts'
import { spellAggregate } from './aggregates.ts'
import { type EngineDialect, type SpellingOf, spellNode } from './speller.ts'
import { valueSpeller } from './values.ts'

type WindowSpelling = SpellingOf<Windowed, ReturnType<typeof valueSpeller>>

const US_PER_DAY = 86_400_000_000

const partitions: Record<WindowScope, string> = {
  interval: 'interval_us',
  day: `interval_us - interval_us % ${US_PER_DAY}`,
}

const inOrder = (scope: WindowScope) => `(PARTITION BY ${partitions[scope]} ORDER BY interval_us, nth)`
const soFar = (scope: WindowScope, order: string) =>
  `(PARTITION BY ${partitions[scope]} ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`
const wholeFrame = (scope: WindowScope) =>
  `(PARTITION BY ${partitions[scope]} ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`

const scoreOf = (column: string, deviation: string) => {
  const over = `OVER ${soFar('day', 'interval_us')}`
  return `CASE WHEN count(${column}) ${over} > 1 AND ${deviation}(${column}) ${over} > 0e0 THEN (${column} - avg(${column}) ${over}) / ${deviation}(${column}) ${over} END`
}

/** Writes window functions in standard SQL. */
const standard = (dialect: EngineDialect): WindowSpelling => ({
  before: ({ operand, scope }, { value }) => `lag(${value(operand)}) OVER ${inOrder(scope)}`,
  ahead: ({ operand, rows }, { value }) => `lead(${value(operand)}, ${rows}) OVER ${inOrder('interval')}`,
  running: ({ operand }, { value }) => `sum(${value(operand)}) OVER ${soFar('interval', 'interval_us, nth')}`,
  across: ({ operand }) => spellAggregate(dialect, operand, `OVER (PARTITION BY ${partitions.interval})`),
  score: ({ operand }, { value }) => scoreOf(value(operand), 'stddev_samp'),
})

const clickhouse: WindowSpelling = {
  ...standard('clickhouse'),
  // `lagInFrame` and `leadInFrame` return 0 instead of NULL on columns that are not Nullable, and look no further than
  // their frame.
  before: ({ operand, scope }, { value }) => `lagInFrame(toNullable(${value(operand)})) OVER ${wholeFrame(scope)}`,
  ahead: ({ operand, rows }, { value }) =>
    `leadInFrame(toNullable(${value(operand)}), ${rows}) OVER ${wholeFrame('interval')}`,
  // stddevSamp suffers from cancellation and is infinite for one row.
  score: ({ operand }, { value }) => scoreOf(value(operand), 'stddevSampStable'),
}

const windows: Record<EngineDialect, WindowSpelling> = {
  duckdb: standard('duckdb'),
  clickhouse,
  spark: standard('spark'),
}

export const isWindowed = (node: { op: string }): node is Windowed => Object.hasOwn(windows.duckdb, node.op)

export const spellWindow = (dialect: EngineDialect, node: Windowed): string =>
  spellNode(windows[dialect], node, valueSpeller(dialect))

/**
 * Number of an event in its interval, from 1: by time, then by file and row. It decides everything that depends on
 * order.
 */
export const eventNumber = 'row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal)'
