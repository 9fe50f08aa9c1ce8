import type { ScannedFormula } from '#shared/contract/areas/series.ts'
import { numberColumn, type NumberColumn } from '#shared/contract/frame.ts'
import { ownDatasetId, ownReadingOf } from '#shared/formula/ownData.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { seriesNamesOf } from '#shared/formula/tree.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { computeStatistics } from './evaluate.ts'
import type { SeriesDeps } from './seriesDeps.ts'

interface FormulaScan extends TimeRange {
  /** The scanned series, one for each row. */
  series: readonly OwnedSeries[]
  formulas: readonly { name: string; formula: string }[]
  statistic: 'moment' | 'mean'
}

/** Number of series whose formulas are computed at a time. */
const SERIES_AT_ONCE = 8

/**
 * Computes formulas over each of the scanned series. A name in a formula is a column of the scanned dataset; written as
 * `dataset.column`, it is a column of another dataset of the same symbol.
 */
export async function scanFormulas(
  deps: SeriesDeps,
  { series, formulas, statistic, startMs, endMs }: FormulaScan,
  signal: AbortSignal,
  onSeries: (series: number) => void,
): Promise<{ columns: NumberColumn[]; formulas: ScannedFormula[] }> {
  const parsedFormulas = formulas.map(({ name, formula }) => ({ name, formula, ...namesOf(formula) }))
  const cells = parsedFormulas.map(() => series.map((): Cell => noCell))
  const scannedFormulas: ScannedFormula[] = parsedFormulas.map(({ name, formula, problem }) => ({
    name,
    formula,
    unit: null,
    unitWarnings: [],
    problem,
  }))
  const scanOne = async (scannedSeries: OwnedSeries, row: number) => {
    for (const [at, { formula, names }] of parsedFormulas.entries()) {
      if (scannedFormulas[at].problem !== null) continue
      const inputs = Object.fromEntries(names.map((name) => [name, inputOf(scannedSeries, name)]))
      const request = { formula, inputs, originMs: startMs, startMs, endMs, other: null, atLongerInterval: false }
      const answer = await computeStatistics(deps, { ...request, knownByMs: endMs }, signal)
      scannedFormulas[at] = {
        ...scannedFormulas[at],
        problem: answer.problem?.message ?? null,
        unit: scannedFormulas[at].unit ?? answer.unit,
        unitWarnings: [...new Set([...scannedFormulas[at].unitWarnings, ...answer.unitWarnings])],
      }
      const { last, mean, deviation, lastShare } = answer
      const isDefined = last !== null && mean !== null && deviation !== null && deviation > 0
      cells[at][row] = {
        value: statistic === 'mean' ? mean : last,
        z: isDefined ? (last - mean) / deviation : null,
        percentile: lastShare,
      }
    }
    onSeries(1)
  }
  for (let row = 0; row < series.length; row += SERIES_AT_ONCE) {
    signal.throwIfAborted()
    await Promise.all(series.slice(row, row + SERIES_AT_ONCE).map((one, at) => scanOne(one, row + at)))
  }
  const columns = cells.flatMap((rows, at) =>
    (['value', 'z', 'percentile'] as const).map((part) =>
      numberColumn(
        `formula${at}.${part}`,
        rows.map((cell) => cell[part]),
      ),
    ),
  )
  return { columns, formulas: scannedFormulas }
}

interface Cell {
  value: number | null
  z: number | null
  percentile: number | null
}
const noCell: Cell = { value: null, z: null, percentile: null }

function namesOf(formula: string): { names: string[]; problem: string | null } {
  try {
    return { names: [...seriesNamesOf(parseFormula(formula))], problem: null }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { names: [], problem: error.message }
  }
}

function inputOf(series: OwnedSeries, name: string) {
  const own = ownReadingOf(name)
  const dot = name.lastIndexOf('.')
  const dataset = own ? ownDatasetId(own.name) : dot < 0 ? series.dataset : name.slice(0, dot)
  const timestamp = series.timestamp === 'true' ? ('true' as const) : ('exchange' as const)
  return { series: { ...series, dataset }, timestamp, column: own?.column ?? name.slice(dot + 1) }
}
