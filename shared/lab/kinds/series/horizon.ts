import { normalTwoSided } from '#shared/statistics/distributions.ts'
import { autocorrelationsOf, effectiveCount } from '../../along/autocorrelations.ts'
import type { CalendarKeys } from '../../along/calendarKeys.ts'
import { CellCorrelations } from '../../along/cellCorrelations.ts'
import { correlationInterval, detectableCorrelation, testCorrelation } from '../../along/correlationTests.ts'
import { describeReturns, type ReturnFigures, type Sampling } from '../../along/describeReturns.ts'
import { type Ahead, lookAhead } from '../../along/lookAhead.ts'
import { type SymbolCells, type UsedCells, usedCells } from '../../along/symbolCells.ts'
import { RankCorrelator } from '../../correlations.ts'
import { type StudyGrid, timeAt } from '../../panel.ts'
import type { NumberList } from '../../studyInput.ts'
import type { SeriesStudy } from './fields.ts'

/** What the horizons of one symbol have in common. */
interface SymbolSignal {
  cells: SymbolCells
  /** Times at which the symbol is a member with a signal, in ascending order of the signal. */
  bySignal: Int32Array
  /** Bucket by time, 0 for none. */
  buckets: Uint8Array
}

/** Computes the result of a symbol at one horizon. */
export function horizonResult(
  grid: StudyGrid,
  study: SeriesStudy,
  calendar: CalendarKeys,
  { cells, bySignal, buckets }: SymbolSignal,
  horizon: number,
  listOf: NumberList,
) {
  const ahead = lookAhead(cells.price, study.delayBars, horizon)
  const used = usedCells(cells, { delay: study.delayBars, horizon, returns: ahead.returns })
  const correlations = new CellCorrelations(cells.values, ahead.returns, bySignal)
  const timesByBucket = splitByBucket(used.times, buckets, study.buckets)
  const sampling: Sampling =
    study.sampling === 'all'
      ? { kind: 'overlapping', timeCount: cells.timeCount }
      : { kind: 'plain', isSample: used.isSample }
  const figures = (times: Int32Array) => describeReturns(times, ahead, sampling)
  const byBucket = timesByBucket.slice(1).map((times, at) => ({ bucket: at + 1, ...figures(times) }))
  const calendarRows = (key: keyof CalendarKeys) =>
    correlations.correlationsBy(calendar[key].keys, calendar[key].names.length)
  return {
    horizon,
    attrition: used.attrition,
    unplaced: timesByBucket[0].length,
    ic: informationCoefficients(cells, ahead, used, correlations),
    buckets: byBucket,
    thresholds:
      study.thresholds?.map((threshold) => ({
        threshold,
        ...figures(used.times.filter((time) => cells.values[time] >= threshold)),
      })) ?? null,
    all: { all: true as const, ...figures(used.times) },
    spread: spreadOf(byBucket[0], byBucket[byBucket.length - 1]),
    monotonic: monotonicity(byBucket),
    byMonth: named(calendar.month.names, calendarRows('month'), 'month'),
    byHour: named(calendar.hour.names, calendarRows('hour'), 'hour'),
    byWeekday: named(calendar.weekday.names, calendarRows('weekday'), 'weekday'),
    path: pathOf(grid, used, ahead, { buckets, count: study.buckets }, listOf),
  }
}

function informationCoefficients(
  { values, timeCount }: SymbolCells,
  { returns }: Ahead,
  { times, isSample }: UsedCells,
  correlations: CellCorrelations,
) {
  const samples = correlations.correlationOf(isSample)
  const all = correlations.correlation()
  const effectiveN =
    all.spearman === null
      ? null
      : effectiveCount(
          autocorrelationsOf(valuesAt(times, values, timeCount)),
          autocorrelationsOf(valuesAt(times, returns, timeCount)),
          all.n,
        )
  return {
    nonOverlapping: {
      ...samples,
      ...testCorrelation(samples.spearman, samples.n),
      ...correlationInterval(samples.spearman, samples.n),
    },
    all: { ...all, effectiveN, ...testCorrelation(all.spearman, effectiveN ?? 0) },
    detectable: detectableCorrelation(samples.n),
  }
}

/** Keeps the values at some times; the others are missing. */
function valuesAt(times: Int32Array, values: Float64Array, timeCount: number): Float64Array {
  const kept = new Float64Array(timeCount).fill(NaN)
  for (let at = 0; at < times.length; at++) kept[times[at]] = values[times[at]]
  return kept
}

/** Splits times by bucket; the first list has those without one. */
function splitByBucket(times: Int32Array, buckets: Uint8Array, count: number): Int32Array[] {
  const counts = new Int32Array(count + 1)
  for (let at = 0; at < times.length; at++) counts[buckets[times[at]]]++
  const split = Array.from(counts, (each) => new Int32Array(each))
  counts.fill(0)
  for (let at = 0; at < times.length; at++) {
    const bucket = buckets[times[at]]
    split[bucket][counts[bucket]++] = times[at]
  }
  return split
}

/** Difference of the outer buckets; null if the error of either is not known. */
function spreadOf(lowest: ReturnFigures, highest: ReturnFigures) {
  if (lowest.mean === null || highest.mean === null || lowest.se === null || highest.se === null) return null
  const mean = highest.mean - lowest.mean
  const se = Math.hypot(highest.se, lowest.se)
  const t = se === 0 ? null : mean / se
  return { mean, se, t, p: t === null ? null : normalTwoSided(t) }
}

const LEAST_BUCKETS = 3

/** Rank correlation of the buckets' numbers and means; null if too few have one. */
function monotonicity(buckets: readonly { bucket: number; mean: number | null }[]): number | null {
  const known = buckets.filter(({ mean }) => mean !== null)
  if (known.length < LEAST_BUCKETS) return null
  const numbers = Float64Array.from(known, ({ bucket }) => bucket)
  const means = Float64Array.from(known, ({ mean }) => mean ?? NaN)
  const correlation = new RankCorrelator(known.length).spearmanOfAscending(numbers, means, known.length)
  return Number.isNaN(correlation) ? null : correlation
}

/** Names the groups that have cells. */
const named = <Key extends string, Name, Row extends { n: number }>(
  names: readonly Name[],
  rows: readonly Row[],
  key: Key,
) => rows.flatMap((row, at) => (row.n === 0 ? [] : [{ [key]: names[at], ...row } as Record<Key, Name> & Row]))

/** Growth of each bucket over the samples that have one. */
function pathOf(
  grid: StudyGrid,
  { times, isSample }: UsedCells,
  { returns }: Ahead,
  { buckets, count }: { buckets: Uint8Array; count: number },
  listOf: NumberList,
) {
  // Loops, because a year of minutes has half a million samples, which calls for each would take a tenth of the run.
  const found = new Int32Array(times.length)
  let samplesFound = 0
  for (let at = 0; at < times.length; at++)
    if (isSample[times[at]] === 1 && buckets[times[at]] > 0) found[samplesFound++] = times[at]
  const samples = found.subarray(0, samplesFound)
  const timesMs = new Float64Array(samples.length)
  for (let at = 0; at < samples.length; at++) timesMs[at] = timeAt(grid, samples[at])
  const growthOf = (bucket: number) => {
    const list = new Float64Array(samples.length)
    let growth = 1
    for (let at = 0; at < list.length; at++) {
      if (buckets[samples[at]] === bucket) growth *= 1 + returns[samples[at]]
      list[at] = growth
    }
    return listOf(list)
  }
  return {
    times: listOf(timesMs),
    buckets: Array.from({ length: count }, (_, at) => growthOf(at + 1)),
  }
}
