import type { Snippet } from '#shared/contract/areas/series.ts'
import type { FileColumn, TimeType } from './mixedTimes.ts'
import * as mixedTimes from './mixedTimes.ts'

export interface SnippetSeries {
  /** Folder of the series' Parquet files. */
  folder: string
  /** Name of the time column; for raw events, the column of the chosen timestamp source. */
  timeColumn: string
  timeType: TimeType
  /** Columns besides the time; empty for all. */
  columns: readonly string[]
  /** Inclusive start of the range; null if unbounded. */
  startMs: number | null
  /** Exclusive end of the range; null if unbounded. */
  endMs: number | null
  /** Name of the Python variable. */
  variable?: string
  /** All columns of the files besides the time; needed if `timeType` is `mixed`. */
  fileColumns?: readonly FileColumn[]
}

/** Builds snippets that read a series in other tools, all with the same rows and UTC instants. */
export function snippetsOf(series: SnippetSeries): Snippet[] {
  const isMixed = series.timeType === 'mixed'
  return [
    { name: 'DuckDB', language: 'sql', text: isMixed ? mixedDuckDb(series) : duckDb(series) },
    { name: 'pandas', language: 'python', text: isMixed ? mixedPandas(series) : pandas(series) },
    { name: 'Polars', language: 'python', text: isMixed ? mixedPolars(series) : polars(series) },
    { name: 'Spark', language: 'python', text: isMixed ? mixedSpark(series) : spark(series) },
    { name: 'ClickHouse', language: 'sql', text: isMixed ? mixedClickHouse(series) : clickHouse(series) },
  ]
}

const globOf = ({ folder }: SnippetSeries) => `${folder}/*.parquet`
const sqlNames = ({ columns }: SnippetSeries) => columns.map(sqlName).join(', ')
/** Lists the column names for Python, time first; an empty list means all. */
const pythonNames = ({ columns, timeColumn }: SnippetSeries) =>
  (columns.length > 0 ? [timeColumn, ...columns] : []).map(pythonText).join(', ')

function duckDb(series: SnippetSeries): string {
  const time = sqlName(series.timeColumn)
  const isMs = series.timeType === 'milliseconds'
  // Compares instants, because DuckDB reads a bare timestamp in the session's zone.
  const instant = isMs ? `make_timestamp(${time} * 1000)` : `make_timestamp(epoch_us(${time}))`
  const where = rangeCondition(series, isMs ? time : `epoch_ms(${time})`, String)
  return joinLines([
    `SELECT ${instant} AS time, ${sqlNames(series) || `* EXCLUDE (${time})`}`,
    `FROM read_parquet(${sqlText(globOf(series))}, union_by_name = true)`,
    where && `WHERE ${where}`,
    `ORDER BY ${time};`,
  ])
}

function mixedDuckDb(series: SnippetSeries): string {
  const where = rangeCondition(series, 'epoch_ms(time)', String)
  return joinLines([
    mixedTimes.duckDbRowsIn(false),
    `SET VARIABLE series = rows_in(${sqlText(globOf(series))});`,
    `SELECT ${['time', sqlNames(series) || '* EXCLUDE (time)'].join(', ')}`,
    `FROM query(getvariable('series'))`,
    where && `WHERE ${where}`,
    'ORDER BY time;',
  ])
}

function pandas(series: SnippetSeries): string {
  const { variable: df = 'df', folder, timeColumn } = series
  const columns = pythonNames(series)
  return joinLines([
    'import pandas as pd',
    '',
    `${df} = pd.read_parquet(${pythonText(folder)}${columns === '' ? '' : `, columns=[${columns}]`})`,
    `${df}["time"] = pd.to_datetime(${df}[${pythonText(timeColumn)}]${series.timeType === 'milliseconds' ? ', unit="ms"' : ''}, utc=True)`,
    ...pandasRange(series, df),
    `${df} = ${df}.sort_values("time").set_index("time")`,
  ])
}

const pandasRange = (series: SnippetSeries, df: string) =>
  rangeLines(
    series,
    (ms) => `pd.Timestamp("${iso(ms)}")`,
    (condition) => `${df} = ${df}[${condition(`${df}["time"]`)}]`,
  )

function mixedPandas(series: SnippetSeries): string {
  const { variable: df = 'df' } = series
  const columns = pythonNames(series)
  return joinLines([
    mixedTimes.pandasRowsIn,
    `${df} = rows_in(${pythonText(series.folder)})${columns === '' ? '' : `.reindex(columns=[${columns}])`}`,
    ...pandasRange(series, df),
    `${df} = ${df}.sort_values("time").set_index("time")`,
  ])
}

function polars(series: SnippetSeries): string {
  const { variable: df = 'df', timeColumn } = series
  const columns = pythonNames(series)
  return joinLines([
    'import polars as pl',
    '',
    `${df} = (`,
    `    pl.scan_parquet(${pythonText(globOf(series))}, hive_partitioning=False, missing_columns="insert", extra_columns="ignore")`,
    ...(columns === '' ? [] : [`    .select(${columns})`]),
    series.timeType === 'milliseconds'
      ? `    .with_columns(time=pl.from_epoch(${pythonText(timeColumn)}, time_unit="ms").dt.replace_time_zone("UTC"))`
      : `    .with_columns(time=pl.col(${pythonText(timeColumn)}).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))`,
    ...polarsRange(series),
    '    .sort("time")',
    '    .collect()',
    ')',
  ])
}

const polarsRange = (series: SnippetSeries) =>
  rangeLines(
    series,
    (ms) => `pl.lit("${iso(ms)}").str.to_datetime(time_zone="UTC")`,
    (condition) => `    .filter(${condition('pl.col("time")')})`,
  )

function mixedPolars(series: SnippetSeries): string {
  const columns = pythonNames(series)
  return joinLines([
    mixedTimes.polarsRowsIn(false),
    `${series.variable ?? 'df'} = (`,
    `    rows_in(${pythonText(series.folder)})`,
    ...(columns === '' ? [] : [`    .select(${columns})`]),
    ...polarsRange(series),
    '    .sort("time")',
    '    .collect()',
    ')',
  ])
}

function spark(series: SnippetSeries): string {
  const { variable: df = 'df', timeColumn } = series
  const columns = pythonNames(series)
  const isMs = series.timeType === 'milliseconds'
  return joinLines([
    'from pyspark.sql import functions as F',
    '',
    `${df} = spark.read.option("mergeSchema", "true").parquet(${pythonText(series.folder)})`,
    ...(columns === '' ? [] : [`${df} = ${df}.select(${columns})`]),
    ...sparkRange(series, isMs ? String : sparkInstant),
    isMs
      ? `${df} = ${df}.withColumn("time", F.timestamp_millis(${pythonText(timeColumn)})).orderBy("time")`
      : `${df} = ${df}.withColumn("time", F.col(${pythonText(timeColumn)})).orderBy("time")`,
  ])
}

const sparkInstant = (ms: number) => `F.lit("${iso(ms)}").cast("timestamp")`
const sparkRange = (series: SnippetSeries, instant: (ms: number) => string) =>
  rangeLines(series, instant, (condition) => {
    const df = series.variable ?? 'df'
    return `${df} = ${df}.where(${condition(`F.col(${pythonText(series.timeColumn)})`)})`
  })

function mixedSpark(series: SnippetSeries): string {
  const { variable: df = 'df', folder } = series
  const columns = pythonNames(series)
  return joinLines([
    mixedTimes.sparkRowsIn,
    `${df} = rows_in(${pythonText(folder)}, ${pythonText(folder)})`,
    ...(columns === '' ? [] : [`${df} = ${df}.select(${columns})`]),
    ...sparkRange(series, sparkInstant),
    `${df} = ${df}.orderBy("time")`,
  ])
}

function clickHouse(series: SnippetSeries): string {
  const time = sqlName(series.timeColumn)
  const isMs = series.timeType === 'milliseconds'
  const where = rangeCondition(series, time, isMs ? String : clickHouseTime)
  return joinLines([
    `SELECT ${isMs ? `fromUnixTimestamp64Milli(${time}, 'UTC')` : time} AS at, ${sqlNames(series) || '*'}`,
    `FROM file(${sqlText(globOf(series))}, 'Parquet')`,
    where && `WHERE ${where}`,
    'ORDER BY at;',
  ])
}

const clickHouseTime = (ms: number) => `toDateTime64('${sqlInstant(ms)}', 3, 'UTC')`

function mixedClickHouse(series: SnippetSeries): string {
  const { columns, fileColumns = [] } = series
  const readColumns = columns.length > 0 ? fileColumns.filter(({ name }) => columns.includes(name)) : fileColumns
  const where = rangeCondition(series, 'at', clickHouseTime)
  return joinLines([
    `SELECT ${mixedTimes.clickHouseInstant('time')} AS at, ${sqlNames(series) || '* EXCEPT time'}`,
    `FROM file(${sqlText(globOf(series))}, 'Parquet', ${sqlText(mixedTimes.clickHouseStructure(readColumns))})`,
    where && `WHERE ${where}`,
    'ORDER BY at;',
  ])
}

const sqlName = (name: string) => `"${name.replaceAll('"', '""')}"`
const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`
/** Quotes text for Python. */
const pythonText = (value: string) => JSON.stringify(value)
const iso = (ms: number) => new Date(ms).toISOString()
const sqlInstant = (ms: number) => iso(ms).replace('T', ' ').replace('Z', '')
const joinLines = (all: readonly (string | null)[]) => all.filter((line) => line !== null).join('\n') + '\n'

function rangeCondition(
  { startMs, endMs }: SnippetSeries,
  time: string,
  instant: (ms: number) => string,
): string | null {
  const parts = [
    startMs === null ? null : `${time} >= ${instant(startMs)}`,
    endMs === null ? null : `${time} < ${instant(endMs)}`,
  ]
  const bounds = parts.filter((part) => part !== null)
  return bounds.length > 0 ? bounds.join(' AND ') : null
}

/** Builds the Python lines that filter on the range, if there is one. */
function rangeLines(
  { startMs, endMs }: SnippetSeries,
  instant: (ms: number) => string,
  line: (condition: (column: string) => string) => string,
): string[] {
  if (startMs === null && endMs === null) return []
  const condition = (column: string) =>
    [
      startMs === null ? null : `(${column} >= ${instant(startMs)})`,
      endMs === null ? null : `(${column} < ${instant(endMs)})`,
    ]
      .filter((part) => part !== null)
      .join(' & ')
  return [line(condition)]
}
