import { declaredColumn } from '#shared/catalog/testedDatasets.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { expandEntry } from '#shared/workspace/expandFormula.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import { changeBetween } from '../../charts/readout.ts'
import type { useSeries } from '../../stores/series.ts'
import { inputsOf } from './seriesData.ts'

/** Figures of one series over a measured range, from its full data; null if undefined. */
export interface MeasureFigures {
  entryId: string
  unit: string | null
  barCount: number
  change: number | null
  /** Change in per cent of the first value; null also if that is 0 or the sign changes. */
  changePercent: number | null
  /** Sum of the values for columns that add up over time; null for others. */
  sum: number | null
  /** Standard deviation of log returns per bar, as a fraction; for prices only. */
  volatility: number | null
  /** Volatility, annualised over 365 days. */
  annualVolatility: number | null
  unitWarnings: readonly string[]
  problem: string | null
}

/** Tells whether the values of a column add up over time, as volumes and counts do. */
function isFlow({ source, transform }: SeriesEntry): boolean {
  if (source.kind !== 'column' || transform !== 'none') return false
  return declaredColumn(source.dataset, source.column)?.resample.how === 'sum'
}

/** Tells whether a series is a price, whatever its values are divided by. */
export const isPriceColumn = ({ source }: SeriesEntry): boolean =>
  source.kind === 'column' && declaredColumn(source.dataset, source.column)?.kind === 'price'

const isPrice = (entry: SeriesEntry): boolean => entry.transform === 'none' && isPriceColumn(entry)

/** Annualises the standard deviation of returns per bar, over 365 days. */
const annualiseVolatility = (deviation: number | null, barMs: number | null): number | null =>
  deviation === null || barMs === null ? null : deviation * Math.sqrt((365 * MS_PER_DAY) / barMs)

/**
 * Computes the figures of a series over a range.
 * @param barMs interval of the series; null if it has none
 */
export async function measureFigures(
  series: Pick<ReturnType<typeof useSeries>, 'statistics'>,
  entry: SeriesEntry,
  {
    entries,
    range,
    originMs,
    barMs,
    valueAt,
  }: {
    entries: readonly SeriesEntry[]
    range: TimeRange
    originMs: number | null
    barMs: number | null
    /** Reads the value at an end of the range, as the chart does. */
    valueAt: (entry: SeriesEntry, timeMs: number, signal: AbortSignal) => Promise<number | null>
  },
  signal: AbortSignal,
): Promise<MeasureFigures> {
  const expanded = expandEntry(entry, entries)
  const noChange = { entryId: entry.id, unit: null, barCount: 0, ...changeBetween(null, null) }
  const noFigures = { ...noChange, sum: null, volatility: null, annualVolatility: null, unitWarnings: [] }
  if ('problem' in expanded) return { ...noFigures, problem: expanded.problem.message }
  const statisticsOf = (formula: string) => {
    const { startMs, endMs } = range
    const request = { formula, inputs: inputsOf(expanded.columns, entry), startMs, endMs, originMs, other: null }
    return series.statistics({ ...request, atLongerInterval: false }, signal)
  }
  const [statistics, startValue, endValue, returnStatistics] = await Promise.all([
    statisticsOf(expanded.formula),
    valueAt(entry, range.startMs, signal),
    valueAt(entry, range.endMs, signal),
    isPrice(entry) ? statisticsOf(`logret(${expanded.formula})`) : null,
  ])
  if (statistics.problem) return { ...noFigures, problem: statistics.problem.message }
  const volatility = returnStatistics?.deviation ?? null
  return {
    entryId: entry.id,
    unit: statistics.unit,
    barCount: statistics.rows,
    ...changeBetween(startValue, endValue),
    sum: isFlow(entry) && statistics.mean !== null ? statistics.mean * (statistics.rows - statistics.missing) : null,
    volatility,
    annualVolatility: annualiseVolatility(volatility, barMs),
    unitWarnings: statistics.unitWarnings,
    problem: null,
  }
}
