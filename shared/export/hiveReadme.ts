export interface HiveFolderFacts {
  kind: 'metrics' | 'raw'
  files: number
  /** Example taken from the first series. */
  example: { dataset: string; exchange: string; symbol: string }
  /** Type of the time column in the files. */
  timeType: 'milliseconds' | 'timestamp'
  writtenAt: string
}

/** Builds the README of a Hive folder: a description of the files and how other engines read them. */
export function hiveReadme({ kind, files, example, timeType, writtenAt }: HiveFolderFacts): string {
  const keys = kind === 'metrics' ? 'dataset, exchange, symbol, interval, timestamp' : 'dataset, exchange, symbol'
  const time = kind === 'metrics' ? 'time' : 'exchange_timestamp'
  const isMs = timeType === 'milliseconds'
  const sql = (text: string) => text.replaceAll("'", "''")
  const where = `dataset = '${sql(example.dataset)}' AND exchange = '${sql(example.exchange)}' AND symbol = '${sql(example.symbol)}'`
  const python = (text: string) => JSON.stringify(text)
  return `# Parquet files from Perpscope

${files} files as the service delivered them, in Hive partitions (${keys}), written ${writtenAt}.
\`provenance.json\` names every file with its sha256 and when it was fetched.
\`${time}\` is ${isMs ? 'the start of the interval in milliseconds since 1970-01-01 UTC' : 'a timestamp in UTC'}.
Characters that folders cannot hold are percent-encoded in the names of folders (\`%3A\` is a colon).
Where a month and one of its days are both here, the day's file is the newer one: take its rows.

The commands below are meant to be run in this folder.

## DuckDB

\`\`\`sql
SELECT ${isMs ? `make_timestamp(${time} * 1000) AS at, ` : ''}*
FROM read_parquet('**/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
WHERE ${where}
ORDER BY ${time};
\`\`\`

## pandas

\`\`\`python
import pandas as pd

df = pd.read_parquet(".", filters=[("dataset", "==", ${python(example.dataset)}), ("symbol", "==", ${python(example.symbol)})])
\`\`\`

## Polars

\`\`\`python
import polars as pl

df = (
    pl.scan_parquet("**/*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore")
    .filter((pl.col("dataset") == ${python(example.dataset)}) & (pl.col("symbol") == ${python(example.symbol)}))
    .collect()
)
\`\`\`

## Spark

\`\`\`python
df = spark.read.option("mergeSchema", "true").parquet(".")
df = df.where((df.dataset == ${python(example.dataset)}) & (df.symbol == ${python(example.symbol)}))
\`\`\`

## ClickHouse

\`\`\`sql
SELECT * FROM file('**/*.parquet', 'Parquet')
WHERE ${where}
SETTINGS use_hive_partitioning = 1;
\`\`\`
`
}
