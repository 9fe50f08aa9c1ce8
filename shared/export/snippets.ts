import type { Snippet } from '#shared/contract/areas/series.ts'

export interface SnippetSeries {
  /** Paths of the series' Parquet files. */
  folder: string
  /** `time`, or the clock of events. */
  timeColumn: string
  /** Type of the time column: whole milliseconds, or a timestamp. */
  timeType: 'milliseconds' | 'timestamp'
  /** Besides the time; empty for all. */
  columns: readonly string[]
  /** Half-open; null where open. */
  startMs: number | null
  endMs: number | null
  /** Name of the rows in Python. */
  variable?: string
}

/** Builds snippets that read a series in other tools, with the same rows and times as UTC instants. */
export function snippetsOf(series: SnippetSeries): Snippet[] {
  const { columns, variable: df = 'df' } = series
  const names = columns.length > 0 ? columns.map(sqlName).join(', ') : null
  const time = sqlName(series.timeColumn)
  const isMs = series.timeType === 'milliseconds'
  const python = [...(columns.length > 0 ? [series.timeColumn, ...columns] : [])].map(text).join(', ')
  const glob = `${series.folder}/*.parquet`

  // By the instant: a bare timestamp in a condition would be one of the session's own zone.
  const duck = isMs ? `make_timestamp(${time} * 1000)` : `make_timestamp(epoch_us(${time}))`
  const duckRest = names ?? `* EXCLUDE (${time})`
  const duckWhere = rangeOf(series, isMs ? time : `epoch_ms(${time})`, String)

  const clickTime = isMs ? `fromUnixTimestamp64Milli(${time}, 'UTC')` : time
  const clickWhere = rangeOf(series, time, isMs ? String : (ms) => `toDateTime64('${sqlInstant(ms)}', 3, 'UTC')`)

  const pandasColumns = python === '' ? '' : `, columns=[${python}]`
  const pandasTime = isMs ? `, unit="ms", utc=True` : `, utc=True`

  return [
    {
      name: 'DuckDB',
      language: 'sql',
      text: lines([
        `SELECT ${duck} AS time, ${duckRest}`,
        `FROM read_parquet(${sqlText(glob)}, union_by_name = true)`,
        duckWhere && `WHERE ${duckWhere}`,
        `ORDER BY ${time};`,
      ]),
    },
    {
      name: 'pandas',
      language: 'python',
      text: lines([
        'import pandas as pd',
        '',
        `${df} = pd.read_parquet(${text(series.folder)}${pandasColumns})`,
        `${df}["time"] = pd.to_datetime(${df}[${text(series.timeColumn)}]${pandasTime})`,
        ...rangeLines(
          series,
          (ms) => `pd.Timestamp("${iso(ms)}")`,
          (condition) => `${df} = ${df}[${condition(`${df}["time"]`)}]`,
        ),
        `${df} = ${df}.sort_values("time").set_index("time")`,
      ]),
    },
    {
      name: 'Polars',
      language: 'python',
      text: lines([
        'import polars as pl',
        '',
        `${df} = (`,
        `    pl.scan_parquet(${text(glob)}, hive_partitioning=False, missing_columns="insert", extra_columns="ignore")`,
        ...(python === '' ? [] : [`    .select(${python})`]),
        isMs
          ? `    .with_columns(time=pl.from_epoch(${text(series.timeColumn)}, time_unit="ms").dt.replace_time_zone("UTC"))`
          : `    .with_columns(time=pl.col(${text(series.timeColumn)}).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))`,
        ...rangeLines(
          series,
          (ms) => `pl.lit("${iso(ms)}").str.to_datetime(time_zone="UTC")`,
          (condition) => `    .filter(${condition('pl.col("time")')})`,
        ),
        '    .sort("time")',
        '    .collect()',
        ')',
      ]),
    },
    {
      name: 'Spark',
      language: 'python',
      text: lines([
        'from pyspark.sql import functions as F',
        '',
        `${df} = spark.read.option("mergeSchema", "true").parquet(${text(series.folder)})`,
        ...(python === '' ? [] : [`${df} = ${df}.select(${python})`]),
        ...rangeLines(
          series,
          (ms) => (isMs ? String(ms) : `F.lit("${iso(ms)}").cast("timestamp")`),
          (condition) => `${df} = ${df}.where(${condition(`F.col(${text(series.timeColumn)})`)})`,
        ),
        isMs
          ? `${df} = ${df}.withColumn("time", F.timestamp_millis(${text(series.timeColumn)})).orderBy("time")`
          : `${df} = ${df}.withColumn("time", F.col(${text(series.timeColumn)})).orderBy("time")`,
      ]),
    },
    {
      name: 'ClickHouse',
      language: 'sql',
      text: lines([
        `SELECT ${clickTime} AS at, ${names ?? '*'}`,
        `FROM file(${sqlText(glob)}, 'Parquet')`,
        clickWhere && `WHERE ${clickWhere}`,
        'ORDER BY at;',
      ]),
    },
  ]
}

const sqlName = (name: string) => `"${name.replaceAll('"', '""')}"`
const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`
/** Quotes text as Python and JSON do. */
const text = (value: string) => JSON.stringify(value)
const iso = (ms: number) => new Date(ms).toISOString()
const sqlInstant = (ms: number) => iso(ms).replace('T', ' ').replace('Z', '')
const lines = (all: readonly (string | null)[]) => all.filter((line) => line !== null).join('\n') + '\n'

function rangeOf({ startMs, endMs }: SnippetSeries, time: string, instant: (ms: number) => string): string | null {
  const parts = [
    startMs === null ? null : `${time} >= ${instant(startMs)}`,
    endMs === null ? null : `${time} < ${instant(endMs)}`,
  ]
  const stated = parts.filter((part) => part !== null)
  return stated.length > 0 ? stated.join(' AND ') : null
}

/** A Python line that keeps the rows of the range, where there is one. */
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
