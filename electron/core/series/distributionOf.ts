import type { Distribution, DistributionSeries } from '#shared/contract/areas/series.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import type { EvaluatedSeries } from '#shared/formula/evaluateFormula.ts'
import type { Series } from '#shared/formula/series.ts'
import { statisticsLevels } from '#shared/statistics/levels.ts'
import { binOf, readableEdges } from '#shared/statistics/readableBins.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { cutTo, readSettled, tryEvaluate } from './evaluateColumns.ts'
import type { DistributionTask } from './readerTask.ts'
import { quantile } from './statisticsOf.ts'

/** Greatest number of bars of a histogram, few enough to be told apart in a pane. */
const MOST_BINS = 50
/** Quantiles between which a histogram has its bars, because few values far out would leave it one bar. */
const ENDS = [0.005, 0.995] as const
/** Quantiles of the whiskers, the box and its middle. */
const BOX_LEVELS = [0.05, 0.25, 0.5, 0.75, 0.95] as const
/** Number of groups of equally many values. */
const BUCKETS = 5

type NamedSeries = EvaluatedSeries & { name: string }

/** Computes how the values of formulas are distributed in a range: as histograms, or as boxes by group. */
export function distributionOf(task: DistributionTask): Distribution {
  const { formulas, by } = task
  const { inputs } = readSettled(
    task,
    formulas.map(({ formula }) => formula),
  )
  const all: NamedSeries[] = []
  for (const { name, formula } of formulas) {
    const found = tryEvaluate(formula, inputs)
    if (!found.series) return noDistribution({ name, ...found.problem })
    all.push({ ...found.series, ...cutTo(found.series, task), name })
  }
  const described = all.map(describe)
  if (by === 'histogram') return { ...noDistribution(null), series: described, histograms: histogramsOf(all) }
  return { ...noDistribution(null), series: described, boxes: boxesOf(all, by) }
}

export const noDistribution = (problem: (FormulaProblem & { name: string }) | null): Distribution => ({
  ...{ problem, series: [], histograms: [], boxes: [] },
})

const isPresent = ({ valid, values }: Series, row: number): boolean =>
  (!valid || valid[row] !== 0) && Number.isFinite(values[row])

const presentValues = (series: Series): Float64Array => series.values.filter((_, row) => isPresent(series, row))

function describe(series: NamedSeries): DistributionSeries {
  const { name, unit, unitWarnings, notes } = series
  const sorted = presentValues(series).sort()
  return {
    ...{ name, unit, unitWarnings, notes, rows: series.values.length, values: sorted.length },
    quantiles: statisticsLevels.map((level) => quantile(sorted, level)),
  }
}

/** Counts the values of each series in bars that all series of its unit share. */
function histogramsOf(all: readonly NamedSeries[]): Distribution['histograms'] {
  const sortedByUnit = new Map<string | null, Float64Array[]>()
  const sorted = all.map((series) => {
    const values = presentValues(series).sort()
    sortedByUnit.set(series.unit, [...(sortedByUnit.get(series.unit) ?? []), values])
    return values
  })
  const edgesByUnit = new Map([...sortedByUnit].map(([unit, each]) => [unit, edgesOf(each)]))
  return all.map(({ unit }, at) => countIn(sorted[at], edgesByUnit.get(unit)!))
}

/** Round bounds of the bars over most of the values of several series; none without values. */
function edgesOf(all: readonly Float64Array[]): Float64Array {
  const present = all.filter((sorted) => sorted.length > 0)
  if (present.length === 0) return new Float64Array(0)
  const low = Math.min(...present.map((sorted) => quantile(sorted, ENDS[0])!))
  const high = Math.max(...present.map((sorted) => quantile(sorted, ENDS[1])!))
  // Equal values get one bar around them.
  const halfWidth = Math.abs(low) * 0.01 || 1
  if (!(high > low)) return Float64Array.of(low - halfWidth, low + halfWidth)
  return readableEdges(low, high, MOST_BINS)
}

function countIn(sorted: Float64Array, edges: Float64Array): Distribution['histograms'][number] {
  const counts = new Float64Array(Math.max(0, edges.length - 1))
  let [below, above] = [0, 0]
  const last = edges.length - 1
  for (const value of sorted) {
    if (value < edges[0]) below += 1
    else if (value > edges[last]) above += 1
    else counts[binOf(edges, value)] += 1
  }
  return { edges, counts, below, above }
}

type BoxesBy = Exclude<DistributionTask['by'], 'histogram'>

/** Returns the group of each row, by the time at which its interval begins, in UTC. */
const groupsByTime: Partial<Record<BoxesBy, (timeMs: number) => number>> = {
  hours: (timeMs) => Math.floor(timeMs / MS_PER_HOUR) % 24,
  // 1970-01-01 was a Thursday; Monday is 0.
  weekdays: (timeMs) => (Math.floor(timeMs / MS_PER_DAY) + 3) % 7,
  months(timeMs) {
    const date = new Date(timeMs)
    return date.getUTCFullYear() * 12 + date.getUTCMonth()
  },
}

function boxesOf(all: readonly NamedSeries[], by: BoxesBy): Distribution['boxes'] {
  const groupOf = groupsByTime[by]
  if (groupOf)
    return all.map((series) => boxesBy(series, (row) => groupOf((series.firstSlot + row) * series.intervalMs)))
  if (by === 'symbols') return all.map((series) => boxesBy(series, () => 0))
  const [first, ...others] = all
  return others.map((series) => boxesBy(series, bucketsOf(first, series)))
}

/** Groups the rows of a series by which fifth of its values another series is in at that time. */
function bucketsOf(signal: Series, { intervalMs, firstSlot, values }: Series): (row: number) => number {
  const sorted = presentValues(signal).sort()
  const edges = Array.from({ length: BUCKETS - 1 }, (_, at) => quantile(sorted, (at + 1) / BUCKETS) ?? NaN)
  if (signal.intervalMs < intervalMs)
    return (row) => bucketAt(lastWithin(signal, (firstSlot + row + 1) * intervalMs), edges)
  const aligned = alignSeries(signal, { intervalMs, firstSlot, rows: values.length })
  return (row) => bucketAt(isPresent(aligned, row) ? aligned.values[row] : NaN, edges)
}

/** Returns the value of the last row of a series that ends by a time; NaN if that row has none. */
function lastWithin(series: Series, endMs: number): number {
  const row = Math.floor(endMs / series.intervalMs) - 1 - series.firstSlot
  return row >= 0 && row < series.values.length && isPresent(series, row) ? series.values[row] : NaN
}

const bucketAt = (value: number, edges: readonly number[]): number =>
  Number.isNaN(value) ? -1 : edges.filter((edge) => value > edge).length

/** Summarises the values of each group; a group below 0 is left out. */
function boxesBy(series: Series, groupOf: (row: number) => number): Distribution['boxes'][number] {
  const counts = new Map<number, number>()
  const groups = series.values.map((_, row) => (isPresent(series, row) ? groupOf(row) : -1))
  for (const group of groups) if (group >= 0) counts.set(group, (counts.get(group) ?? 0) + 1)
  const listed = [...counts.keys()].sort((a, b) => a - b)
  const members = new Map(listed.map((group) => [group, { values: new Float64Array(counts.get(group)!), count: 0 }]))
  groups.forEach((group, row) => {
    const member = members.get(group)
    if (member) member.values[member.count++] = series.values[row]
  })
  const boxes = listed.map((group) => {
    const sorted = members.get(group)!.values.sort()
    return BOX_LEVELS.map((level) => quantile(sorted, level)!)
  })
  const [low, lower, median, upper, high] = BOX_LEVELS.map((_, at) => Float64Array.from(boxes, (box) => box[at]))
  const counted = Float64Array.from(listed, (group) => counts.get(group)!)
  return { groups: Float64Array.from(listed), counts: counted, low, lower, median, upper, high }
}
