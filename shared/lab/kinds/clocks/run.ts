import { pairedCorrelation } from '../../correlations.ts'
import type { ClockColumn, ClockValues } from '../../clockRows.ts'
import { meanOf, sampleMomentsOf } from '../../samples.ts'
import { StudyError } from '../../studyError.ts'
import type { KindRun } from '../../studyInput.ts'
import type { ClockStudy } from './fields.ts'

/** Number of common times below which a column is not scored. */
const LEAST_TIMES = 100

interface ColumnShift {
  column: string
  dataset: string
  /** Number of times with a value by both clocks. */
  n: number
  onlyExchange: number
  onlyTrue: number
  /** Mean distance of the clocks in deviations of the exchange clock; null for too few times. */
  shift: number | null
  pearson: number | null
  meanDifference: number | null
}

export function run({ input: { clocks }, checkpoint }: KindRun<ClockStudy>) {
  if (!clocks) throw new StudyError('panel', 'is not read: both clocks stand in the cache only.')
  const symbols = clocks.symbols.map(({ symbol, columns }) => {
    const scored: ColumnShift[] = []
    for (const column of columns()) {
      checkpoint()
      scored.push(shiftOf(column))
    }
    return { symbol, columns: scored.sort(byShift), datasets: datasetMeans(scored) }
  })
  return { result: { symbols }, warnings: [] }
}

/** Sorts the largest shift first and those without one last. */
const byShift = (a: { shift: number | null }, b: { shift: number | null }): number => (b.shift ?? -1) - (a.shift ?? -1)

function datasetMeans(columns: readonly ColumnShift[]) {
  return [...Map.groupBy(columns, ({ dataset }) => dataset)]
    .map(([dataset, own]) => {
      const shifts = Float64Array.from(own.flatMap(({ shift }) => shift ?? []))
      return { dataset, columns: shifts.length, shift: meanOf(shifts) }
    })
    .sort(byShift)
}

function shiftOf({ column, dataset, exchange, true: arrival }: ClockColumn): ColumnShift {
  const { byExchange, byArrival, ...counts } = commonValues(exchange, arrival)
  const differences = byArrival.map((value, at) => value - byExchange[at])
  const { sd } = sampleMomentsOf(byExchange)
  const isScored = counts.n >= LEAST_TIMES && sd !== null && sd > 0
  const { r } = pairedCorrelation(byExchange, byArrival, { lag: 0, from: 0, end: counts.n })
  return {
    ...{ column, dataset, ...counts },
    shift: isScored ? finiteOrNull(meanOf(differences.map(Math.abs))! / sd) : null,
    pearson: isScored ? finiteOrNull(r) : null,
    meanDifference: finiteOrNull(meanOf(differences)),
  }
}

const finiteOrNull = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null)

/** Pairs the values of the times that both clocks have. */
function commonValues(exchange: ClockValues, arrival: ClockValues) {
  const offset = exchange.firstSlot - arrival.firstSlot
  const from = Math.max(0, -offset)
  const end = Math.max(from, Math.min(exchange.values.length, arrival.values.length - offset))
  const byExchange = new Float64Array(end - from)
  const byArrival = new Float64Array(end - from)
  let n = 0
  for (let slot = from; slot < end; slot++) {
    if (exchange.valid[slot] === 0 || arrival.valid[slot + offset] === 0) continue
    byExchange[n] = exchange.values[slot]
    byArrival[n++] = arrival.values[slot + offset]
  }
  return {
    n,
    onlyExchange: countOf(exchange.valid) - n,
    onlyTrue: countOf(arrival.valid) - n,
    byExchange: byExchange.subarray(0, n),
    byArrival: byArrival.subarray(0, n),
  }
}

function countOf(flags: Uint8Array): number {
  let count = 0
  for (const flag of flags) count += flag
  return count
}
