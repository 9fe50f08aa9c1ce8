import type { App } from '#core/app.ts'
import { provenanceInForm } from '#core/sql/fileList.ts'
import type { ProvenanceForm } from '#shared/export/provenanceForms.ts'
import { SqlFailed, SqlRefused, SqlStopped } from '#core/sql/sqlErrors.ts'
import type { OpenedQuery } from '#core/sql/sqlService.ts'
import { resultPages, resultProvenance } from '#core/sql/writeResult.ts'
import { formulaInputs, formulaProblem } from '#core/series/formulaInputs.ts'
import { uncovered } from '#core/series/planSeries.ts'
import type { EvaluatedFormula, SourceFile } from '#shared/contract/areas/series.ts'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner, connectionOfOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Column, Frame } from '#shared/contract/frame.ts'
import type { ZodObject } from 'zod'
import { type CallInput, type CallOutput, calls } from '#shared/contract/calls.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { LabResult } from '#shared/lab/labResult.ts'
import type { ListedStudy, StoredStudy } from '#core/store/studyStore.ts'
import type { OperationInput, RoutedOperation } from '#shared/contract/operations.ts'
import { asBadInput, refusalError } from '#shared/contract/studyRefusal.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { parseInterval } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { columnUnit, UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { timeRange } from './apiRange.ts'
import { rowsOf, symbolFilter, withFullSymbol } from './fullSymbol.ts'

export type LocalApiColumns = OpenedQuery['columns']

/** A table with its sources, read page by page. */
export interface LocalApiTable {
  columns: LocalApiColumns
  provenance: Record<string, unknown>
  pages(): AsyncIterable<Frame>
  /** Frees the table's resources. */
  close(): Promise<void>
}

/** A series in the cache. */
interface CachedSeries {
  kind: 'metrics' | 'raw'
  dataset: string
  exchange: string
  symbol: string
  /** Empty for raw events, as is `timestamp`. */
  interval: string
  timestamp: string
  files: number
  bytes: number
}

/** Answers of the own operations that are no table; the API description and its types are made from these. */
export interface JsonAnswers {
  coverage: { series: CachedSeries[] }
  runStudy: LabResult
  studies: { studies: ListedStudy[] }
  study: StoredStudy
}

/** Returns a table whose provenance names its files in a form. */
export const tableInForm = (dataDir: string, table: LocalApiTable, form: ProvenanceForm): LocalApiTable => ({
  ...table,
  provenance: provenanceInForm(dataDir, table.provenance, form),
})

type OwnAnswers = {
  [Name in RoutedOperation]: (
    input: OperationInput<Name>,
    signal: AbortSignal,
  ) => Promise<Name extends keyof JsonAnswers ? JsonAnswers[Name] : LocalApiTable>
}

/** Answers for other programs: read from the cache or computed here, each with its sources. */
export interface LocalApiAnswers extends OwnAnswers {
  /** Returns a number that changes when the answers may change. */
  dataVersion(): number
  /** Fails as running a study would if its document is not valid. */
  checkStudy(document: unknown, signal: AbortSignal): Promise<void>
  /** Answers an operation that is a call, on the connection of these answers. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>, signal: AbortSignal): Promise<CallOutput<Name>>
}

/** Timeout of one query. */
const MOST_QUERY_MS = 120_000
const MOST_FORMULA_ROWS = 2_000_000

/** @param connectionId connection whose cache is read; empty for the active one */
export function createLocalApiAnswers(app: App, version: string, connectionId = ''): LocalApiAnswers {
  app.requireProgramAccess()
  const client = app.clientFor({ kind: 'command line', pickFiles: null, save: () => Promise.resolve(null) })
  const resolveId = async () => (connectionId === '' ? activeConnection(client) : connectionId)
  const named = <Query extends OperationInput<'trades'> | OperationInput<'formula'>>(
    query: Query,
    signal: AbortSignal,
  ): Promise<Query> => withFullSymbol(client, connectionId, query, signal)
  return {
    dataVersion: () => app.dataVersion(),
    call: (name, input, signal) =>
      // The name says which input the call takes; TypeScript cannot follow that through all calls at once.
      client.call(name, withConnection(name, input, connectionId) as never, { signal }),
    checkStudy: (document, signal) =>
      asBadInput(async () => {
        const answer = await (await app.lab()).missingFiles({ document, connectionId }, signal)
        if ('refused' in answer) throw refusalError(answer)
      }),
    coverage: (query) => coverage(client, connectionId, query),
    series: async (query, signal) =>
      readSeries(client, { ...(await named(query, signal)), connectionId }, { version, signal }),
    formula: async (query, signal) =>
      evaluateFormula(app, await resolveId(), await named(query, signal), { version, signal }),
    sql: (query, signal) => runSql(app, connectionId, query, { version, signal }),
    trades: async (query, signal) => readTrades(app, connectionId, await named(query, signal), { version, signal }),
    runStudy: ({ document }, signal) => runStudy(app, connectionId, document, signal),
    studies: () => Promise.resolve({ studies: app.studyRuns.list() }),
    study: ({ id }) => Promise.resolve(app.studyRuns.read(id)),
  }
}

/** Adds the connection to the input of a call that asks for one. */
const withConnection = <Name extends CallName>(name: Name, input: CallInput<Name>, connectionId: string) =>
  'connectionId' in (calls[name].input as ZodObject).shape ? { ...input, connectionId } : input

interface AnswerContext {
  version: string
  signal: AbortSignal
}

const writtenBy = (version: string) => ({ writtenBy: `Perpscope ${version}` })

async function activeConnection(client: Client): Promise<string> {
  const active = (await client.call('connections.names', {})).find((each) => each.active)
  if (!active) throw new AppError('not-found', 'No connection is active.')
  return active.id
}

async function coverage(
  client: Client,
  connectionId: string,
  wanted: OperationInput<'coverage'>,
): Promise<JsonAnswers['coverage']> {
  const series = rowsOf<CachedSeries>(await client.call('coverage.cachedSeries', { connectionId }))
  const { symbol, ...others } = wanted
  const isWanted = (each: CachedSeries) =>
    Object.entries(others).every(([name, value]) => value === undefined || each[name as keyof typeof others] === value)
  const chosen = series.filter(isWanted)
  return { series: symbol === undefined ? chosen : chosen.filter(symbolFilter(symbol, chosen)) }
}

async function readSeries(
  client: Client,
  { start, end, limit, columns, ...series }: OperationInput<'series'> & { connectionId: string },
  { version, signal }: AnswerContext,
): Promise<LocalApiTable> {
  const range = timeRange(start, end)
  const query = { ...series, ...range, columns: columns ?? [], limitRows: limit }
  const { rows, nextMs, files, missing, unread, absentColumns } = await client.call('series.read', query, { signal })
  if (files.length === 0) {
    const owner = computedOwner(series.connectionId)
    const computed = await client.call('series.read', { ...query, connectionId: owner, limitRows: 1 }, { signal })
    throw new AppError('not-here', computed.files.length > 0 ? onlyComputed(series.dataset) : noFiles)
  }
  if (absentColumns.length > 0) throw new AppError('bad-input', `The files have no column ${absentColumns.join(', ')}.`)
  const venues = await venuesOf(client, connectionOfOwner(series.connectionId))
  const columnsWithUnits = rows.columns.map((column) =>
    columnFacts(
      column,
      columnUnit(series.dataset, column.name, series.exchange, venues) ??
        (column.kind === 'number' ? UNIT_UNKNOWN : null),
    ),
  )
  const { connectionId: _owner, ...request } = series
  return tableOf(rows, columnsWithUnits, {
    ...writtenBy(version),
    request: { ...request, start, end },
    known_at: 'time + interval',
    rows: rows.rows,
    next: nextMs === null ? null : new Date(nextMs).toISOString(),
    missing: missing.map(({ startMs, endMs }) => ({ start: isoTime(startMs), end: isoTime(endMs) })),
    unread: unread.map(({ message }) => message),
    files: files.map((file) => fileFacts(series.dataset, file)),
  })
}

const noFiles = 'No files of this series and range are in the cache.'
const onlyComputed = (dataset: string) =>
  `Only computed files of this series and range are in the cache: read them with SQL from metrics.${dataset}, where origin = 'computed'.`

async function evaluateFormula(
  app: App,
  connectionId: string,
  query: OperationInput<'formula'>,
  { version, signal }: AnswerContext,
): Promise<LocalApiTable> {
  const { formula, exchange, symbol, interval, timestamp, start, end } = query
  const range = timeRange(start, end)
  const stepMs = (parseInterval(interval) ?? 0) * 1000
  if (stepMs === 0) throw new AppError('bad-input', `“${interval}” is not an interval.`)
  const problem = formulaProblem(formula)
  if (problem !== null) throw new AppError('bad-input', problem)
  const points = Math.ceil((range.endMs - range.startMs) / stepMs) + 1
  if (points > MOST_FORMULA_ROWS) throw new AppError('too-large', 'The range has more than 2,000,000 rows: shorten it.')
  const inputs = formulaInputs(formula, { connectionId, exchange, symbol, interval, timestamp })
  const answer = await (await app.series()).evaluate({ formula, inputs, ...range, originMs: null, points }, signal)
  if (answer.problem) throw new AppError('bad-input', answer.problem.message)
  const sources = Object.entries(answer.inputs)
  const inputWithoutFiles = sources.find(([, { files }]) => files.length === 0)
  if (inputWithoutFiles)
    throw new AppError('not-here', `No files of ${inputWithoutFiles[0]} in this range are in the cache.`)
  const { times, values, valid } = drawnRows(answer.points, 'value')
  const frame: Frame = {
    rows: times.length,
    columns: [
      { name: 'time', kind: 'time', values: Float64Array.from(times), valid: null },
      { name: 'value', kind: 'number', values: Float64Array.from(values), valid: valid && Uint8Array.from(valid) },
    ],
  }
  const [time, value] = frame.columns
  return tableOf(frame, [columnFacts(time, null), columnFacts(value, answer.unit)], {
    ...writtenBy(version),
    request: query,
    known_at: 'time + interval',
    rows: frame.rows,
    warnings: answer.unitWarnings,
    notes: answer.notes,
    missing: missingInAnswer(answer.inputs, range),
    unread: sources.flatMap(([, { unread }]) => unread.map(({ message }) => message)),
    files: sources.flatMap(([name, { files }]) => files.map((file) => fileFacts(name.split('.')[0], file))),
  })
}

/** Finds the parts of a range that no cached file covers, by the dataset that a formula reads. */
export function missingInAnswer(inputs: EvaluatedFormula['inputs'], range: TimeRange) {
  const coverageByDataset = new Map(
    Object.entries(inputs).map(([name, { coverage }]) => [name.split('.')[0], coverage]),
  )
  return [...coverageByDataset].flatMap(([dataset, coverage]) => {
    const cached = coverage.filter(({ state, startMs }) => state === 'cached' && startMs < range.endMs)
    return uncovered(cached, range).map(({ startMs, endMs }) => ({
      dataset,
      start: isoTime(startMs),
      end: isoTime(endMs),
    }))
  })
}

async function runSql(
  app: App,
  connectionId: string,
  { sql, parameters, limit }: OperationInput<'sql'>,
  { version, signal }: AnswerContext,
): Promise<LocalApiTable> {
  const service = await app.sql()
  const query = { sql, parameters, connectionId, timeoutMs: MOST_QUERY_MS }
  const result = await service.run(query, { limit, signal }).catch((thrown: unknown) => {
    throw readableSqlError(thrown)
  })
  const limitedResult = { ...result, rows: Math.min(limit, result.rows) }
  return {
    columns: result.columns,
    provenance: {
      ...resultProvenance(limitedResult, query, { version, nowMs: Date.now() }),
      leftOut: result.preflight.leftOut,
      missing: result.preflight.missing.length,
    },
    pages: () => resultPages(service, limitedResult, signal),
    close: () => service.closeResult(result.id),
  }
}

/** Reads trades in the form that order-flow charts read. */
async function readTrades(
  app: App,
  connectionId: string,
  { exchange, symbol, timestamp, start, end, limit }: OperationInput<'trades'>,
  context: AnswerContext,
): Promise<LocalApiTable> {
  const { startMs, endMs } = timeRange(start, end)
  const time = timestamp === 'true' ? 'local_timestamp' : 'exchange_timestamp'
  const at = (timeMs: number) => `TIMESTAMP '${isoTime(timeMs).slice(0, -1).replace('T', ' ')}'`
  const sql = [
    `SELECT epoch_ms(${time}) AS ts, price, amount AS qty,`,
    "  CASE side WHEN 'sell' THEN true WHEN 'buy' THEN false END AS is_sell",
    'FROM raw.trades WHERE exchange = $exchange AND symbol = $symbol',
    `  AND ${time} >= ${at(startMs)} AND ${time} < ${at(endMs)}`,
    `ORDER BY ${time}`,
  ].join('\n')
  const table = await runSql(app, connectionId, { sql, parameters: { exchange, symbol }, limit }, context)
  if ((table.provenance.files as unknown[]).length > 0) return table
  await table.close()
  throw new AppError('not-here', 'No trades of this symbol and range are in the cache.')
}

/** Turns errors in a query into errors of the request, because the other program sent the query. */
function readableSqlError(thrown: unknown): unknown {
  const isOfQuery = [SqlRefused, SqlFailed, SqlStopped].some((each) => thrown instanceof each)
  return isOfQuery && thrown instanceof AppError
    ? new AppError('bad-input', thrown.detail ?? thrown.message, { cause: thrown })
    : thrown
}

async function runStudy(app: App, connectionId: string, document: unknown, signal: AbortSignal): Promise<LabResult> {
  const request = { document, connectionId, panelPath: null, againstPath: null }
  const { result } = await asBadInput(async () => (await app.lab()).run(request, { signal, who: 'other' }))
  return result
}

const tableOf = (frame: Frame, columns: LocalApiColumns, provenance: Record<string, unknown>): LocalApiTable => ({
  columns,
  provenance,
  async *pages() {
    yield await Promise.resolve(frame)
  },
  close: () => Promise.resolve(),
})

const typeNames = { time: 'TIMESTAMP WITH TIME ZONE', number: 'DOUBLE', text: 'VARCHAR' } as const

const columnFacts = ({ name, kind }: Column, unit: string | null): LocalApiColumns[number] => ({
  name,
  kind,
  type: typeNames[kind],
  unit,
  quantity: null,
  warning: null,
})

const isoTime = (timeMs: number) => new Date(timeMs).toISOString()

const fileFacts = (dataset: string, { period, sha256, state, fetchedAt }: SourceFile) => ({
  dataset,
  period,
  sha256,
  state,
  fetched: isoTime(fetchedAt),
})
