import { basename, resolve } from 'node:path'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import type { Distribution } from '#shared/contract/areas/series.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import { parseSeriesName } from '#shared/portfolio/book/seriesName.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { warningText } from '#shared/portfolio/tearSheetDocument.ts'
import { tearSheetSheet } from '#shared/portfolio/tearSheetSections.ts'
import type {
  PartQuery,
  ReportCandles,
  ReportContent,
  ReportSource,
  SqlReportQuery,
  StudyQuery,
  TearSheetQuery,
  WorkbenchQuery,
} from '#shared/report/reportContent.ts'
import { definitionVersions } from '#shared/report/reportContent.ts'
import { drawnCandles } from '#shared/overview/drawn.ts'
import { type Flags, flagsIn } from '#shared/overview/flags.ts'
import { sheetParts } from '#shared/report/sheetReport.ts'
import { MOST_SQL_ROWS, sqlReport } from '#shared/report/sqlReport.ts'
import { studyReport } from '#shared/report/studyReport.ts'
import {
  CANDLES_PER_CHART,
  type ReportedSeries,
  pointsPerSeries,
  shownEntries,
  workbenchReport,
} from '#shared/report/workbenchReport.ts'
import { chosenChart } from '#shared/report/resultChart.ts'
import { isNumberType } from '#shared/sql/resultType.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import { candleColumns, isDrawnAsCandles } from '#shared/workspace/candles.ts'
import { columnsBehind, expandEntry, hasValues, isAtLabels, isDrawnAsFlags } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { createKeptRuns } from '#core/lab/book/keptWeights.ts'
import type { Lab } from '#core/lab/lab.ts'
import { documentHash } from '#core/store/ledger/studyIdentity.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import { prepareFormulas } from '#core/series/evaluate.ts'
import { rowsExtent } from '#core/series/seriesFiles.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import type { SqlService } from '#core/sql/sqlService.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace } from '#core/store/ledger/ledgerEntry.ts'
import type { Store } from '#core/store/store.ts'
import { factsFile, keptHistoryLoader, type ReplayedAnswers, servedHistoryLoader } from './answers.ts'
import { type CalibrationPartDeps, computeCalibration } from './calibrationPart.ts'
import { computePlan } from './planPart.ts'
import { ownSource, runSource, servedSource } from './returnsSource.ts'
import type { ReportFiles } from './sourceFiles.ts'

/** Services that compute the parts of a report. */
export interface PartDeps extends CalibrationPartDeps {
  store: Store
  clock: Clock
  series: SeriesService
  lab: Pick<Lab, 'run'>
  sql: SqlService
  ledger: () => Ledger
  openPortfolio: OpenPortfolio
  sources: ReportFiles
}

/** Context in which one report is computed. */
export interface PartContext extends ReplayedAnswers {
  /** Folder for relative paths of files outside the data folder. */
  baseFolder: string
  signal: AbortSignal
  who: LedgerFace
}

/** Computes the content of one part of a report. */
export function computePart(deps: PartDeps, query: PartQuery, context: PartContext): Promise<ReportContent> {
  switch (query.kind) {
    case 'tearsheet':
      return computeTearSheet(deps, query, context)
    case 'workbench':
      return computeWorkbench(deps, query, context)
    case 'study':
      return computeStudy(deps, query, context)
    case 'sql':
      return computeSql(deps, query, context)
    case 'plan':
      return computePlan(deps, query, context)
    case 'calibration':
      return computeCalibration(deps, context)
  }
}

/** Approximate number of flags in a chart. */
const FLAGS_PER_CHART = 200

const isSynthetic = ({ connections }: Store, connectionId: string): boolean => connections.find(connectionId).builtIn

const orUndefined = (value: string | null): string | undefined => value ?? undefined

async function computeTearSheet(deps: PartDeps, query: TearSheetQuery, context: PartContext): Promise<ReportContent> {
  const sources: ReportSource[] = []
  const loadHistory =
    context.replayedSources === null
      ? servedHistoryLoader(deps, context, sources)
      : keptHistoryLoader(deps, context, sources)
  const { returns: own, portfolio } = query
  const benchmark = orUndefined(query.benchmark)
  const runName = parseRunName(portfolio ?? '')
  const source = runName
    ? await runSource(portfolio!, runReturns(deps, runName, context, sources), benchmark, loadHistory)
    : own === null
      ? await servedSource(
          {
            portfolio: portfolio ?? '',
            smoothing: orUndefined(query.smoothing),
            exchange: orUndefined(query.exchange),
            benchmark,
          },
          loadHistory,
        )
      : await ownSource({ ...(await ownFile(deps, own, context, sources)), benchmark }, loadHistory)
  const { start, end, riskFree, rolling } = query
  const sheet = tearSheet(source.returns, {
    ...(start !== null && { startDay: dayNumberOf(start) }),
    ...(end !== null && { endDay: dayNumberOf(end) + 1 }),
    riskFree,
    rollingWindow: rolling ?? undefined,
    benchmark: source.benchmark ?? undefined,
  })
  const { title, subtitle, sections } = tearSheetSheet({ ...source.request, riskFree }, sheet, false)
  const isServed = runName !== null || sources.some(({ path }) => path.startsWith('record/'))
  return {
    ...{ title, subtitle, parts: sheetParts(sections), sources },
    definitions: definitionVersions(
      sections.flatMap((section) =>
        section.kind === 'figures' ? section.figures.map(({ id }) => `tearsheet.${id}`) : [],
      ),
    ),
    warnings: source.warnings.map(warningText),
    isSynthetic: isServed && isSynthetic(deps.store, context.connectionId),
  }
}

/** Reads a name such as `blend:ID` or `test:ID`; null for a portfolio of the service. */
function parseRunName(name: string): { kind: 'blend' | 'test'; id: string } | null {
  const series = parseSeriesName(name)
  return series?.kind === 'blend' || series?.kind === 'test' ? { kind: series.kind, id: series.id } : null
}

/** Takes the net returns of a test or a blend, which a replay takes from the report's own facts. */
function runReturns(
  { store, clock, sources: files }: PartDeps,
  { kind, id }: { kind: 'blend' | 'test'; id: string },
  { replayedSources }: PartContext,
  sources: ReportSource[],
): DailySeries {
  const question = `returns of ${kind}:${id}`
  if (replayedSources !== null) {
    const { days, values } = factsFile.read<{ days: number[]; values: number[] }>(
      files,
      replayedSources,
      question,
      sources,
    )
    return { days: Int32Array.from(days), values: Float64Array.from(values), valid: null }
  }
  const returns = netReturns(createKeptRuns(store.studyRuns)[kind](id))
  const facts = { days: [...returns.days], values: [...returns.values] }
  sources.push(factsFile.keep(files, question, facts, { service: 'computed here', fetchedAt: clock.nowMs() }))
  return returns
}

async function ownFile(
  { sources: files }: PartDeps,
  own: NonNullable<TearSheetQuery['returns']>,
  { baseFolder }: PartContext,
  sources: ReportSource[],
) {
  const path = resolve(baseFolder, own.file)
  const text = decodeText(readSmallBytes(path, MOST_LIST_CHARACTERS * 4))
  sources.push(await files.describeOutside(path, own.file, 'your own file'))
  return { file: basename(path), text, unit: own.unit, cost: own.cost }
}

async function computeWorkbench(deps: PartDeps, query: WorkbenchQuery, context: PartContext): Promise<ReportContent> {
  const { store, series, sources } = deps
  const { document, startMs, endMs } = query
  const entries = shownEntries(document)
  const points = pointsPerSeries(entries.length)
  const allEntries = document.panes.flatMap((pane) => pane.series)
  const hashes = new Set<string>()
  const computed: ReportedSeries[] = []
  for (const entry of entries) {
    const expanded = expandEntry(entry, allEntries)
    if ('problem' in expanded) throw new AppError('bad-input', `${entry.name}: ${expanded.problem.message}`)
    const request = {
      formula: expanded.formula,
      inputs: Object.fromEntries(
        Object.entries(expanded.columns).map(([name, each]) => [
          name,
          { ...inputOf(each, context.connectionId), atLabel: isAtLabels(entry) },
        ]),
      ),
      startMs,
      endMs,
      originMs: null,
    }
    const prepared = await prepareFormulas(series.deps, request, [request.formula], context.signal)
    if ('columns' in prepared) for (const hash of hashesOf(Object.values(prepared.columns))) hashes.add(hash)
    const evaluated = await series.evaluate({ ...request, points, edges: [startMs, endMs] }, context.signal)
    const statistics = await series.statistics({ ...request, other: null, atLongerInterval: false }, context.signal)
    const candles = await candlesOf(series, entry, { startMs, endMs }, context)
    const flags = await flagsOf(series, entry, { startMs, endMs }, context)
    computed.push({ entry, evaluated, statistics, candles, flags })
  }
  const distributions = await distributionsOf(series, document, { startMs, endMs }, context)
  const sourceKinds = new Set(entries.map((entry: SeriesEntry) => entry.source.kind))
  return {
    ...workbenchReport(
      query,
      computed,
      distributions,
      ({ exchange, symbol }) => store.instruments.contractSizes(exchange, symbol),
      store.venues.of(context.connectionId),
    ),
    sources: sources.describe(store.files.withContent([...hashes])),
    isSynthetic: sourceKinds.size > 0 && isSynthetic(store, context.connectionId),
  }
}

/** Computes the distributions that panes show in place of lines, by pane. */
async function distributionsOf(
  series: SeriesService,
  document: WorkspaceDocument,
  { startMs, endMs }: TimeRange,
  { connectionId, signal }: PartContext,
): Promise<Map<string, Distribution>> {
  const all = allSeries(document)
  const found = new Map<string, Distribution>()
  for (const { id, distribution: by, series: listed } of document.panes) {
    const entries = listed.filter(hasValues)
    if (!by || entries.length === 0) continue
    const inputs: Record<string, ReturnType<typeof inputOf>> = {}
    const formulas = entries.map((entry) => {
      const expanded = expandEntry(entry, all)
      if ('problem' in expanded) throw new AppError('bad-input', `${entry.name}: ${expanded.problem.message}`)
      for (const [name, each] of Object.entries(expanded.columns)) inputs[name] = inputOf(each, connectionId)
      return { name: entry.name, formula: expanded.formula }
    })
    const request = { by, formulas, inputs, startMs, endMs, originMs: null }
    found.set(id, await series.distribution(request, signal))
  }
  return found
}

/** Reads the candles of a series that is drawn as candles of its own prices; null for any other series. */
async function candlesOf(
  series: SeriesService,
  entry: SeriesEntry,
  { startMs, endMs }: TimeRange,
  { connectionId, signal }: PartContext,
): Promise<ReportCandles | null> {
  const { source } = entry
  if (source.kind !== 'column' || entry.transform !== 'none' || !isDrawnAsCandles(entry)) return null
  const request = { ...inputOf(source, connectionId), columns: candleColumns, startMs, endMs }
  const read = await series.overview({ ...request, points: CANDLES_PER_CHART, edges: [startMs, endMs] }, signal)
  const { times, values, valid, stepMs, candles } = drawnCandles(read.points)
  const isShown = (_: number, row: number) => times[row] >= startMs && times[row] < endMs && valid?.[row] !== 0
  const { open, high, low } = candles
  const [x, opens, highs, lows, close] = [times, open, high, low, values].map((each) => each.filter(isShown))
  return { x, open: opens, high: highs, low: lows, close, widthMs: stepMs ?? 0 }
}

/** Reads the events of a series that is drawn as flags; null for any other series. */
async function flagsOf(
  series: SeriesService,
  entry: SeriesEntry,
  { startMs, endMs }: TimeRange,
  { connectionId, signal }: PartContext,
): Promise<Flags | null> {
  const { source } = entry
  if (source.kind !== 'column' || !isDrawnAsFlags(entry)) return null
  const place = { ...inputOf(source, connectionId), columns: [source.column], asKnown: source.asKnown }
  return flagsIn((await series.overview({ ...place, points: FLAGS_PER_CHART, startMs, endMs }, signal)).points)
}

/** Finds the range from the first to the last row of any column of a workspace; null if there are no rows. */
export function rangeOfRows({ store }: PartDeps, document: WorkspaceDocument, connectionId: string): TimeRange | null {
  const all = allSeries(document)
  const columns = all.flatMap((entry) => columnsBehind(entry, all))
  const extents = columns.flatMap(({ source }) =>
    source.kind === 'column' ? (rowsExtent(store, inputOf(source, connectionId)) ?? []) : [],
  )
  if (extents.length === 0) return null
  const startMs = Math.min(...extents.map((each) => each.startMs))
  return { startMs, endMs: Math.max(...extents.map((each) => each.endMs)) }
}

interface TaskSlices {
  slices: readonly { known?: { sha256: string } | undefined }[]
  otherDatasets?: Record<string, { task: TaskSlices }> | undefined
}

const hashesOf = (tasks: readonly TaskSlices[]): string[] =>
  tasks.flatMap(({ slices, otherDatasets = {} }) => [
    ...slices.flatMap(({ known }) => known?.sha256 ?? []),
    ...hashesOf(Object.values(otherDatasets).map(({ task }) => task)),
  ])

function inputOf(
  { dataset, column, exchange, symbol, interval, timestamp, origin }: ColumnSource,
  connectionId: string,
) {
  const owner = origin === 'computed' ? computedOwner(connectionId) : connectionId
  return {
    series: { connectionId: owner, kind: 'metrics' as const, dataset, exchange, symbol, interval, timestamp },
    timestamp,
    column,
  }
}

async function computeStudy(deps: PartDeps, query: StudyQuery, context: PartContext): Promise<ReportContent> {
  const { document } = query
  const pathOf = (path: string | null) => (path === null ? null : resolve(context.baseFolder, path))
  const panelPath = pathOf(query.panel)
  const { result } = await deps.lab.run(
    {
      document,
      panelPath,
      againstPath: pathOf(query.against),
      folder: context.baseFolder,
      connectionId: context.connectionId,
      recordedFunding: query.funding,
    },
    { signal: context.signal, who: context.who, keep: context.replayedSources === null },
  )
  const { funding } = result.data
  return {
    ...studyReport(result),
    ...(funding && { funding: [...funding] }),
    sources: await studySources(deps, result, query, context),
    isSynthetic: panelPath === null && isSynthetic(deps.store, context.connectionId),
  }
}

/** Lists the panel files of a study, and the cached files that the ledger names for its last run. */
async function studySources(
  { ledger, store, sources }: PartDeps,
  result: LabResult,
  { panel, against }: StudyQuery,
  { baseFolder }: PartContext,
): Promise<ReportSource[]> {
  const panelPaths = [panel, against].flatMap((path) => path ?? [])
  const outside = await Promise.all(
    panelPaths.map((path) => sources.describeOutside(resolve(baseFolder, path), path, 'panel')),
  )
  const { tables } = ledger()
  const run = tables.lastRunOfDocument(documentHash(result.study))
  const lists = (run?.inputs ?? []).map(({ sha256 }) => tables.files(sha256))
  const files = lists.flatMap((list) => (Array.isArray(list) ? (list as { sha256: string }[]) : []))
  return [...outside, ...sources.describe(store.files.withContent(files.map(({ sha256 }) => sha256)))]
}

async function computeSql(
  { sql, sources, store }: PartDeps,
  { name, sql: text, parameters, chart }: SqlReportQuery,
  { connectionId, signal }: PartContext,
): Promise<ReportContent> {
  // With several threads, the order in which doubles are added, and so the last digit of a sum, differs between runs.
  const opened = await sql.run({ sql: text, parameters, connectionId, threads: 1 }, { signal })
  try {
    const frame = await sql.page(opened.id, 0, Math.min(opened.rows, MOST_SQL_ROWS), signal)
    const { rows, preflight } = opened
    const columns = opened.columns.map((column) => ({ ...column, isNumber: isNumberType(column.type) }))
    const chosen = chart && chosenChart(frame, opened.columns, chart, rows)
    const warnings = [...preflight.warnings, ...preflight.leftOut.map(({ path, message }) => `${path}: ${message}`)]
    const files = store.files.withContent(opened.sources.map(({ sha256 }) => sha256))
    return {
      ...sqlReport({
        ...{ name, sql: text, parameters, columns, frame, rows },
        warnings: [...warnings, ...(chosen?.warnings ?? [])],
        chosen: chosen?.parts,
      }),
      sources: sources.describe(files),
      isSynthetic: files.length > 0 && isSynthetic(store, connectionId),
      isPartial: preflight.leftOut.length > 0,
    }
  } finally {
    await sql.closeResult(opened.id)
  }
}
