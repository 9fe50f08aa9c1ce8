import type { RawDatasetId } from '../catalog/rawDatasets.ts'
import { encodeSymbol } from '../catalog/symbols.ts'
import { metricQuery, sourcesRead } from './metricQuery.ts'
import type { PlannedDatasetId } from '../metrics/plan.ts'
import { clickHouseFiles, type EventPlace, textLiteral } from './dialects/sources.ts'
import type { EngineDialect } from './dialects/dialect.ts'

/** Location that the user gave with `--raw`. */
export type RawPlace =
  /** Folder or `s3://` address with the layout of the cache. */
  | { kind: 'folder'; address: string }
  /** Database whose tables have the names of the raw datasets. */
  | { kind: 'database'; name: string }

export interface ScriptRequest {
  datasets: readonly PlannedDatasetId[]
  exchange: string
  symbol: string
  /** Name of the interval, such as `1m`. */
  interval: string
  intervalSeconds: number
  timestamp: 'exchange' | 'true'
  /** Start of the range at midnight UTC, in microseconds since the epoch. */
  startUs: number
  /** Exclusive end of the range: midnight UTC, in microseconds since the epoch. */
  endUs: number
  raw: RawPlace
  /** Cluster of ClickHouse whose servers read files in parallel; left out for none. */
  cluster?: string
  /** Folder or `s3://` address for the results; null for a script that only selects them. */
  out: string | null
}

const dialectNames: Record<EngineDialect, string> = { duckdb: 'DuckDB', clickhouse: 'ClickHouse', spark: 'Spark SQL' }

const settings: Record<EngineDialect, [why: string, statement: string][]> = {
  duckdb: [['Times are UTC whatever the machine says', "SET TimeZone = 'UTC'"]],
  clickhouse: [
    ['Times are UTC whatever the server says', "SET session_timezone = 'UTC'"],
    ['A join without a match gives NULL, not 0', 'SET join_use_nulls = 1'],
    ['Folder names are not columns: the query names its files', 'SET use_hive_partitioning = 0'],
    [
      'A second run replaces the files of the first',
      'SET engine_file_truncate_on_insert = 1, s3_truncate_on_insert = 1',
    ],
  ],
  spark: [['Times are UTC whatever the cluster says', 'SET spark.sql.session.timeZone = UTC']],
}

/** Writes a complete script: settings, and the statements of each dataset. Equal requests give equal text. */
export function engineScript(dialect: EngineDialect, request: ScriptRequest): string {
  const setup = settings[dialect].flatMap(([why, statement]) => [`-- ${why}.`, `${statement};`])
  const statements = request.datasets.map((dataset) => datasetStatement(dialect, request, dataset))
  return [heading(dialect, request), ...setup, '', statements.join('\n\n'), ''].join('\n')
}

const dayOfUs = (us: number) => new Date(us / 1000).toISOString().slice(0, 10)

function heading(dialect: EngineDialect, request: ScriptRequest): string {
  const { datasets, exchange, symbol, interval, timestamp, startUs, endUs } = request
  const lines = [
    `Metrics from raw events, for ${dialectNames[dialect]}. Printed by Perpscope.`,
    `Datasets: ${datasets.join(', ')}`,
    `Instrument: ${exchange} ${symbol}`,
    `Interval: ${interval} by ${timestamp} time, ${dayOfUs(startUs)} to ${dayOfUs(endUs - 1)} (both days inclusive, UTC)`,
  ]
  return lines.map((line) => `-- ${line.replaceAll(/[\r\n]+/g, ' ')}`).join('\n')
}

/** Rewrites an S3 address for Spark, which names the scheme s3a. */
const addressOf = (dialect: EngineDialect, address: string) =>
  dialect === 'spark' ? address.replace(/^s3:/, 's3a:') : address

function placeOf(
  dialect: EngineDialect,
  { raw, exchange, symbol, cluster }: ScriptRequest,
  source: RawDatasetId,
): EventPlace {
  if (raw.kind === 'database') return { kind: 'table', table: `${raw.name}.${source}`, exchange, symbol }
  const folder = `dataset=${source}/exchange=${exchange}/symbol=${encodeSymbol(symbol)}`
  return { kind: 'folder', path: `${addressOf(dialect, raw.address)}/${folder}`, ...(cluster && { cluster }) }
}

function datasetStatement(dialect: EngineDialect, request: ScriptRequest, dataset: PlannedDatasetId): string {
  const places = Object.fromEntries(sourcesRead(dataset).map((source) => [source, placeOf(dialect, request, source)]))
  const query = metricQuery(dialect, { ...request, dataset, places })
  const { out } = request
  const comment = `-- ${dataset}.`
  if (out === null) return `${comment}\n${query};`
  return `${comment}\n${outputStatements[dialect]({ ...request, dataset, query, out: addressOf(dialect, out) })}`
}

interface OutputTarget extends Pick<ScriptRequest, 'exchange' | 'symbol' | 'interval' | 'timestamp'> {
  dataset: PlannedDatasetId
  query: string
  out: string
}

/** Returns the folder of a series below an address, in the layout of the cache. */
export const engineFolder = ({
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
  out,
}: Omit<OutputTarget, 'query'>): string =>
  `${out}/dataset=${dataset}/exchange=${exchange}/symbol=${encodeSymbol(symbol)}/interval=${interval}/timestamp=${timestamp}`

/** Builds statements that write a query's rows as Parquet in the layout of the cache, ordered by time. */
const outputStatements: Record<EngineDialect, (target: OutputTarget) => string> = {
  // DuckDB creates folders only with PARTITION_BY, which keeps the row order only with a single thread.
  duckdb({ dataset, exchange, symbol, interval, timestamp, query, out }) {
    const text = textLiteral.duckdb
    const parts = Object.entries({ dataset, exchange, symbol, interval, timestamp })
    const columnList = parts.map(([name, value]) => `${text(value)} AS "${name}"`).join(', ')
    const partitionList = parts.map(([name]) => `"${name}"`).join(', ')
    return [
      `CREATE OR REPLACE TEMPORARY TABLE computed AS\n${query};`,
      'SET threads = 1;',
      `COPY (SELECT *, ${columnList} FROM computed ORDER BY time) TO ${text(out)} (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (${partitionList}), OVERWRITE_OR_IGNORE);`,
      'RESET threads;',
    ].join('\n')
  },
  clickhouse(target) {
    const file = `${engineFolder(target)}/part.parquet`
    return `INSERT INTO FUNCTION ${clickHouseFiles([file], 'Parquet')}\n${target.query};`
  },
  spark: (target) =>
    `INSERT OVERWRITE DIRECTORY ${textLiteral.spark(engineFolder(target))} USING parquet\n${target.query};`,
}
