import type { FittedLine, OverviewPoints, Relationships } from '#shared/contract/areas/series.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import { numberColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { alignSeries, commonGrid, type Grid } from '#shared/formula/alignSeries.ts'
import type { EvaluatedSeries, FormulaInputs } from '#shared/formula/evaluateFormula.ts'
import type { Series } from '#shared/formula/series.ts'
import { correlationOf } from '#shared/statistics/pairMoments.ts'
import { momentsAtLag, regressionLine } from '#shared/statistics/regressionLine.ts'
import { divideUnits, parseUnit, unitText, unitWarning } from '#shared/units/measureUnits.ts'
import { tryEvaluate, cutTo, pointsOf, readSettled } from './evaluateColumns.ts'
import type { FormulaVariants, RelationshipsAnswer, RelationshipsTask } from './readerTask.ts'

/** Writes rolling statistics as formulas, so that a chart of these formulas shows the same numbers. */
const rollingFormulas = (y: string, x: string, rows: number) => ({
  correlation: `rollcorr(${y}, ${x}, ${rows})`,
  residual: `resid(${y}, ${x}, ${rows})`,
})

const noPoints: OverviewPoints = { kind: 'rows', binMs: null, stepMs: null, frame: { rows: 0, columns: [] } }

/** Creates the empty result for formulas that cannot be computed. */
export const noRelationships = (
  formulas: readonly { name: string }[],
): Omit<Relationships, 'unread' | 'files' | 'problem'> & { problem: null } => ({
  problem: null,
  intervalMs: 0,
  series: [],
  matrix: { r: formulas.map(() => formulas.map(() => null)), n: formulas.map(() => formulas.map(() => 0)) },
  line: null,
  slopeUnit: null,
  pairs: { frame: { rows: 0, columns: [] }, every: 1 },
  lags: { rows: 0, columns: [] },
  residuals: noPoints,
  rollingCorrelation: noPoints,
  rollingResidual: noPoints,
  unitWarnings: [],
  notes: [],
})

interface ComparedSeries {
  name: string
  formula: string
  resampled: string | null
  series: EvaluatedSeries
}

/** Computes the relationships of formulas over all rows of a range. */
export function relationshipsOf(task: RelationshipsTask): RelationshipsAnswer {
  const { inputs, unread } = readSettled(task, formulasOf(task))
  const compared: ComparedSeries[] = []
  for (const formula of task.formulas) {
    const found = evaluateVariants(formula, inputs)
    if ('problem' in found)
      return { ...noRelationships(task.formulas), problem: { name: formula.name, ...found.problem }, unread }
    compared.push(found)
  }
  const cuts = compared.map(({ series }) => cutTo(series, task))
  const grid = commonGrid(cuts)
  const columns = cuts.map((cut) => withGaps(alignSeries(cut, grid)))
  const [x, y] = [compared[task.x], compared[task.y]]
  const slope = divideUnits(parseUnit(y.series.unit), parseUnit(x.series.unit))
  const warnings = [...compared.flatMap(({ series }) => series.unitWarnings), unitWarning(slope)]
  const rolling = rollingFormulas(y.formula, x.formula, task.windowRows)
  return {
    problem: null,
    intervalMs: grid.intervalMs,
    series: compared.map(({ name, formula, resampled, series }, at) => ({
      name,
      formula,
      resampled,
      unit: series.unit,
      values: columns[at].reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0),
    })),
    matrix: matrixOf(columns),
    ...lineAndResiduals(columns[task.x], columns[task.y], grid, task),
    slopeUnit: unitText(slope),
    pairs: pairsOf(columns[task.x], columns[task.y], grid, task.pairs),
    lags: lagFrame(columns[task.x], columns[task.y], task.lags),
    rollingCorrelation: pointsOfFormula(rolling.correlation, inputs, task),
    rollingResidual: pointsOfFormula(rolling.residual, inputs, task),
    unitWarnings: [...new Set(warnings.filter((warning) => warning !== null))],
    notes: [...new Set(compared.flatMap(({ series }) => series.notes))],
    unread,
  }
}

/** Lists all formulas whose rows a task may need, with all their variants. */
export function formulasOf({
  formulas,
  x,
  y,
  windowRows,
}: Pick<RelationshipsTask, 'formulas' | 'x' | 'y' | 'windowRows'>): string[] {
  const rolling = formulas[y].variants.flatMap((one) =>
    formulas[x].variants.flatMap((other) => Object.values(rollingFormulas(one.formula, other.formula, windowRows))),
  )
  return [...formulas.flatMap(({ variants }) => variants.map(({ formula }) => formula)), ...rolling]
}

/** Returns the series of the first variant that can be evaluated; if none can, the problem of the last one. */
function evaluateVariants(
  { name, variants }: FormulaVariants,
  inputs: FormulaInputs,
): ComparedSeries | { problem: FormulaProblem } {
  let problem: FormulaProblem = { message: '', start: 0, end: 0 }
  for (const { formula, resampled } of variants) {
    const found = tryEvaluate(formula, inputs)
    if (found.series) return { name, formula, resampled, series: found.series }
    problem = found.problem
  }
  return { problem }
}

function withGaps({ values, valid }: Series): Float64Array {
  return valid ? values.map((value, row) => (valid[row] ? value : NaN)) : values
}

function matrixOf(columns: readonly Float64Array[]): Relationships['matrix'] {
  const r = columns.map(() => columns.map((): number | null => null))
  const n = columns.map(() => columns.map(() => 0))
  for (let row = 0; row < columns.length; row++) {
    for (let column = row; column < columns.length; column++) {
      const moments = momentsAtLag(columns[row], columns[column])
      const correlation = correlationOf(moments)
      // The correlation of a series with itself is exactly 1, whatever the rounding.
      r[row][column] = r[column][row] = row === column && correlation !== null ? 1 : correlation
      n[row][column] = n[column][row] = moments.count
    }
  }
  return { r, n }
}

function lineAndResiduals(x: Float64Array, y: Float64Array, grid: Grid, task: RelationshipsTask) {
  const line = regressionLine(x, y)
  if (!line) return { line: null, residuals: noPoints }
  const { residuals, ...figures } = line
  const valid = Uint8Array.from(residuals, (value) => (Number.isNaN(value) ? 0 : 1))
  const series = { intervalMs: grid.intervalMs, firstSlot: grid.firstSlot, values: residuals, valid }
  return { line: figures satisfies FittedLine, residuals: pointsOf(series, { ...task, edges: [] }) }
}

/** Takes every n-th pair, so that at most `most` are drawn. */
function pairsOf(x: Float64Array, y: Float64Array, grid: Grid, most: number): Relationships['pairs'] {
  const rows: number[] = []
  for (let row = 0; row < x.length; row++) if (x[row] === x[row] && y[row] === y[row]) rows.push(row)
  const every = Math.max(1, Math.ceil(rows.length / Math.max(1, most)))
  const sampledRows = most === 0 ? [] : rows.filter((_, at) => at % every === 0)
  const columns = [
    timeColumn(
      'time',
      sampledRows.map((row) => (grid.firstSlot + row) * grid.intervalMs),
    ),
    numberColumn(
      'x',
      sampledRows.map((row) => x[row]),
    ),
    numberColumn(
      'y',
      sampledRows.map((row) => y[row]),
    ),
  ]
  return { frame: { rows: sampledRows.length, columns }, every }
}

function lagFrame(x: Float64Array, y: Float64Array, lags: number): Frame {
  const allLags = Array.from({ length: 2 * lags + 1 }, (_, at) => at - lags)
  const moments = allLags.map((lag) => momentsAtLag(x, y, lag))
  const columns = [
    numberColumn('lag', allLags),
    numberColumn('r', moments.map(correlationOf)),
    numberColumn(
      'n',
      moments.map(({ count }) => count),
    ),
  ]
  return { rows: allLags.length, columns }
}

function pointsOfFormula(formula: string, inputs: FormulaInputs, task: RelationshipsTask): OverviewPoints {
  const { series } = tryEvaluate(formula, inputs)
  return series ? pointsOf(cutTo(series, task), { ...task, edges: [] }) : noPoints
}
