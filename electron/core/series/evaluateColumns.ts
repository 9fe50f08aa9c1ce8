import { FormulaError } from '#shared/formula/formulaError.ts'
import { type EvaluatedSeries, evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import { isSettled } from '#shared/formula/inputReach.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { knownDelayUs, type OwnTiming, readingAsKnown } from '#shared/formula/ownData.ts'
import { type Companion, refuseTooManyRows, type Series, type SeriesInput } from '#shared/formula/series.ts'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import type { Column } from '#shared/contract/frame.ts'
import { binFrame, binWidthMs, ColumnBins, gridOver, cutBins, withSplitBins } from '#shared/overview/bins.ts'
import type { FormulaAnswer, FormulaInput, FormulaTask, UnreadSlice } from './readerTask.ts'
import { readSeries } from './readSeries.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

/** Evaluates a formula over all rows and then reduces the result. */
export function evaluateColumns(task: FormulaTask): FormulaAnswer {
  const { inputs, unread } = readSettled(task, [task.formula])
  const { series, problem } = tryEvaluate(task.formula, inputs)
  if (!series)
    return { points: null, problem, unit: null, unitWarnings: [], notes: [], unknownFunding: [], rows: 0, unread }
  const cut = cutTo(series, task)
  const { unit, unitWarnings, notes, unknownFunding } = series
  const facts = { problem: null, unit, unitWarnings, notes, unknownFunding }
  return { points: pointsOf(cut, task), ...facts, rows: cut.values.length, unread }
}

/** Factor by which the additional time that is read grows from one attempt to the next. */
const FURTHER_FACTOR = 4

/**
 * Reads the inputs of formulas as far back as needed: until the results have settled, or until there are no earlier
 * rows.
 */
export function readSettled(
  { inputs: columns, startMs }: Pick<FormulaTask, 'inputs' | 'startMs'>,
  formulas: readonly string[],
) {
  const allColumns = Object.values(columns)
  const firstMs = (column: FormulaInput) => column.slices.at(0)?.startMs ?? Infinity
  let furtherMs = 0
  for (;;) {
    const read = readInputs(columns, furtherMs)
    const isAllRead = allColumns.every(
      (column) => column.fromMs === undefined || firstMs(column) >= column.fromMs - furtherMs,
    )
    if (isAllRead || formulas.every((formula) => hasSettled(formula, read.inputs, startMs))) return read
    const reachMs = Math.max(...allColumns.map(({ fromMs = startMs }) => startMs - fromMs), MS_PER_DAY)
    furtherMs = furtherMs === 0 ? reachMs : furtherMs * FURTHER_FACTOR
  }
}

/**
 * Tells whether earlier rows no longer matter to a formula; true also for an invalid formula, whose error the
 * evaluation reports.
 */
function hasSettled(formula: string, inputs: ReadonlyMap<string, SeriesInput>, startMs: number): boolean {
  try {
    return isSettled(formula, inputs, startMs)
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return true
  }
}

function readInputs(columns: Record<string, FormulaInput>, furtherMs: number) {
  const inputs = new Map<string, SeriesInput>()
  const unread: Record<string, UnreadSlice[]> = {}
  let duplicates = 0
  for (const [name, column] of Object.entries(columns)) {
    const fromMs = (column.fromMs ?? -Infinity) - furtherMs
    const slices = column.slices
      .filter(({ endMs }) => endMs > fromMs)
      .map((slice) => ({ ...slice, startMs: Math.max(slice.startMs, fromMs) }))
    const rows = readSeries({ ...column, slices })
    unread[name] = rows.unread
    duplicates += rows.duplicates
    const [times, values, ...others] = rows.frame.columns.map(numbersOf)
    if (column.own) {
      inputs.set(name, ownSeriesInput(column, column.own, times.values, values))
      continue
    }
    const { intervalMs, unit, contractSizes, funding, resample, companions } = column
    inputs.set(name, {
      ...values,
      times: times.values,
      intervalMs,
      ...(unit !== undefined && { unit }),
      ...(contractSizes && { contractSizes }),
      ...(funding && { funding }),
      ...(resample && { resample }),
      ...coveredOf(column, furtherMs),
      companions: {
        ...Object.fromEntries(
          others.map((other, index) => {
            const companion = column.columns[index + 1]
            return [companion, { ...other, resample: companions[companion] }]
          }),
        ),
        ...readCompanions(column, fromMs, unread[name]),
      },
    })
  }
  return { inputs, unread, duplicates }
}

/** Joins the rows of an own dataset to the grid of a formula as they were known, before any function sees them. */
function ownSeriesInput(
  { columns: [column], intervalMs, unit, rangeToRead }: FormulaInput,
  timing: OwnTiming,
  labels: Float64Array,
  { values, valid }: { values: Float64Array; valid: Uint8Array | null },
): SeriesInput {
  const timesUs = labels.map((timeMs) => Math.round(timeMs * 1000))
  const present = valid ? values.map((value, row) => (valid[row] ? value : NaN)) : values
  const firstKnownMs = timesUs.length === 0 ? Infinity : (timesUs[0] + knownDelayUs(timing)) / 1000
  const startMs = rangeToRead.startMs === -Infinity ? firstKnownMs - intervalMs : rangeToRead.startMs
  const firstSlot = Math.ceil(startMs / intervalMs)
  const rows = Math.ceil(rangeToRead.endMs / intervalMs) - firstSlot
  if (!(rows > 0))
    return {
      times: new Float64Array(0),
      values: new Float64Array(0),
      valid: null,
      intervalMs,
      ...(unit !== undefined && { unit }),
    }
  refuseTooManyRows(rows)
  const joined = readingAsKnown(column, { timesUs, values: present }, timing, { intervalMs, firstSlot, rows })
  const times = Float64Array.from({ length: rows }, (_, row) => (firstSlot + row) * intervalMs)
  return { times, values: joined.values, valid: joined.valid, intervalMs, ...(unit !== undefined && { unit }) }
}

/** Reads the columns of other datasets that weight the rows of a column. */
function readCompanions(
  { otherDatasets }: FormulaInput,
  fromMs: number,
  unread: UnreadSlice[],
): Record<string, Companion> {
  return Object.fromEntries(
    Object.entries(otherDatasets).map(([name, { task, resample }]) => {
      const slices = task.slices.filter(({ endMs }) => endMs > fromMs)
      const rows = readSeries({ ...task, slices })
      unread.push(...rows.unread)
      const [times, values] = rows.frame.columns.map(numbersOf)
      return [name, { ...values, times: times.values, resample }]
    }),
  )
}

/** Returns the range, if any, in which intervals without a row count as rows without a value. */
function coveredOf({ extent, rangeToRead }: FormulaInput, furtherMs: number): Pick<SeriesInput, 'covered'> {
  if (!extent) return {}
  const startMs = Math.max(extent.startMs, rangeToRead.startMs - furtherMs)
  const endMs = Math.min(extent.endMs, rangeToRead.endMs)
  return startMs < endMs ? { covered: { startMs, endMs } } : {}
}

/** Returns the series of a formula, or its problem. */
export function tryEvaluate(
  formula: string,
  inputs: ReadonlyMap<string, SeriesInput>,
): { series: EvaluatedSeries; problem: null } | { series: null; problem: FormulaProblem } {
  try {
    return { series: evaluateFormula(formula, inputs), problem: null }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { series: null, problem: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Cuts a series to the rows that start in a range. */
export function cutTo(series: Series, { startMs, endMs }: TimeRange): Series {
  const { intervalMs, firstSlot, values, valid } = series
  const clamp = (row: number) => Math.min(Math.max(row, 0), values.length)
  const from = clamp(Math.ceil(startMs / intervalMs) - firstSlot)
  const to = Math.max(from, clamp(Math.ceil(endMs / intervalMs) - firstSlot))
  return {
    ...series,
    firstSlot: firstSlot + from,
    values: values.slice(from, to),
    valid: valid?.slice(from, to) ?? null,
  }
}

export function pointsOf(
  series: Series,
  { startMs, endMs, points, edges }: Pick<FormulaTask, 'startMs' | 'endMs' | 'points' | 'edges'>,
): OverviewPoints {
  const { intervalMs: stepMs, firstSlot, values, valid } = series
  const times = values.map((_, row) => (firstSlot + row) * stepMs)
  if (values.length <= points) {
    const columns: Column[] = [
      { name: 'time', kind: 'time', values: times, valid: null },
      { name: 'value', kind: 'number', values, valid },
    ]
    return { kind: 'rows', binMs: null, stepMs, frame: { rows: values.length, columns } }
  }
  const binMs = binWidthMs(endMs - startMs, points, stepMs)
  const bins = new ColumnBins(gridOver(startMs, endMs, binMs))
  bins.addRows(times, { values, valid })
  const cuts = cutBins(bins.grid, edges).map((cut) => {
    const [from, to] = [cut.bounds[0], cut.bounds[cut.bounds.length - 1]].map((edge) =>
      Math.max(0, Math.ceil(edge / stepMs) - firstSlot),
    )
    const rows = { name: 'value', values: values.subarray(from, to), valid: valid && valid.subarray(from, to) }
    return { ...cut, times: times.subarray(from, to), columns: [rows] }
  })
  const frame = withSplitBins(binFrame(bins.grid, [{ name: 'value', bins }]), cuts)
  return { kind: 'bins', binMs, stepMs, frame }
}

function numbersOf(column: Column): { values: Float64Array; valid: Uint8Array | null } {
  if (column.kind !== 'text') return column
  return { values: new Float64Array(column.values.length).fill(NaN), valid: new Uint8Array(column.values.length) }
}
