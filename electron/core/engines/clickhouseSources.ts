import { createHash } from 'node:crypto'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { RawPlace } from '#shared/engines/script.ts'
import { clickHouseFiles, type EventPlace, renderSource, textLiteral } from '#shared/engines/dialects/sources.ts'
import { daysOfFile } from '#core/compute/rawFiles.ts'
import { fieldsOfSource } from '#shared/metrics/plan.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import type { ContinuedDays, EventExtent } from '#core/compute/continuation.ts'
import { eventTimeColumn, type ValueRule, eventValueColumns } from '#core/compute/eventColumns.ts'
import { inPeriodOrder, type RawFile } from '#core/compute/rawFiles.ts'

const US_PER_DAY = 86_400_000_000

interface SourceRequest {
  raw: RawPlace
  cluster: string
  timestamp: TimestampSource
}

/** A raw file as ClickHouse sees it; the stamp changes when the file is rewritten. */
interface EngineFile extends RawFile {
  stamp: string
}

/** The events of one source and instrument on the ClickHouse server. */
export interface EngineSource {
  id: RawDatasetId
  /** Files in order of their periods; null for a table. */
  files: readonly EngineFile[] | null
  /** Returns where to read the events that a day needs. */
  placeOf(day: DayNumber, needsPrevious: boolean, signal: AbortSignal): Promise<DayPlace>
  /** Finds the times of the first and the last event of a range; null if it has none. */
  extentIn(range: ContinuedDays, signal: AbortSignal): Promise<EventExtent | null>
}

/** Events of one day: files, which are listed before the query, or a table. */
type DayEventPlace = Exclude<EventPlace, { kind: 'folder' }>
export interface DayPlace {
  place: DayEventPlace
  /** Description of the inputs, for the provenance of a file. */
  source: string[]
  /** Text that changes when the events change. */
  stamp: string
}

/** Finds the events of one source and instrument on the ClickHouse server; throws if columns have unexpected types. */
export async function findSource(
  engine: ClickHouse,
  request: SourceRequest,
  { exchange, symbol }: { exchange: string; symbol: string },
  id: RawDatasetId,
  signal: AbortSignal,
): Promise<EngineSource> {
  if (request.raw.kind === 'database') {
    const table = `${request.raw.name}.${id}`
    await checkColumns(engine, table, table, [...expectedColumns(id), ...tableColumns], signal)
    return tableSource(engine, request.timestamp, { id, table, exchange, symbol })
  }
  const folder = `${request.raw.address}/dataset=${id}/exchange=${exchange}/symbol=${encodeSymbol(symbol)}`
  return fileSource(engine, request, id, await filesIn(engine, folder, signal))
}

/** Lists the files of a folder without reading them. */
async function filesIn(engine: ClickHouse, folder: string, signal: AbortSignal): Promise<EngineFile[]> {
  const pattern = clickHouseFiles([`${folder}/*.parquet`], 'One')
  const found = await engine.rows(`SELECT DISTINCT _path, _size, toUnixTimestamp(_time) FROM ${pattern}`, signal)
  return inPeriodOrder(
    found.flatMap(([path, size, time]) => {
      const name = path.slice(path.lastIndexOf('/') + 1)
      const days = daysOfFile(name)
      if (!days) return []
      return [{ path: `${folder}/${name}`, startDay: days.start, endDay: days.end, stamp: `${name} ${size} ${time}` }]
    }),
  )
}

function fileSource(
  engine: ClickHouse,
  { timestamp, cluster }: SourceRequest,
  id: RawDatasetId,
  files: EngineFile[],
): EngineSource {
  const checkByPath = new Map<string, Promise<void>>()
  const check = (path: string, signal: AbortSignal) => {
    const checking =
      checkByPath.get(path) ??
      checkColumns(engine, clickHouseFiles([path], 'Parquet'), path, expectedColumns(id), signal)
    checkByPath.set(path, checking)
    return checking
  }
  const emptinessByPath = new Map<string, Promise<boolean>>()
  const isEmpty = (path: string, signal: AbortSignal) => {
    const counting =
      emptinessByPath.get(path) ??
      engine.rows(`SELECT count() FROM ${clickHouseFiles([path], 'Parquet')}`, signal).then(([[rows]]) => rows === '0')
    emptinessByPath.set(path, counting)
    return counting
  }
  /**
   * Leaves out the newest files before a day if they have no events, because the events that carry over are then in
   * older files.
   */
  async function withoutEmptyBefore(day: DayNumber, signal: AbortSignal): Promise<EngineFile[]> {
    const earlierFiles = files.filter(({ endDay }) => endDay <= day)
    while (earlierFiles.length > 0 && (await isEmpty(earlierFiles[earlierFiles.length - 1].path, signal)))
      earlierFiles.pop()
    return [...earlierFiles, ...files.filter(({ endDay }) => endDay > day)]
  }
  return {
    id,
    files,
    async placeOf(day, needsPrevious, signal) {
      const filesWithEvents = needsPrevious ? await withoutEmptyBefore(day, signal) : files
      const nearFiles = filesNear(filesWithEvents, day, needsPrevious, timestamp)
      for (const { path } of nearFiles) await check(path, signal)
      const paths = nearFiles.map(({ path }) => path)
      const place: DayEventPlace = { kind: 'files', paths, ...(cluster && { cluster }) }
      return { place, source: paths, stamp: nearFiles.map(({ stamp }) => stamp).join('\n') }
    },
    async extentIn(range, signal) {
      const daysLate = timestamp === 'true' ? 1 : 0
      const { startDay, endDay } = range
      const near = files.filter((file) => file.endDay > startDay - daysLate && file.startDay < endDay + daysLate)
      const extentOf = async ({ path }: EngineFile) => {
        await check(path, signal)
        return extentOfEvents(engine, { from: clickHouseFiles([path], 'Parquet', cluster), timestamp, range }, signal)
      }
      const first = await firstExtent(near, daysLate, extentOf)
      const last = await firstExtent(near.toReversed(), daysLate, extentOf)
      return first && last && { minUs: first.minUs, maxUs: last.maxUs }
    },
  }
}

/**
 * Returns the times of the events of the first file that has any. By arrival time, an event of the next file may be
 * earlier or later than all of these, so that `more` further files are read.
 */
async function firstExtent<File>(
  files: readonly File[],
  more: number,
  extentOf: (file: File) => Promise<EventExtent | null>,
): Promise<EventExtent | null> {
  for (const [at, file] of files.entries()) {
    const found = await extentOf(file)
    if (!found) continue
    const others = await Promise.all(files.slice(at + 1, at + 1 + more).map(extentOf))
    const extents = [found, ...others.filter((each) => each !== null)]
    return {
      minUs: Math.min(...extents.map(({ minUs }) => minUs)),
      maxUs: Math.max(...extents.map(({ maxUs }) => maxUs)),
    }
  }
  return null
}

async function extentOfEvents(
  engine: ClickHouse,
  {
    from,
    timestamp,
    range: { startDay, endDay },
    where = [],
  }: { from: string; timestamp: TimestampSource; range: ContinuedDays; where?: readonly string[] },
  signal: AbortSignal,
): Promise<EventExtent | null> {
  const column = eventTimeColumn(timestamp)
  const microseconds = (sql: string) => `toUnixTimestamp64Micro(toDateTime64(${sql}, 6, 'UTC'))`
  const conditions = [
    ...where,
    `${column} >= ${timeSql(startDay * US_PER_DAY)}`,
    `${column} < ${timeSql(endDay * US_PER_DAY)}`,
  ]
  const [found] = await engine.rows(
    `SELECT count(), ${microseconds(`min(${column})`)}, ${microseconds(`max(${column})`)} FROM ${from} WHERE ${conditions.join(' AND ')}`,
    signal,
  )
  return !found || found[0] === '0' ? null : { minUs: Number(found[1]), maxUs: Number(found[2]) }
}

const timeSql = (us: number) => `fromUnixTimestamp64Micro(${us}, 'UTC')`

/**
 * Finds the files with the events that a day needs. Files are split by exchange time, so by arrival time an event may
 * be in the file of the day before or after. If earlier events carry over, the newest earlier file is included. By
 * arrival time, a file that ends one day earlier is included too, because one of its events may arrive last.
 */
export function filesNear<File extends Pick<EngineFile, 'startDay' | 'endDay'>>(
  files: readonly File[],
  day: DayNumber,
  needsPrevious: boolean,
  timestamp: TimestampSource,
): File[] {
  const daysLate = timestamp === 'true' ? 1 : 0
  const earlierEnds = needsPrevious ? files.filter(({ startDay }) => startDay < day).map(({ endDay }) => endDay) : []
  const firstDay = earlierEnds.length > 0 ? Math.min(day, Math.max(...earlierEnds)) - 1 : day
  return files.filter(({ startDay, endDay }) => endDay > firstDay - daysLate && startDay <= day + daysLate)
}

interface InstrumentTable {
  id: RawDatasetId
  table: string
  exchange: string
  symbol: string
}

function tableSource(
  engine: ClickHouse,
  timestamp: TimestampSource,
  { id, table, exchange, symbol }: InstrumentTable,
): EngineSource {
  const column = eventTimeColumn(timestamp)
  const text = textLiteral.clickhouse
  const where = `exchange = ${text(exchange)} AND symbol = ${text(symbol)}`
  /**
   * Returns the time of the last event before the start of a day; the values of that event carry over into the first
   * rows of the day. Returns the start of the day if there is none.
   */
  async function lastTimeBefore(us: number, signal: AbortSignal): Promise<number> {
    const sql = `SELECT count(), toUnixTimestamp64Micro(toDateTime64(max(${column}), 6, 'UTC')) FROM ${table} WHERE ${where} AND ${column} < ${timeSql(us)}`
    const [[count, last]] = await engine.rows(sql, signal)
    return count === '0' ? us : Number(last)
  }
  return {
    id,
    files: null,
    async placeOf(day, needsPrevious, signal) {
      const startUs = day * US_PER_DAY
      const fromUs = needsPrevious ? await lastTimeBefore(startUs, signal) : startUs
      const range = { fromUs, toUs: startUs + US_PER_DAY }
      const place: DayEventPlace = { kind: 'table', table, exchange, symbol, range }
      const sourceSql = renderSource('clickhouse', {
        source: id,
        timeColumn: column,
        fields: fieldsOfSource[id],
        place,
      })
      const columns = ['time_us', 'row_ordinal', ...fieldsOfSource[id]].join(', ')
      const [[rows, hash]] = await engine.rows(
        `SELECT count(), sum(cityHash64(${columns})) FROM (${sourceSql})`,
        signal,
      )
      return { place, source: [`table:${table}`], stamp: `${table} ${rows} ${hash}` }
    },
    extentIn: (range, signal) => extentOfEvents(engine, { from: table, timestamp, range, where: [where] }, signal),
  }
}

type Kind = 'time' | 'number' | 'text'

const kinds: Record<Kind, { pattern: RegExp; name: string }> = {
  time: { pattern: /^DateTime64\(/, name: 'DateTime64' },
  number: { pattern: /^(Float|U?Int|Decimal)/, name: 'a number' },
  text: { pattern: /^(String|FixedString|Enum)/, name: 'String' },
}

const expectedColumns = (id: RawDatasetId): [column: string, kind: Kind][] => [
  ['exchange_timestamp', 'time'],
  ['local_timestamp', 'time'],
  ...eventValueColumns(id).map(({ column, rule }): [string, Kind] => [column, rule === 'a side' ? 'text' : 'number']),
]

const tableColumns: [column: string, kind: Kind][] = [
  ['exchange', 'text'],
  ['symbol', 'text'],
  ['ordinal', 'number'],
]

/** Throws if a column is missing or has an unexpected type; integer times, for example, would be read as seconds. */
async function checkColumns(
  engine: ClickHouse,
  from: string,
  name: string,
  expected: readonly [column: string, kind: Kind][],
  signal: AbortSignal,
): Promise<void> {
  const descriptions = await engine.rows(`DESCRIBE TABLE ${from}`, signal)
  const typeByColumn = new Map(descriptions.map(([column, type]) => [column, plainType(type)]))
  for (const [column, kind] of expected) {
    const type = typeByColumn.get(column)
    if (type === undefined) throw new AppError('bad-input', `ClickHouse: ${name} has no column “${column}”.`)
    if (!kinds[kind].pattern.test(type))
      throw new AppError('bad-input', `ClickHouse: ${name}: column “${column}” is ${type}, not ${kinds[kind].name}.`)
  }
}

function plainType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1]
  return inner === undefined ? type : plainType(inner)
}

const violationSql: Record<Exclude<ValueRule, 'a side'>, (column: string) => string> = {
  'above 0': (column) => `NOT (${column} > 0 AND isFinite(${column}))`,
  '0 or more': (column) => `NOT (${column} >= 0 AND isFinite(${column}))`,
  'a number': (column) => `NOT isFinite(${column})`,
}

/** Throws on values that the built-in engine refuses: empty cells, and values that cannot be computed with. */
export async function checkSourceValues(
  engine: ClickHouse,
  { id, day, timestamp }: { id: RawDatasetId; day: DayNumber; timestamp: TimestampSource },
  { place, source }: DayPlace,
  signal: AbortSignal,
): Promise<void> {
  if (source.length === 0) return
  const column = eventTimeColumn(timestamp)
  const rules = eventValueColumns(id).map((each) => ({
    column: each.column,
    violationSql:
      each.rule === 'a side'
        ? `side NOT IN ('buy', 'sell', 'unknown') OR side IS NULL`
        : `${each.column} IS NULL OR ${violationSql[each.rule](`toFloat64(${each.column})`)}`,
  }))
  const from = place.kind === 'table' ? place.table : clickHouseFiles(place.paths, 'Parquet', place.cluster)
  const text = textLiteral.clickhouse
  const conditions = [`(${column} IS NULL OR ${column} < ${timeSql((day + 1) * US_PER_DAY)})`]
  if (place.kind === 'table') {
    conditions.push(`exchange = ${text(place.exchange)} AND symbol = ${text(place.symbol)}`)
    conditions.push(`${column} >= ${timeSql(place.range?.fromUs ?? 0)}`)
  }
  const checks = [...rules, { column, violationSql: `${column} IS NULL` }]
  const sql = `SELECT ${checks.map(({ violationSql }) => `countIf(${violationSql})`).join(', ')} FROM ${from} WHERE ${conditions.join(' AND ')}`
  const [found] = await engine.rows(sql, signal)
  const failedCheck = checks.find((_, i) => found[i] !== '0')
  if (failedCheck)
    throw new AppError(
      'corrupt-file',
      `ClickHouse: ${source.join(', ')}: column “${failedCheck.column}” contains a value that cannot be used.`,
    )
}

export const sourceHash = (...parts: readonly string[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part}\n`)
  return hash.digest('hex')
}
