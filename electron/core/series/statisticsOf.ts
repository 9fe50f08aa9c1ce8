import type { SeriesStatistics } from '#shared/contract/areas/series.ts'
import { alignSeries, commonGrid } from '#shared/formula/alignSeries.ts'
import { divideUnits, parseUnit, unitText, unitWarning } from '#shared/units/measureUnits.ts'
import type { Series } from '#shared/formula/series.ts'
import { statisticsLevels } from '#shared/statistics/levels.ts'
import { lagOnePairs } from '#shared/statistics/lagPairs.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { attempt, cutTo, readSettled } from './evaluateColumns.ts'
import type { StatisticsTask } from './readerTask.ts'

/** Computes statistics over all rows of a formula in a range, and of two formulas together. */
export function statisticsOf(task: StatisticsTask): SeriesStatistics {
  const { inputs } = readSettled(task, task.other === null ? [task.formula] : [task.formula, task.other])
  const found = attempt(task.formula, inputs)
  if (!found.series) return { ...noStatistics, problem: found.problem }
  const series = cutTo(found.series, task)
  const { unit, unitWarnings } = found.series
  const alone = { ...noStatistics, ...ofOne(series), unit, unitWarnings }
  if (task.other === null) return alone
  const other = attempt(task.other, inputs)
  if (!other.series) return { ...alone, problem: other.problem }
  const slope = divideUnits(parseUnit(unit), parseUnit(other.series.unit))
  const warnings = [...unitWarnings, ...other.series.unitWarnings, unitWarning(slope)].filter((one) => one !== null)
  return {
    ...alone,
    ...ofTwo(series, cutTo(other.series, task)),
    betaUnit: unitText(slope),
    unitWarnings: [...new Set(warnings)],
  }
}

type Alone = Omit<SeriesStatistics, 'problem' | 'correlation' | 'beta' | 'unit' | 'betaUnit' | 'unitWarnings'>

function ofOne({ values, valid }: Series): Alone {
  const rows = values.length
  const present = valid ? values.filter((_, row) => valid[row] !== 0) : values.slice()
  const count = present.length
  const isPresent = (row: number) => !valid || valid[row] === 1
  const lagged = lagOnePairs(values, isPresent, (row) => row, 1)
  const moments = pairMomentsOf(present, null, present, null)
  const [first = null] = present
  const last = present.at(-1) ?? null
  const sorted = present.sort()
  return {
    rows,
    missing: rows - count,
    first,
    last,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    mean: count > 0 ? moments.meanX : null,
    deviation: count > 1 ? Math.sqrt(moments.squaresX / (count - 1)) : null,
    quantiles: statisticsLevels.map((level) => quantile(sorted, level)),
    autocorrelation: correlationOf(lagged),
  }
}

function ofTwo(a: Series, b: Series): Pick<SeriesStatistics, 'correlation' | 'beta'> {
  const grid = commonGrid([a, b])
  const [one, two] = [alignSeries(a, grid), alignSeries(b, grid)]
  const pairs = pairMomentsOf(two.values, two.valid, one.values, one.valid)
  return { correlation: correlationOf(pairs), beta: pairs.squaresX > 0 ? pairs.products / pairs.squaresX : null }
}

/** Computes a quantile, linear between neighbours. */
function quantile(sorted: Float64Array, level: number): number | null {
  if (sorted.length === 0) return null
  const at = (sorted.length - 1) * level
  const low = Math.floor(at)
  const next = sorted[Math.min(low + 1, sorted.length - 1)]
  return sorted[low] + (next - sorted[low]) * (at - low)
}

/** Statistics of a formula that cannot be computed. */
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
  correlation: null,
  beta: null,
  unit: null,
  betaUnit: null,
  unitWarnings: [],
}
