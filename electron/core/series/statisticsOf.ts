import type { SeriesStatistics } from '#shared/contract/areas/series.ts'
import { alignSeries, commonGrid } from '#shared/formula/alignSeries.ts'
import { resampleText } from '#shared/catalog/columnText.ts'
import type { FormulaInputs } from '#shared/formula/evaluateFormula.ts'
import { intervalName } from '#shared/time.ts'
import { divideUnits, parseUnit, unitText, unitWarning } from '#shared/units/measureUnits.ts'
import type { Series } from '#shared/formula/series.ts'
import { statisticsLevels } from '#shared/statistics/levels.ts'
import { lagOnePairs } from '#shared/statistics/lagPairs.ts'
import { correlationOf, meanOfX, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { tryEvaluate, cutTo, readSettled } from './evaluateColumns.ts'
import type { StatisticsTask } from './readerTask.ts'

/** Computes statistics over all rows of a formula in a range, and of two formulas together. */
export function statisticsOf(task: StatisticsTask): SeriesStatistics {
  const { inputs } = readSettled(task, task.other === null ? [task.formula] : [task.formula, task.other])
  const found = tryEvaluate(task.formula, inputs)
  if (!found.series) return { ...noStatistics, problem: found.problem }
  const { unit, unitWarnings, notes } = found.series
  const ownStatistics = {
    ...noStatistics,
    ...statisticsOfOne(cutTo(found.series, knownRange(task, found.series))),
    unit,
    unitWarnings,
    notes,
  }
  if (task.other === null) return ownStatistics
  const other = tryEvaluate(task.other, inputs)
  if (!other.series) return { ...ownStatistics, problem: other.problem }
  const slope = divideUnits(parseUnit(unit), parseUnit(other.series.unit))
  const warnings = [...unitWarnings, ...other.series.unitWarnings, unitWarning(slope)].filter((one) => one !== null)
  const paired = pairedSeries(task, [found.series, other.series], inputs)
  return {
    ...ownStatistics,
    ...statisticsOfPair(cutTo(paired.first, task), cutTo(paired.second, task)),
    pairing: pairingOf(
      cutTo(paired.first, task),
      cutTo(paired.second, task),
      [found.series, other.series],
      paired.resampled,
    ),
    betaUnit: unitText(slope),
    unitWarnings: [...new Set(warnings)],
    notes: [...new Set([...notes, ...other.series.notes, ...paired.notes])],
  }
}

/** Cuts the range to the intervals that have ended by `knownByMs`. */
const knownRange = ({ startMs, endMs, knownByMs }: StatisticsTask, { intervalMs }: Series) => ({
  startMs,
  endMs: knownByMs === undefined ? endMs : Math.min(endMs, knownByMs - intervalMs + 1),
})

interface PairedSeries {
  first: Series
  second: Series
  resampled: string | null
  notes: string[]
}

/** Resamples the series with the shorter interval to the longer one, if that was requested and is possible. */
function pairedSeries(
  { formula, other, atLongerInterval }: StatisticsTask,
  [first, second]: readonly [Series, Series],
  inputs: FormulaInputs,
): PairedSeries {
  const unresampledPair = { first, second, resampled: null, notes: [] }
  if (!atLongerInterval || first.intervalMs === second.intervalMs) return unresampledPair
  const isFirst = first.intervalMs < second.intervalMs
  const shorterFormula = isFirst ? formula : (other ?? formula)
  const interval = intervalName(Math.max(first.intervalMs, second.intervalMs))
  const rule = inputs.get(shorterFormula)?.resample
  const byRule =
    rule && rule.how !== 'none' ? tryEvaluate(`resample(${shorterFormula}, '${interval}')`, inputs).series : null
  const series = byRule ?? tryEvaluate(`resample(${shorterFormula}, '${interval}', 'last')`, inputs).series
  if (!series) return unresampledPair
  const resampled = byRule && rule ? resampleText(rule) : resampleText({ how: 'last' })
  return { ...unresampledPair, ...(isFirst ? { first: series } : { second: series }), resampled, notes: series.notes }
}

function pairingOf(
  a: Series,
  b: Series,
  unresampled: readonly [Series, Series],
  resampled: string | null,
): NonNullable<SeriesStatistics['pairing']> {
  const grid = commonGrid([a, b])
  const [one, two] = [alignSeries(a, grid), alignSeries(b, grid)]
  const longestMs = Math.max(a.intervalMs, b.intervalMs)
  const intervals = unresampled.map(({ intervalMs }) => intervalMs)
  let pairs = 0
  let effectivePairs = 0
  let lastLongerSlot = NaN
  for (let row = 0; row < grid.rows; row++) {
    if ((one.valid && !one.valid[row]) || (two.valid && !two.valid[row])) continue
    pairs++
    // Rows that end in the same longer interval share its value, so they count as one pair.
    const longerSlot = Math.floor(((grid.firstSlot + row + 1) * grid.intervalMs) / longestMs)
    if (longerSlot !== lastLongerSlot) effectivePairs++
    lastLongerSlot = longerSlot
  }
  const [shorterMs, longerMs] = [Math.min(...intervals), Math.max(...intervals)]
  return { pairs, effectivePairs, intervalMs: grid.intervalMs, longerMs, shorterMs, resampled }
}

type SingleStatistics = Omit<
  SeriesStatistics,
  'problem' | 'correlation' | 'beta' | 'pairing' | 'unit' | 'betaUnit' | 'unitWarnings' | 'notes'
>

function statisticsOfOne({ values, valid }: Series): SingleStatistics {
  const rows = values.length
  const presentValues = valid ? values.filter((_, row) => valid[row] !== 0) : values.slice()
  const count = presentValues.length
  const isPresent = (row: number) => !valid || valid[row] === 1
  const laggedMoments = lagOnePairs(values, isPresent, (row) => row, 1)
  const moments = pairMomentsOf(presentValues, null, presentValues, null)
  const [first = null] = presentValues
  const last = presentValues.at(-1) ?? null
  const sorted = presentValues.sort()
  return {
    rows,
    missing: rows - count,
    first,
    last,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    mean: count > 0 ? meanOfX(moments) : null,
    deviation: count > 1 ? Math.sqrt(moments.squaresX / (count - 1)) : null,
    quantiles: statisticsLevels.map((level) => quantile(sorted, level)),
    autocorrelation: correlationOf(laggedMoments),
    lastShare: last === null ? null : shareNotAbove(sorted, last),
    spells: countSpells(values, valid),
  }
}

/** Counts the spells of a state as a study of spells does, which a missing row ends too; null for other values. */
function countSpells(values: Float64Array, valid: Uint8Array | null): number | null {
  let spells = 0
  let isOn = false
  for (let row = 0; row < values.length; row++) {
    const value = valid && valid[row] === 0 ? 0 : values[row]
    if (value !== 0 && value !== 1) return null
    if (value === 1 && !isOn) spells++
    isOn = value === 1
  }
  return spells
}

function statisticsOfPair(a: Series, b: Series): Pick<SeriesStatistics, 'correlation' | 'beta'> {
  const grid = commonGrid([a, b])
  const [one, two] = [alignSeries(a, grid), alignSeries(b, grid)]
  const pairs = pairMomentsOf(two.values, two.valid, one.values, one.valid)
  return { correlation: correlationOf(pairs), beta: pairs.squaresX > 0 ? pairs.products / pairs.squaresX : null }
}

/** Computes the share of sorted values that are not above `value`. */
const shareNotAbove = (sorted: Float64Array, value: number): number =>
  (sorted.findLastIndex((each) => each <= value) + 1) / sorted.length

/** Computes a quantile, interpolated linearly between neighbours; null if there are no values. */
export function quantile(sorted: Float64Array, level: number): number | null {
  if (sorted.length === 0) return null
  const at = (sorted.length - 1) * level
  const low = Math.floor(at)
  const next = sorted[Math.min(low + 1, sorted.length - 1)]
  return sorted[low] + (next - sorted[low]) * (at - low)
}

/** Statistics without values, for a formula that cannot be computed. */
export const noStatistics: SeriesStatistics = {
  problem: null,
  rows: 0,
  missing: 0,
  first: null,
  last: null,
  min: null,
  max: null,
  mean: null,
  deviation: null,
  quantiles: statisticsLevels.map(() => null),
  autocorrelation: null,
  lastShare: null,
  spells: null,
  pairing: null,
  correlation: null,
  beta: null,
  unit: null,
  betaUnit: null,
  unitWarnings: [],
  notes: [],
}
