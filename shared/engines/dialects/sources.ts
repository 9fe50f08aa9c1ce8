import { periodFilePattern } from '../periodFile.ts'
import { fieldsOfSource } from '../../metrics/plan.ts'
import type { RawDatasetId } from '../../catalog/rawDatasets.ts'
import type { EngineDialect } from './dialect.ts'

/** Location of the raw events of one source. */
export type EventPlace =
  /** Files in order of their periods. */
  | { kind: 'files'; paths: string[]; /** Cluster of ClickHouse whose servers read in parallel. */ cluster?: string }
  /** Folder of one instrument, whose files are named by their periods. */
  | { kind: 'folder'; path: string; /** Cluster of ClickHouse whose servers read in parallel. */ cluster?: string }
  /** A table that has the columns of the raw dataset, and also `exchange`, `symbol` and `ordinal`. */
  | {
      kind: 'table'
      table: string
      exchange: string
      symbol: string
      /** Microseconds since the epoch; the end is exclusive. */
      range?: { fromUs: number; toUs: number }
    }

interface EventQuery {
  source: RawDatasetId
  timeColumn: 'exchange_timestamp' | 'local_timestamp'
  fields: readonly string[]
  place: EventPlace
}

export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Quotes text and escapes backslashes too, because ClickHouse and Spark treat them as escapes. */
const escapedText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

export const textLiteral: Record<EngineDialect, (text: string) => string> = {
  duckdb: quotedText,
  clickhouse: escapedText,
  spark: escapedText,
}

interface SourceSql {
  timeUs(column: string): string
  number(column: string): string
  /** SQL for the sign of a trade; a side other than buy, sell and unknown fails the query. */
  sign: string
  files(paths: readonly string[], source: RawDatasetId, cluster: string | undefined): string
  fileOrdinal: string
  rowOrdinal: string
  /** SQL for the name of the file of a row. */
  fileName: string
  /** Lists the names of the files that match a pattern, as a column `name`. */
  fileNames(pattern: string): string
  matches(text: string, regularExpression: string): string
  /** SQL that fails the query with a message if a condition holds, and is true otherwise. */
  failIf(condition: string, message: string): string
}

/**
 * Percent-encodes an S3 address for ClickHouse, which decodes every address. The cache's folder names are encoded
 * already, so that without this second encoding ClickHouse would look for the wrong folders.
 */
const storageAddress = (path: string): string =>
  path.startsWith('s3://') ? encodeURI(path).replaceAll('#', '%23') : path

/**
 * Writes the ClickHouse function that reads or writes files of one folder. With a cluster, the reading is divided among
 * its servers.
 */
export function clickHouseFiles(files: readonly string[], format: string, cluster?: string): string {
  const paths = files.map(storageAddress)
  const folder = paths[0].slice(0, paths[0].lastIndexOf('/') + 1)
  // ClickHouse finds nothing if braces contain a slash, so the files must be in one folder.
  const pattern =
    paths.length === 1 ? paths[0] : `${folder}{${paths.map((path) => path.slice(folder.length)).join(',')}}`
  const reader = pattern.startsWith('s3://') ? 's3' : 'file'
  const functionArguments = `${escapedText(pattern)}, ${escapedText(format)}`
  return cluster ? `${reader}Cluster(${escapedText(cluster)}, ${functionArguments})` : `${reader}(${functionArguments})`
}

const pathList = (dialect: EngineDialect, paths: readonly string[]) => paths.map(textLiteral[dialect])

/** Writes a relation without rows, for a source that has no files. */
const noEvents = (source: RawDatasetId, types: { time: string; number: string }, ordinals: readonly string[]) => {
  const times = ['exchange_timestamp', 'local_timestamp'].map((name) => `CAST(NULL AS ${types.time}) AS ${name}`)
  const values = fieldsOfSource[source].map((field) =>
    field === 'sign' ? "'unknown' AS side" : `CAST(NULL AS ${types.number}) AS ${field}`,
  )
  return `(SELECT ${[...times, ...values, `'' AS ${ordinals[0]}`, `0 AS ${ordinals[1]}`].join(', ')} WHERE false)`
}

const sparkFiles = (paths: readonly string[]) =>
  `parquet.\`${(paths.length === 1 ? paths[0] : `{${paths.join(',')}}`).replaceAll('`', '``')}\``

const sourceSql: Record<EngineDialect, SourceSql> = {
  duckdb: {
    timeUs: (column) => `epoch_us(${column})`,
    number: (column) => `CAST(${column} AS DOUBLE)`,
    sign: "CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE error('side must be buy, sell or unknown') END",
    files: (paths, source) =>
      paths.length === 0
        ? noEvents(source, { time: 'TIMESTAMP', number: 'DOUBLE' }, ['filename', 'file_row_number'])
        : `read_parquet([${pathList('duckdb', paths).join(', ')}], hive_partitioning = false, filename = true, file_row_number = true)`,
    fileOrdinal: 'filename',
    rowOrdinal: 'file_row_number',
    fileName: 'parse_filename(filename)',
    fileNames: (pattern) => `SELECT parse_filename(file) AS name FROM glob(${quotedText(pattern)})`,
    matches: (text, regularExpression) => `regexp_matches(${text}, ${quotedText(regularExpression)})`,
    failIf: (condition, message) => `CASE WHEN ${condition} THEN error(${quotedText(message)}) ELSE true END`,
  },
  clickhouse: {
    timeUs: (column) => `toUnixTimestamp64Micro(toDateTime64(${column}, 6, 'UTC'))`,
    number: (column) => `toNullable(toFloat64(${column}))`,
    // throwIf is outside the CASE, because ClickHouse may evaluate all branches for every row.
    sign: "toNullable(CASE WHEN side = 'buy' THEN 1e0 WHEN side = 'sell' THEN -1e0 ELSE 0e0 END + throwIf(side NOT IN ('buy', 'sell', 'unknown'), 'side must be buy, sell or unknown'))",
    files: (paths, source, cluster) => {
      if (paths.length === 0)
        return noEvents(source, { time: "Nullable(DateTime64(6, 'UTC'))", number: 'Nullable(Float64)' }, [
          '_path',
          '_row_number',
        ])
      return clickHouseFiles(paths, 'Parquet', cluster)
    },
    fileOrdinal: '_path',
    // Orders the rows of files only; a MergeTree table has no order of rows, so its `ordinal` is a stored column.
    rowOrdinal: '_row_number',
    fileName: '_file',
    fileNames: (pattern) => `SELECT DISTINCT _file AS name FROM ${clickHouseFiles([pattern], 'One')}`,
    matches: (text, regularExpression) => `match(${text}, ${escapedText(regularExpression)})`,
    failIf: (condition, message) => `throwIf(${condition}, ${escapedText(message)}) = 0`,
  },
  spark: {
    timeUs: (column) => `unix_micros(CAST(${column} AS TIMESTAMP))`,
    number: (column) => `CAST(${column} AS DOUBLE)`,
    sign: "CASE side WHEN 'buy' THEN 1e0 WHEN 'sell' THEN -1e0 WHEN 'unknown' THEN 0e0 ELSE CAST(raise_error('side must be buy, sell or unknown') AS DOUBLE) END",
    // The files are read directly, because a view would hide `_metadata`, whose row index is the only way to order the rows.
    files: (paths) => sparkFiles(paths),
    fileOrdinal: '_metadata.file_path',
    rowOrdinal: '_metadata.row_index',
    fileName: '_metadata.file_name',
    fileNames: (pattern) => `SELECT DISTINCT _metadata.file_name AS name FROM ${sparkFiles([pattern])}`,
    matches: (text, regularExpression) => `${text} RLIKE ${escapedText(regularExpression)}`,
    failIf: (condition, message) =>
      `CASE WHEN ${condition} THEN CAST(raise_error(${escapedText(message)}) AS BOOLEAN) ELSE true END`,
  },
}

/**
 * Builds a condition that selects the files named by a day or a month, as the built-in engine does. The query fails if
 * there is no such file, or if two of them contain the same day, whose events would count twice.
 */
function periodCondition(dialect: EngineDialect, source: RawDatasetId, pattern: string): string {
  const { fileName, fileNames, matches, failIf } = sourceSql[dialect]
  const month = 'substr(period, 1, 7)'
  const countIf = (length: number) => `count(DISTINCT CASE WHEN length(period) = ${length} THEN ${month} END)`
  const isWrong = `count(*) = 0 OR count(DISTINCT period) < count(*) OR count(DISTINCT ${month}) < ${countIf(7)} + ${countIf(10)}`
  const message = `files of ${source} must be named by day or month, such as 2026-08-01.parquet, and no day may be in two of them`
  const periods = `SELECT substr(name, 1, position('.' IN name) - 1) AS period FROM (${fileNames(pattern)}) AS names WHERE ${matches('name', periodFilePattern)}`
  return `${matches(fileName, periodFilePattern)} AND (SELECT ${failIf(isWrong, message)} FROM (${periods}) AS periods)`
}

/** Builds a condition on the times, so that ClickHouse can skip parts of a table. */
const rangeOf = (column: string, range: { fromUs: number; toUs: number } | undefined) =>
  range
    ? ` AND ${column} >= fromUnixTimestamp64Micro(${range.fromUs}, 'UTC') AND ${column} < fromUnixTimestamp64Micro(${range.toUs}, 'UTC')`
    : ''

function sourceTable(sql: SourceSql, source: RawDatasetId, place: EventPlace): string {
  if (place.kind === 'table') return place.table
  return place.kind === 'folder'
    ? sql.files([allFiles(place.path)], source, place.cluster)
    : sql.files(place.paths, source, place.cluster)
}

const allFiles = (folder: string) => `${folder}/*.parquet`

/**
 * Writes the query for a source's events: their time, the order of events at equal times, and the fields that are read.
 */
export function renderSource(dialect: EngineDialect, { source, timeColumn, fields, place }: EventQuery): string {
  const dialectSql = sourceSql[dialect]
  const isTable = place.kind === 'table'
  const columns = fieldsOfSource[source]
    .filter((field) => fields.includes(field))
    .map((field) => `${field === 'sign' ? dialectSql.sign : dialectSql.number(field)} AS ${field}`)
  const where = isTable
    ? ` WHERE exchange = ${textLiteral[dialect](place.exchange)} AND symbol = ${textLiteral[dialect](place.symbol)}${rangeOf(timeColumn, place.range)}`
    : place.kind === 'folder'
      ? ` WHERE ${periodCondition(dialect, source, allFiles(place.path))}`
      : ''
  const from = sourceTable(dialectSql, source, place)
  // An alias must differ from the column it is computed from, because ClickHouse would read the alias.
  const raw = `SELECT ${[
    `${dialectSql.timeUs(timeColumn)} AS time_us`,
    `${isTable ? '0' : dialectSql.fileOrdinal} AS file_ordinal`,
    `${isTable ? 'ordinal' : dialectSql.rowOrdinal} AS row_ordinal`,
    ...columns.map((column) => column.replace(/ AS (\w+)$/, ' AS event_$1')),
  ].join(', ')} FROM ${from}${where}`
  const renamed = fields.map((field) => `event_${field} AS ${field}`)
  return `SELECT ${['time_us', 'file_ordinal', 'row_ordinal', ...renamed].join(', ')} FROM (${raw}) AS events`
}
