/**
 * Code for other engines that reads a folder in which `time` has several types: whole milliseconds in some files,
 * timestamps in others. Engines refuse to unite these types or reinterpret one as the other, so every snippet here
 * reads the files of each type separately. The macro for DuckDB and the Python functions are called `rows_in`; their
 * rows have `time` as a UTC instant.
 */

/** Type of the time column: whole milliseconds, a timestamp, or different types in different files. */
export type TimeType = 'milliseconds' | 'timestamp' | 'mixed'

/** A column of the files besides the time. */
export interface FileColumn {
  name: string
  isText: boolean
}

/**
 * DuckDB macro that builds the query over all files of a pattern, for `query(getvariable(…))`. Files are grouped by
 * exact type, because DuckDB unites timestamps with and without a zone by the session's zone.
 */
export const duckDbRowsIn = (isHive: boolean) => `CREATE OR REPLACE MACRO rows_in(pattern) AS (
  SELECT string_agg(
    'SELECT * REPLACE (make_timestamp(' || if(kind ILIKE 'timestamp%', 'epoch_us(time)', 'time * 1000') || ') AS time) '
    || 'FROM read_parquet([' || files || '], hive_partitioning = ${isHive}, hive_types_autocast = false, union_by_name = true)',
    ' UNION ALL BY NAME ')
  FROM (
    SELECT coalesce(logical_type, converted_type, '') AS kind,
      string_agg('''' || replace(file_name, '''', '''''') || '''', ', ') AS files
    FROM parquet_schema(pattern) WHERE name = 'time' GROUP BY kind
  )
);`

/** Python function that reads a folder file by file; partition folders become columns, and `wanted` filters on them. */
export const pandasRowsIn = `import pandas as pd
import pyarrow.dataset as ds

def rows_in(folder, **wanted):
    parts = []
    for file in ds.dataset(folder, format="parquet", partitioning="hive", exclude_invalid_files=True).get_fragments():
        keys = ds.get_partition_keys(file.partition_expression)
        if wanted.items() <= keys.items():
            part = pd.read_parquet(file.path, partitioning=None).assign(**keys)
            unit = "ms" if pd.api.types.is_integer_dtype(part["time"]) else None
            part["time"] = pd.to_datetime(part["time"], unit=unit, utc=True).dt.as_unit("us")
            parts.append(part)
    return pd.concat(parts, ignore_index=True)
`

/** Python function that scans a folder file by file. */
export const polarsRowsIn = (isHive: boolean) => `from pathlib import Path
import polars as pl

def rows_in(folder):
    def scan(path):
        rows = pl.scan_parquet(path, hive_partitioning=${isHive ? 'True' : 'False'}, glob=False)
        is_count = rows.collect_schema()["time"].is_integer()
        time = pl.from_epoch("time", time_unit="ms") if is_count else pl.col("time")
        return rows.with_columns(time=time.cast(pl.Datetime("us")).dt.replace_time_zone("UTC"))
    return pl.concat([scan(path) for path in sorted(Path(folder).rglob("*.parquet"))], how="diagonal_relaxed")
`

/**
 * Python function that reads the files of each schema together. Spark reads nanoseconds as integers, which differ from
 * milliseconds in size, and assumes the session's zone for timestamps without one unless configured otherwise.
 */
export const sparkRowsIn = `from functools import reduce
from pyspark.sql import functions as F

spark.conf.set("spark.sql.parquet.inferTimestampNTZ.enabled", "false")
spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true")

def rows_in(folder, base):
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
    groups = {}
    for (path,) in files.load(folder).select("path").collect():
        schema = spark.read.parquet(path).schema
        groups.setdefault((schema.json(), schema["time"].dataType.typeName()), []).append(path)
    def read(kind, paths):
        rows = spark.read.option("basePath", base).parquet(*paths)
        micros = F.expr("timestamp_micros(IF(time > 1000000000000000, time DIV 1000, time * 1000))")
        return rows.withColumn("time", micros) if kind == "long" else rows
    parts = [read(kind, paths) for (_, kind), paths in groups.items()]
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)
`

/**
 * Converts a ClickHouse column that was read as text to an instant: digits are milliseconds, anything else is a UTC
 * timestamp.
 */
export const clickHouseInstant = (column: string) =>
  `if(match(${column}, '^-?\\\\d+$'), fromUnixTimestamp64Milli(toInt64OrZero(${column}), 'UTC'), toDateTime64(parseDateTime64BestEffort(${column}, 6, 'UTC'), 3, 'UTC'))`

/**
 * Builds the structure argument of ClickHouse's `file`, which would otherwise use the types of the first file for all.
 */
export const clickHouseStructure = (columns: readonly FileColumn[]) =>
  [
    'time String',
    ...columns.map(({ name, isText }) => `${clickHouseName(name)} Nullable(${isText ? 'String' : 'Float64'})`),
  ].join(', ')

const clickHouseName = (name: string) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``
