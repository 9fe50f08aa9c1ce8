import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { declaredColumn } from '#shared/catalog/testedDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EvaluatedFormula, OverviewPoints, SeriesStatistics, SourceFile } from '#shared/contract/areas/series.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { FormulaProblem } from '#shared/workspace/expandFormula.ts'
import { FormulaError } from '#shared/formula/formulaError.ts'
import { inputReach, type InputReach } from '#shared/formula/inputReach.ts'
import { labelsKnownIn, ownProblem, ownProblemText } from '#core/own/ownPlan.ts'
import { ownNameOf } from '#shared/formula/ownData.ts'
import type { Resample } from '#shared/catalog/column.ts'
import { splitNeeded } from '#shared/formula/resample.ts'
import type { FormulaInput } from '#core/series/readerTask.ts'
import { noStatistics } from '#core/series/statisticsOf.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import {
  absentColumns,
  describeFiles,
  describeUnread,
  findFiles,
  isOwn,
  rowsExtent,
  sourcesOf,
  stepMsOf,
  taskOf,
} from './seriesFiles.ts'
import type { OpenTimeRange } from '#shared/time/ranges.ts'
import { allColumnsNeeded, rulesOf } from './columnRules.ts'
import { costsOf, waitReporter } from './formulaCosts.ts'
import type { SeriesDeps } from './seriesDeps.ts'
import { fundingOfInputs } from './inputFunding.ts'
import { splitTimes } from './overview.ts'
import type { SeriesFiles, SeriesName } from './seriesFiles.ts'

export interface FormulaRequest extends OpenTimeRange {
  formula: string
  inputs: Record<string, ColumnName>
  originMs: number | null
}

interface ColumnName extends SeriesName {
  column: string
  /** True to take rows of an own dataset at their own times, which says nothing of when they were known. */
  atLabel?: boolean | undefined
}

interface PreparedFormulas {
  range: TimeRange
  columns: Record<string, FormulaInput>
  /** Files with the rows of the range itself, without earlier rows, by input. */
  filesInRange: Record<string, SeriesFiles>
  /** Files of other datasets that the resampling of an input needs as weights, by input. */
  weightFiles: Record<string, SeriesFiles[]>
}

/** Evaluates a formula over columns and reduces the result to about `points` points. */
export async function evaluate(
  deps: SeriesDeps,
  request: FormulaRequest & { points: number; edges?: readonly number[] },
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => {},
): Promise<EvaluatedFormula> {
  const prepared = await prepareFormulas(deps, request, [request.formula], signal)
  if ('problem' in prepared)
    return {
      points: noPoints,
      range: { startMs: 0, endMs: 0 },
      unit: null,
      unitWarnings: [],
      notes: [],
      unknownFunding: [],
      rows: 0,
      inputs: {},
      ...prepared,
    }
  const { range, columns, filesInRange, weightFiles } = prepared
  const { formula, points } = request
  const edges = splitTimes(request)
  const task = { formula, inputs: columns, points, edges, ...range }
  const costs = costsOf([formula], columns)
  const answer = await deps.costs.run(costs, () =>
    deps.reader.run('formula', task, signal, waitReporter(costs, onProgress)),
  )
  const inputs = Object.fromEntries(
    Object.entries(filesInRange).map(([name, files]) => [
      name,
      {
        ...withFiles(describeFiles(deps, files), weightFiles[name].flatMap(sourcesOf)),
        unread: describeUnread(deps, answer.unread[name] ?? []),
        absentColumns: absentColumns(deps.store, files, [request.inputs[name].column]),
      },
    ]),
  )
  const { problem, unit, unitWarnings, notes, unknownFunding, rows } = answer
  return { points: answer.points ?? noPoints, range, problem, unit, unitWarnings, notes, unknownFunding, rows, inputs }
}

export async function computeStatistics(
  deps: SeriesDeps,
  request: FormulaRequest & { other: string | null; atLongerInterval: boolean; knownByMs?: number },
  signal: AbortSignal,
): Promise<SeriesStatistics> {
  const { formula, other, atLongerInterval, knownByMs } = request
  const formulas = other === null ? [formula] : [formula, other]
  const prepared = await prepareFormulas(deps, request, formulas, signal)
  if ('problem' in prepared) return { ...noStatistics, ...prepared }
  const options = { formula, other, atLongerInterval, ...(knownByMs !== undefined && { knownByMs }) }
  return deps.costs.run(costsOf(formulas, prepared.columns), () =>
    deps.reader.run('statistics', { ...options, inputs: prepared.columns, ...prepared.range }, signal),
  )
}

const noPoints: OverviewPoints = { kind: 'rows', binMs: null, stepMs: null, frame: { rows: 0, columns: [] } }

/** Finds the files with the rows that formulas depend on, or the problem of one of the formulas. */
export async function prepareFormulas(
  deps: SeriesDeps,
  request: FormulaRequest,
  formulas: readonly string[],
  signal?: AbortSignal,
): Promise<PreparedFormulas | { problem: FormulaProblem }> {
  const { store, touch } = deps
  try {
    const intervals = new Map(
      Object.entries(request.inputs).map(([name, input]) => [name, seriesInterval(name, input)]),
    )
    const reach = formulas.flatMap((formula) => [...inputReach(formula, intervals)])
    const inputByName = new Map(reach.map(([name]) => [name, request.inputs[name]]))
    const filesInRange = Object.fromEntries(
      [...inputByName].map(([name, input]) => [name, findFiles(store, input, request)]),
    )
    const range = unionOf(
      Object.values(filesInRange).map((files) => files.range),
      request,
    )
    for (const [name, { series, column }] of inputByName) refuseUnknownOwn(store, name, series, column)
    const columns: PreparedFormulas['columns'] = {}
    const weightFiles: PreparedFormulas['weightFiles'] = {}
    for (const [name, input] of inputByName) {
      const reachOfInput = reach.filter(([inputName]) => inputName === name)
      const rangeToRead = findRangeToRead(range, request.originMs, reachOfInput)
      if (isOwn(input.series)) {
        const mayNeedMore = reachOfInput.some(([, each]) => each.mayNeedMore)
        columns[name] = ownInput(
          deps,
          input,
          intervals.get(name)!,
          mayNeedMore ? { ...rangeToRead, startMs: null } : rangeToRead,
        )
        weightFiles[name] = []
        continue
      }
      // Values may be missing, so how far back a smoothed mean must be read is known only while reading.
      const readsUntilSettled =
        reachOfInput.some(([, each]) => each.mayNeedMore) && !reachOfInput.some(([, { fromOrigin }]) => fromOrigin)
      const files = findFiles(store, input, readsUntilSettled ? { ...rangeToRead, startMs: null } : rangeToRead)
      const extent = rowsExtent(store, input)
      const otherDatasets = otherDatasetColumnsOf(deps, input, rangeToRead)
      weightFiles[name] = Object.values(otherDatasets).map((one) => one.files)
      weightFiles[name].forEach(touch)
      touch(files)
      columns[name] = {
        ...taskOf(store, files),
        ...rulesOf(input, store),
        otherDatasets: Object.fromEntries(
          Object.entries(otherDatasets).map(([needed, { files: others, column, resample }]) => [
            needed,
            { task: { ...taskOf(store, others), columns: [column] }, resample },
          ]),
        ),
        ...enteredSizes(store, input.series),
        intervalMs: intervals.get(name)!,
        ...(readsUntilSettled && rangeToRead.startMs !== null && { fromMs: rangeToRead.startMs }),
        ...(extent && { extent }),
        rangeToRead: { startMs: rangeToRead.startMs ?? -Infinity, endMs: rangeToRead.endMs },
      }
    }
    const funding = await fundingOfInputs(
      deps,
      formulas,
      { inputs: inputByName, range: rangeOfRows(Object.values(columns), range) },
      signal,
    )
    for (const [name, periods] of funding) columns[name].funding = periods
    return { range, columns, filesInRange, weightFiles }
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    return { problem: { message: error.message, start: error.start, end: error.end } }
  }
}

/** Throws a `FormulaError` for a name that looks like one of an own dataset and is none. */
function refuseUnknownOwn(store: Store, name: string, { dataset }: OwnedSeries, column: string): void {
  const ownName = ownNameOf(dataset)
  const problem = ownName === null ? null : ownProblem(store, { name: ownName, column })
  if (problem !== null) throw new FormulaError(ownProblemText(name, problem), { start: 0, end: 0 })
}

/** Plans the reading of a column of an own dataset, whose rows are joined to the grid as they were known. */
function ownInput(
  { store }: SeriesDeps,
  input: ColumnName,
  intervalMs: number,
  { startMs, endMs }: OpenTimeRange & { endMs: number },
): FormulaInput {
  const { record } = store.ownData.read(ownNameOf(input.series.dataset)!)
  const timing = { intervalMs: record.intervalMs, knownAfterMs: record.knownAfterMs }
  const shared = {
    ...rulesOf(input, store),
    otherDatasets: {},
    rangeToRead: { startMs: startMs ?? -Infinity, endMs },
  }
  if (input.atLabel && record.intervalMs !== null)
    return { ...taskOf(store, findFiles(store, input, { startMs, endMs })), ...shared, intervalMs: record.intervalMs }
  const labels = labelsKnownIn(timing, { startMs: startMs ?? -Infinity, endMs })
  const range = {
    startMs: labels.startUs === -Infinity ? null : labels.startUs / 1000,
    endMs: Math.ceil(labels.endUs / 1000),
  }
  return { ...taskOf(store, findFiles(store, input, range)), ...shared, intervalMs, own: timing }
}

/** Returns the range of all rows that may be read; its start is null if that is not known before reading. */
function rangeOfRows(columns: readonly FormulaInput[], range: TimeRange): OpenTimeRange {
  const startMs = Math.min(range.startMs, ...columns.map(({ rangeToRead }) => rangeToRead.startMs))
  const isOpen = startMs === -Infinity || columns.some(({ fromMs }) => fromMs !== undefined)
  return { startMs: isOpen ? null : startMs, endMs: range.endMs }
}

export function seriesInterval(name: string, { series }: SeriesName): number {
  const stepMs = stepMsOf(series)
  if (stepMs === null) throw new AppError('bad-input', `“${name}” has no interval; a formula needs one.`)
  return stepMs
}

/** Computes the range of an input's rows on which the result in a range depends. */
function findRangeToRead(
  { startMs, endMs }: TimeRange,
  originMs: number | null,
  reach: readonly [string, InputReach][],
): OpenTimeRange & { endMs: number } {
  const lastMs = endMs + Math.max(...reach.map(([, { aheadMs }]) => aheadMs))
  if (reach.some(([, { fromOrigin }]) => fromOrigin)) return { startMs: originMs ?? startMs, endMs: lastMs }
  return { startMs: startMs - Math.max(...reach.map(([, { backMs }]) => backMs)), endMs: lastMs }
}

export function unionOf(ranges: readonly TimeRange[], { startMs, endMs }: OpenTimeRange): TimeRange {
  const nonEmptyRanges = ranges.filter((range) => range.endMs > range.startMs)
  const unionStartMs = startMs ?? Math.min(...nonEmptyRanges.map((range) => range.startMs))
  const unionEndMs = endMs ?? Math.max(...nonEmptyRanges.map((range) => range.endMs))
  return Number.isFinite(unionStartMs) && unionEndMs > unionStartMs
    ? { startMs: unionStartMs, endMs: unionEndMs }
    : { startMs: 0, endMs: 0 }
}

/** Returns the contract sizes that the user entered; an empty object if there are none. */
export function enteredSizes(
  { instruments }: SeriesDeps['store'],
  { exchange, symbol }: OwnedSeries,
): Pick<FormulaInput, 'contractSizes'> {
  const contractSizes = instruments.contractSizes(exchange, symbol)
  return contractSizes.length === 0 ? {} : { contractSizes }
}

const withFiles = <Described extends { files: SourceFile[] }>(
  described: Described,
  moreFiles: SourceFile[],
): Described => ({
  ...described,
  files: [...described.files, ...moreFiles],
})

interface OtherDatasetColumn {
  files: SeriesFiles
  column: string
  resample: Resample
}

/**
 * Finds the files of other datasets that the resampling rule of a column needs; those that are not cached are left out.
 */
function otherDatasetColumnsOf(
  { store }: SeriesDeps,
  { series, timestamp, column }: SeriesName & { column: string },
  rangeToRead: OpenTimeRange,
): Record<string, OtherDatasetColumn> {
  const otherDatasets: Record<string, OtherDatasetColumn> = {}
  for (const neededColumn of allColumnsNeeded(series.dataset, column)) {
    const { dataset, column: name } = splitNeeded(neededColumn)
    const other = dataset === null ? undefined : declaredColumn(dataset, name)
    if (dataset === null || !other) continue
    const files = findFiles(store, { series: { ...series, dataset }, timestamp }, rangeToRead)
    if (files.slices.length > 0) otherDatasets[neededColumn] = { files, column: name, resample: other.resample }
  }
  return otherDatasets
}
