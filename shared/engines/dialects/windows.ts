import type { WindowScope, WindowValue } from '../../metrics/plan.ts'
import { renderAggregate } from './aggregates.ts'
import { type EngineDialect, type RenderersOf, renderNode } from './dialect.ts'
import { type ValueRenderer, valueRenderer } from './values.ts'

type WindowRenderers = RenderersOf<WindowValue, ValueRenderer>

const US_PER_DAY = 86_400_000_000

const partitions: Record<WindowScope, string> = {
  interval: 'interval_us',
  day: `interval_us - interval_us % ${US_PER_DAY}`,
}

const inOrder = (scope: WindowScope) => `(PARTITION BY ${partitions[scope]} ORDER BY interval_us, nth)`
const frameSoFar = (scope: WindowScope, order: string) =>
  `(PARTITION BY ${partitions[scope]} ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`
const wholeFrame = (scope: WindowScope) =>
  `(PARTITION BY ${partitions[scope]} ORDER BY interval_us, nth ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)`

const scoreOf = (column: string, deviation: string) => {
  const over = `OVER ${frameSoFar('day', 'interval_us')}`
  return `CASE WHEN count(${column}) ${over} > 1 AND ${deviation}(${column}) ${over} > 0e0 THEN (${column} - avg(${column}) ${over}) / ${deviation}(${column}) ${over} END`
}

/** Writes window functions in standard SQL. */
const standardRenderers = (dialect: EngineDialect): WindowRenderers => ({
  before: ({ operand, scope }, { value }) => `lag(${value(operand)}) OVER ${inOrder(scope)}`,
  ahead: ({ operand, rows }, { value }) => `lead(${value(operand)}, ${rows}) OVER ${inOrder('interval')}`,
  running: ({ operand }, { value }) => `sum(${value(operand)}) OVER ${frameSoFar('interval', 'interval_us, nth')}`,
  across: ({ operand }) => renderAggregate(dialect, operand, `OVER (PARTITION BY ${partitions.interval})`),
  score: ({ operand }, { value }) => scoreOf(value(operand), 'stddev_samp'),
})

const clickhouse: WindowRenderers = {
  ...standardRenderers('clickhouse'),
  // `lagInFrame` and `leadInFrame` return 0 instead of NULL on columns that are not Nullable, and look no further than
  // their frame.
  before: ({ operand, scope }, { value }) => `lagInFrame(toNullable(${value(operand)})) OVER ${wholeFrame(scope)}`,
  ahead: ({ operand, rows }, { value }) =>
    `leadInFrame(toNullable(${value(operand)}), ${rows}) OVER ${wholeFrame('interval')}`,
  // stddevSamp suffers from cancellation and is infinite for one row.
  score: ({ operand }, { value }) => scoreOf(value(operand), 'stddevSampStable'),
}

const windows: Record<EngineDialect, WindowRenderers> = {
  duckdb: standardRenderers('duckdb'),
  clickhouse,
  spark: standardRenderers('spark'),
}

export const isWindowed = (node: { op: string }): node is WindowValue => Object.hasOwn(windows.duckdb, node.op)

export const renderWindow = (dialect: EngineDialect, node: WindowValue): string =>
  renderNode(windows[dialect], node, valueRenderer(dialect))

/**
 * SQL for the number of an event in its interval, from 1, by time, then by file and row. Operations that depend on the
 * order of events within an interval use this number.
 */
export const eventNumber = 'row_number() OVER (PARTITION BY interval_us ORDER BY time_us, file_ordinal, row_ordinal)'
