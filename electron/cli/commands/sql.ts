import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { openPart } from '#core/partFile.ts'
import { resolveLinks } from '#core/resolveLinks.ts'
import { resultFormats, type ResultFormat } from '#core/sql/resultFile.ts'
import { timeText } from '#shared/sql/resultText.ts'
import {
  carriesProvenance,
  encodeResult,
  PROVENANCE_SUFFIX,
  resultPages,
  resultProvenance,
} from '#core/sql/writeResult.ts'
import { provenanceInForm } from '#core/sql/fileList.ts'
import { type ProvenanceForm, provenanceForms } from '#shared/export/provenanceForms.ts'
import { SqlFailed, SqlParametersMissing, SqlRefused, SqlStopped } from '#core/sql/sqlErrors.ts'
import type { AttachedFile } from '#core/sql/ownFiles.ts'
import type { MissingData, OpenedQuery, Preflight, SqlQuery, SqlService } from '#core/sql/sqlService.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { writeError } from '#shared/contract/writeError.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { exit, type CliCommand, type ExitStatus, type Invocation, soleAction } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { readGivenText } from '../givenText.ts'
import { type Output, tableLines } from '../print.ts'
import { formatBytes, parseSize } from '../sizes.ts'
import { openStdin } from '../stdin.ts'
import { checkFormatOfName, checkTargetFile, formatOfName, writeAtomically } from '../targets.ts'
import { sqlCommandText as text } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'
import { version } from '../version.ts'

const formats = ['table', ...resultFormats] as const
type Format = (typeof formats)[number]

/** Number of rows of a table printed on a terminal if no limit is given. */
const TERMINAL_ROWS = 100
const MOST_SECONDS = 86_400

interface SqlOptions {
  file: string | undefined
  param: string[] | undefined
  attach: string[] | undefined
  format: Format | undefined
  out: string | undefined
  limit: number | undefined
  explain: boolean
  memory: string | undefined
  threads: number | undefined
  timeout: number | undefined
  provenance: ProvenanceForm | undefined
}

const query = soleAction({
  summary: text.summary,
  interrupted: text.interrupted,
  args: [{ name: 'QUERY', description: text.args.QUERY, optional: true }],
  options: {
    file: { type: 'path', value: 'FILE', reads: true, description: text.options.file },
    param: { type: 'repeated', value: 'NAME=VALUE', description: text.options.param },
    attach: { type: 'repeated', value: 'NAME=FILE', description: text.options.attach },
    format: { type: 'text', value: 'F', values: formats, description: text.options.format },
    out: { type: 'path', value: 'PATH', description: text.options.out },
    limit: { type: 'integer', value: 'N', min: 0, max: 1e12, description: text.options.limit },
    explain: { type: 'flag', description: text.options.explain },
    memory: { type: 'text', value: 'SIZE', description: text.options.memory },
    threads: { type: 'integer', value: 'N', min: 1, max: 256, description: text.options.threads },
    timeout: { type: 'integer', value: 'S', min: 1, max: MOST_SECONDS, description: text.options.timeout },
    provenance: { type: 'text', value: 'FORM', values: provenanceForms, description: text.options.provenance },
  },
  readsOnly: true,
  async run(invocation) {
    const { options, out, signal } = invocation
    const format = formatOf(options, out)
    const sqlQuery = await queryOf(invocation)
    if (options.out !== undefined) checkTargetFile(resolve(options.out))
    const sql = await (await invocation.app()).sql()
    try {
      if (options.explain) return await explain(sql, sqlQuery, out, signal)
      return await printResult(sql, sqlQuery, { ...invocation, format })
    } catch (thrown) {
      throw readableSqlError(thrown)
    }
  },
})

/**
 * Turns the error from a query into one for the command line: a usage error if the query was refused or lacks
 * parameters, a failure with DuckDB's message if it failed or was stopped. Any other error is returned unchanged.
 */
export function readableSqlError(thrown: unknown): unknown {
  if (thrown instanceof SqlRefused) return new UsageError(thrown.detail ?? thrown.message)
  if (thrown instanceof SqlParametersMissing) return new UsageError(text.parametersMissing(thrown.names))
  return thrown instanceof SqlFailed || thrown instanceof SqlStopped
    ? new Failure(thrown.detail ?? thrown.message)
    : thrown
}

function formatOf({ format, out: path, explain: isExplained }: SqlOptions, out: Output): Format {
  if (out.json && !isExplained && format !== undefined && format !== 'json')
    throw new UsageError(text.jsonClash(format))
  const chosen = out.json ? 'json' : (format ?? formatOfName(path ?? '') ?? 'table')
  if (path !== undefined && !isExplained) checkFormatOfName(path, chosen)
  const isBinary = chosen === 'parquet' || chosen === 'arrow'
  if (isBinary && path === undefined && out.isTerminal) throw new UsageError(text.binaryNeedsOut(chosen))
  return chosen
}

async function queryOf({
  options,
  args,
  app,
  client,
  connection,
}: Invocation & { options: SqlOptions }): Promise<SqlQuery> {
  const sql = await sqlTextOf(options.file, args.at(0))
  const parameters = parametersOf(options.param ?? [])
  const attached = attachedOf(options.attach ?? [])
  const memoryBytes = options.memory === undefined ? undefined : parseSize('memory', options.memory)
  await app()
  const { id } = await findConnection(await client(), connection)
  const timeoutMs = options.timeout === undefined ? undefined : options.timeout * 1000
  return { sql, parameters, connectionId: id, memoryBytes, threads: options.threads, timeoutMs, attached }
}

/** Longest query in a file, in characters. */
const MOST_CHARACTERS = 1_000_000

export async function sqlTextOf(file: string | undefined, given: string | undefined): Promise<string> {
  if (file !== undefined && given !== undefined) throw new UsageError(text.twoQueries)
  if (file !== undefined) return readGivenText(file, MOST_CHARACTERS)
  if (given === undefined) throw new UsageError(text.noQuery)
  return given === '-' ? readStream(openStdin()) : given
}

export function parametersOf(given: readonly string[]): Record<string, string> {
  // A map and not an object, because a parameter may be named __proto__.
  const parameters = new Map<string, string>()
  for (const parameter of given) {
    const match = /^\$?([\p{L}_][\p{L}\p{N}_]*|\d{1,4})=([\s\S]*)$/u.exec(parameter)
    if (!match) throw new UsageError(text.badParameter(parameter))
    parameters.set(match[1], match[2])
  }
  return Object.fromEntries(parameters)
}

/** Names that DuckDB would read as the ending of a file's name. */
const fileEndings = ['csv', 'tsv', 'txt', 'json', 'jsonl', 'ndjson', 'parquet', 'gz', 'zst', 'arrow', 'ipc', 'db']

function attachedOf(given: readonly string[]): AttachedFile[] {
  const pathByName = new Map<string, string>()
  for (const attachment of given) {
    const [, name, path] = /^([A-Za-z_][A-Za-z0-9_]{0,62})=([\s\S]+)$/.exec(attachment) ?? []
    if (name === undefined || fileEndings.includes(name.toLowerCase()))
      throw new UsageError(text.badAttachment(attachment))
    if (pathByName.has(name.toLowerCase())) throw new UsageError(text.attachedTwice(name))
    pathByName.set(name.toLowerCase(), resolve(path))
  }
  return [...pathByName].map(([name, path]) => ({ name, path }))
}

async function explain(sql: SqlService, sqlQuery: SqlQuery, out: Output, signal: AbortSignal): Promise<ExitStatus> {
  const { preflight, plan } = await sql.explain(sqlQuery, signal)
  const { files, bytes, missing, leftOut } = preflight
  for (const warning of preflight.warnings) out.problem(text.warning(warning))
  for (const { path, message } of leftOut) out.problem(text.leftOut(path, message))
  out.result({ files, bytes, missing: missing.map((each) => ({ ...each, command: fetchCommand(each) })), plan }, () => [
    text.reads(plainPlural(files, 'file'), formatBytes(bytes)),
    ...missing.flatMap((each) => [text.missing(each), `  ${fetchCommand(each)}`]),
    '',
    ...plan.split('\n'),
  ])
  return leftOut.length > 0 ? exit.partial : exit.done
}

/** Returns the command that downloads the data missing for a query. */
function fetchCommand({ kind, dataset, exchange, symbol, interval, clock, startDay, endDay }: MissingData): string {
  const series = `--dataset ${dataset} --exchange ${exchange} --symbol ${symbol}`
  const intervalOptions = kind === 'metrics' ? ` --interval ${interval} --timestamp ${clock}` : ''
  return `perpscope fetch ${series}${intervalOptions} --start ${startDay} --end ${endDay}`
}

type PrintContext = Pick<Invocation, 'out' | 'signal' | 'dataDir'> & {
  options: Pick<SqlOptions, 'out' | 'limit'> & { provenance?: ProvenanceForm | undefined }
  format: Format
}

export async function printResult(sql: SqlService, sqlQuery: SqlQuery, context: PrintContext): Promise<ExitStatus> {
  const { out, signal, options, format } = context
  const terminalLimit = format === 'table' && options.out === undefined && out.isTerminal ? TERMINAL_ROWS : null
  const limit = options.limit ?? terminalLimit
  const result = await sql.run(sqlQuery, { limit, signal, onPlanned: (plan) => printPlan(plan, out) })
  const rows = limit === null ? result.rows : Math.min(limit, result.rows)
  const pages = () => resultPages(sql, { id: result.id, rows }, signal)
  const sink = options.out === undefined ? toStdout(out) : toFile(resolve(options.out))
  try {
    const provenance = () => provenanceOf(result, sqlQuery, context)
    if (format === 'table') await writeTable(result, pages(), sink, options.out === undefined ? out.width : null)
    else await writeFormat(format, { result, provenance, pages: pages() }, sink)
    signal.throwIfAborted()
    await sink.end()
    if (options.out !== undefined && format !== 'table' && !carriesProvenance(format)) {
      const companion = `${resolve(options.out)}${PROVENANCE_SUFFIX}`
      writeAtomically(companion, provenance())
    }
  } catch (thrown) {
    await sink.abandon()
    throw options.out === undefined ? thrown : writeError(resolve(options.out), thrown)
  }
  for (const { name, warning } of result.columns) if (warning !== null) out.note(text.unitWarning(name, warning))
  if (result.isCut && options.limit === undefined) out.note(text.cut(rows))
  return result.preflight.leftOut.length > 0 ? exit.partial : exit.done
}

function printPlan({ files, bytes, missing, leftOut, passedRows, warnings }: Preflight, out: Output): void {
  if (files > 0) out.note(text.reads(plainPlural(files, 'file'), formatBytes(bytes)))
  if (passedRows > LARGE_TABLE_ROWS) out.note(text.appTableRows(plainPlural(passedRows, 'row')))
  for (const each of missing) {
    out.note(text.missing(each))
    out.note(`  ${fetchCommand(each)}`)
  }
  for (const warning of warnings) out.problem(text.warning(warning))
  for (const { path, message } of leftOut) out.problem(text.leftOut(path, message))
}

/** Number of rows above which copying the app's own tables to the engine takes noticeable time. */
const LARGE_TABLE_ROWS = 100_000

/** Destination of a result: stdout, or a file that appears only when it is complete. */
interface ResultSink {
  write(chunk: string | Uint8Array): Promise<void>
  end(): Promise<void>
  abandon(): Promise<void>
}

function toStdout(out: Output): ResultSink {
  return {
    write(chunk) {
      if (typeof chunk === 'string') out.data(chunk)
      else out.bytes(chunk)
      return Promise.resolve()
    },
    end: () => Promise.resolve(),
    abandon: () => Promise.resolve(),
  }
}

function toFile(path: string): ResultSink {
  const target = resolveLinks(path)
  const { path: partFile, descriptor } = openPart(target)
  const stream = createWriteStream(partFile, { fd: descriptor })
  const done = finished(stream)
  // Without this handler, a failure before `done` is awaited would end the process as an unhandled rejection.
  done.catch(() => {})
  return {
    async write(chunk) {
      if (chunk.length > 0 && !stream.write(chunk)) await Promise.race([once(stream, 'drain'), done])
    },
    async end() {
      stream.end()
      await done
      await rename(partFile, target)
    },
    async abandon() {
      stream.destroy()
      await rm(partFile, { force: true })
    },
  }
}

interface ResultToWrite {
  result: OpenedQuery
  provenance: () => string
  pages: AsyncIterable<Frame>
}

async function writeFormat(format: ResultFormat, { result, provenance, pages }: ResultToWrite, sink: ResultSink) {
  for await (const chunk of encodeResult(format, result.columns, pages, provenance)) await sink.write(chunk)
}

/** Writes the provenance; the files of a small result that read many are referred to, unless all are asked for. */
function provenanceOf(result: OpenedQuery, sqlQuery: SqlQuery, { dataDir, options }: PrintContext): string {
  const facts = resultProvenance(result, sqlQuery, { version, nowMs: Date.now() })
  return `${JSON.stringify(provenanceInForm(dataDir, facts, options.provenance ?? 'brief'), null, 2)}\n`
}

async function writeTable(
  { columns }: OpenedQuery,
  pages: AsyncIterable<Frame>,
  sink: ResultSink,
  width: number | null,
): Promise<void> {
  const head = columns.map(({ name, unit }) => (unit === null || unit === 'none' ? name : `${name} (${unit})`))
  let isFirst = true
  const write = async (rows: string[][]) => {
    const lines = tableLines([...(isFirst ? [head] : []), ...rows], undefined, width)
    isFirst = false
    await sink.write(lines.map((line) => `${line}\n`).join(''))
  }
  for await (const frame of pages) {
    const rows = Array.from({ length: frame.rows }, (_, row) =>
      frame.columns.map((column, index) => {
        const cell = cellOf(column, row)
        if (cell === null) return ''
        if (columns[index].kind === 'time') return timeText(columns[index], Number(cell))
        return typeof cell === 'number' ? exactNumber(cell) : cell
      }),
    )
    await write(rows)
  }
  if (isFirst) await write([])
}

export const command: CliCommand = {
  verb: 'sql',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope sql "SELECT exchange, avg(funding_rate) FROM metrics.funding WHERE interval = \'1h\' GROUP BY exchange"',
    'perpscope sql --file Q.sql --param symbol=perpetual-BTC-USDT:USDT --format parquet --out result.parquet',
    `perpscope sql "SELECT c.time, c.close, o.* FROM metrics.ohlcv c ASOF JOIN own.NAME o ON o.symbol = c.symbol AND o.known_at <= c.known_at WHERE c.interval = '1h' AND c.clock = 'exchange'"`,
  ],
  actions: [query],
}
