import type { FileColumn, TimeType } from './mixedTimes.ts'
import * as mixedTimes from './mixedTimes.ts'

interface HiveFolderFacts {
  kind: 'metrics' | 'raw'
  files: number
  /** Series that the example queries read: the first one. */
  example: Example
  /** Type of the time column in the files. */
  timeType: TimeType
  writtenAt: string
}

interface Example {
  dataset: string
  exchange: string
  symbol: string
  /** Relative folder that contains all files of the symbol. */
  folder: string
  /** Columns of these files besides the time. */
  columns: readonly FileColumn[]
}

const timeTexts: Record<TimeType, string> = {
  milliseconds: 'the start of the interval in milliseconds since 1970-01-01 UTC',
  timestamp: 'a timestamp in UTC',
  mixed:
    'the start of the interval: in milliseconds since 1970-01-01 UTC in some files, a timestamp in UTC in others. The commands below read both',
}

/** Builds the README of a Hive folder: a description of the files and how other engines read them. */
export function hiveReadme({ kind, files, example, timeType, writtenAt }: HiveFolderFacts): string {
  const keys = kind === 'metrics' ? 'dataset, exchange, symbol, interval, timestamp' : 'dataset, exchange, symbol'
  const timeColumn = kind === 'metrics' ? 'time' : 'exchange_timestamp'
  const code = timeType === 'mixed' ? mixedCode(example) : plainCode(example, timeColumn, timeType === 'milliseconds')
  const sections = [
    ['DuckDB', 'sql', code.duckDb],
    ['pandas', 'python', code.pandas],
    ['Polars', 'python', code.polars],
    ['Spark', 'python', code.spark],
    ['ClickHouse', 'sql', code.clickHouse],
  ].map(([engine, language, text]) => `## ${engine}\n\n\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`)
  return `# Parquet files from Perpscope

Files as the service delivered them, in Hive partitions (${keys}), written ${writtenAt}. Number of files: ${files}.
\`provenance.json\` names every file with its sha256 and when it was fetched.
\`${timeColumn}\` is ${timeTexts[timeType]}.
Characters that folder names cannot contain are percent-encoded (\`%3A\` is a colon).
Where a month and one of its days are both here, the day's file is the newer one: take its rows.

The commands below are meant to be run in this folder.

${sections.join('\n')}`
}

const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`
const pythonText = (value: string) => JSON.stringify(value)
const whereOf = ({ dataset, exchange, symbol }: Example) =>
  `WHERE dataset = ${sqlText(dataset)} AND exchange = ${sqlText(exchange)} AND symbol = ${sqlText(symbol)}`

/** Builds the condition for ClickHouse, which leaves folder names percent-encoded, so the symbol is decoded first. */
const clickHouseWhere = ({ dataset, exchange, symbol }: Example) =>
  `WHERE dataset = ${sqlText(dataset)} AND exchange = ${sqlText(exchange)} AND decodeURLComponent(symbol) = ${sqlText(symbol)}`

function plainCode(example: Example, timeColumn: string, isMs: boolean) {
  const { dataset, symbol } = example
  return {
    duckDb: `SELECT ${isMs ? `make_timestamp(${timeColumn} * 1000) AS at, ` : ''}*
FROM read_parquet('**/*.parquet', hive_partitioning = true, hive_types_autocast = false, union_by_name = true)
${whereOf(example)}
ORDER BY ${timeColumn};`,
    pandas: `import pyarrow.dataset as ds

files = ds.dataset(".", format="parquet", partitioning="hive", exclude_invalid_files=True)
df = files.to_table(filter=(ds.field("dataset") == ${pythonText(dataset)}) & (ds.field("symbol") == ${pythonText(symbol)})).to_pandas()`,
    polars: `import polars as pl

df = (
    pl.scan_parquet("**/*.parquet", hive_partitioning=True, missing_columns="insert", extra_columns="ignore")
    .filter((pl.col("dataset") == ${pythonText(dataset)}) & (pl.col("symbol") == ${pythonText(symbol)}))
    .collect()
)`,
    spark: `df = spark.read.option("mergeSchema", "true").option("basePath", ".").parquet(${pythonText(example.folder)})`,
    // ClickHouse infers the columns of all files from the first one, so the query reads only the example's folder.
    clickHouse: `SELECT * FROM file(${sqlText(`${example.folder}/**/*.parquet`)}, 'Parquet')
${clickHouseWhere(example)}
SETTINGS use_hive_partitioning = 1;`,
  }
}

function mixedCode(example: Example) {
  const { dataset, symbol, folder, columns } = example
  return {
    duckDb: `${mixedTimes.duckDbRowsIn(true)}
SET VARIABLE symbol_rows = rows_in(${sqlText(`${folder}/**/*.parquet`)});
SELECT * FROM query(getvariable('symbol_rows'))
${whereOf(example)}
ORDER BY time;`,
    pandas: `${mixedTimes.pandasRowsIn}
df = rows_in(".", dataset=${pythonText(dataset)}, symbol=${pythonText(symbol)})`,
    polars: `${mixedTimes.polarsRowsIn(true)}
df = rows_in(${pythonText(folder)}).collect()`,
    spark: `${mixedTimes.sparkRowsIn}
df = rows_in(${pythonText(folder)}, ".")`,
    clickHouse: `SELECT ${mixedTimes.clickHouseInstant('time')} AS at, * EXCEPT time
FROM file(${sqlText(`${folder}/**/*.parquet`)}, 'Parquet', ${sqlText(mixedTimes.clickHouseStructure(columns))})
${clickHouseWhere(example)}
ORDER BY at
SETTINGS use_hive_partitioning = 1;`,
  }
}
