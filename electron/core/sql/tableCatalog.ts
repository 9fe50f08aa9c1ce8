import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { commonRawColumns, rawDatasets } from '#shared/catalog/rawDatasets.ts'

/** DuckDB types of the tables' columns. */
export type SqlType = 'VARCHAR' | 'DOUBLE' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE' | 'JSON'

export interface SqlColumn {
  name: string
  type: SqlType
}

/** A table that a query may name. `rows` says where its rows come from: cached Parquet files, or the app itself. */
export interface SqlTable {
  schema: string
  name: string
  rows: 'metrics' | 'raw' | 'app'
  columns: readonly SqlColumn[]
}

export const tableName = ({ schema, name }: Pick<SqlTable, 'schema' | 'name'>): string => `${schema}.${name}`

/** Names the columns of a table that hold measured values, which have a unit. */
export const measuresOf = ({ columns }: SqlTable): ReadonlySet<string> =>
  new Set(columns.flatMap(({ name, type }) => (type === 'DOUBLE' ? [name] : [])))

const parseColumns = (text: string): SqlColumn[] =>
  text.split(', ').map((each) => {
    const [name, type = 'VARCHAR'] = each.split(' ')
    return { name, type: type as SqlType }
  })

/** Columns that every metric table has before those of its dataset. */
const metricColumns = parseColumns(
  'exchange, symbol, base, interval, clock, time TIMESTAMP, known_at TIMESTAMP, origin VARCHAR',
)
const rawColumns = parseColumns('exchange, symbol, base')
const rawTypes = { timestamp: 'TIMESTAMP', string: 'VARCHAR', float64: 'DOUBLE' } as const

/** Builds the table of a raw dataset that no document names, with these columns besides those of every raw dataset. */
export const rawTable = (name: string, columns: readonly SqlColumn[]): SqlTable => ({
  schema: 'raw',
  name,
  rows: 'raw',
  columns: [
    ...rawColumns,
    ...commonRawColumns.map((column) => ({ name: column.name, type: rawTypes[column.type] })),
    ...columns,
  ],
})

/** Builds the table of a metric dataset with these columns of its own. */
export const metricTable = (name: string, columns: readonly string[]): SqlTable => ({
  schema: 'metrics',
  name,
  rows: 'metrics',
  columns: [...metricColumns, ...columns.map((column) => ({ name: column, type: 'DOUBLE' as const }))],
})

const metricTables: SqlTable[] = metricDatasets.map(({ id, columns }) =>
  metricTable(
    id,
    columns.map(({ name }) => name),
  ),
)

const TIME_KIND_COLUMN = 'exchange_timestamp_kind'

/** Raw tables. In datasets with modelled exchange times, a column after the time says whether it is modelled. */
const rawTables: SqlTable[] = rawDatasets.map(({ id, columns, exchangeTimeModelled }) => ({
  schema: 'raw',
  name: id,
  rows: 'raw',
  columns: [
    ...rawColumns,
    ...columns.flatMap(({ name, type }): SqlColumn[] => [
      { name, type: rawTypes[type] },
      ...(name === 'exchange_timestamp' && exchangeTimeModelled
        ? [{ name: TIME_KIND_COLUMN, type: 'VARCHAR' as const }]
        : []),
    ]),
  ],
}))

const declareAppTable = (schema: string, name: string, columns: string): SqlTable => ({
  schema,
  name,
  rows: 'app',
  columns: parseColumns(columns),
})

const liveColumns = 'as_of, created_at TIMESTAMP, day DATE'

const portfolioTables: SqlTable[] = [
  declareAppTable('portfolio', 'weights', 'portfolio, smoothing, exchange, day DATE, ticker, value DOUBLE'),
  declareAppTable('portfolio', 'returns', 'portfolio, smoothing, exchange, day DATE, value DOUBLE'),
  declareAppTable('portfolio', 'factors', 'factor, smoothing, exchange, day DATE, ticker, value DOUBLE'),
  declareAppTable('portfolio', 'prices', 'smoothing, exchange, day DATE, ticker, value DOUBLE'),
  declareAppTable('portfolio', 'universe', 'size, smoothing, exchange, day DATE, ticker'),
  declareAppTable('portfolio', 'overlays', 'portfolio, overlay, smoothing, exchange, day DATE, value DOUBLE'),
  declareAppTable('portfolio', 'regimes', 'regime, smoothing, exchange, day DATE, value DOUBLE'),
  declareAppTable('portfolio', 'live_weights', `portfolio, smoothing, exchange, ${liveColumns}, ticker, value DOUBLE`),
  declareAppTable('portfolio', 'live_factors', `factor, smoothing, exchange, ${liveColumns}, ticker, value DOUBLE`),
  declareAppTable(
    'portfolio',
    'live_overlays',
    `portfolio, overlay, smoothing, exchange, ${liveColumns}, value DOUBLE`,
  ),
  declareAppTable('portfolio', 'live_regimes', `regime, smoothing, exchange, ${liveColumns}, value DOUBLE`),
]

const cacheTables: SqlTable[] = [
  declareAppTable(
    'cache',
    'files',
    'connection, dataset, exchange, symbol, interval, clock, period, bytes BIGINT, sha256, downloaded_at TIMESTAMP, state',
  ),
  declareAppTable(
    'cache',
    'coverage',
    'connection, dataset, exchange, symbol, first_day DATE, last_day DATE, days BIGINT',
  ),
  declareAppTable('cache', 'symbols', 'connection, exchange, symbol, base'),
  declareAppTable(
    'cache',
    'funding_periods',
    'exchange, symbol, from TIMESTAMP, to TIMESTAMP, every_hours DOUBLE, offset_hours DOUBLE, rate_per_hours DOUBLE, basis',
  ),
  declareAppTable('cache', 'columns', 'connection, kind, dataset, exchange, column, label, unit, description'),
]

const labTables: SqlTable[] = [
  declareAppTable(
    'lab',
    'studies',
    'id, name, kind, interval, start, end, documentHash, last_run TIMESTAMP, document JSON',
  ),
  declareAppTable(
    'lab',
    'trials',
    'sequence BIGINT, event, time TIMESTAMP, who, kind, role, documentHash, family, is_trial BOOLEAN, repeats BIGINT, ' +
      'days BIGINT, sharpe DOUBLE, total_return DOUBLE, max_drawdown DOUBLE, ruined BOOLEAN, hash',
  ),
]

/** The tables that Perpscope provides for queries, in the order in which users see them. */
export const sqlTables: readonly SqlTable[] = [
  ...metricTables,
  ...rawTables,
  ...portfolioTables,
  ...cacheTables,
  ...labTables,
]

export const sqlSchemas: readonly string[] = [...new Set(sqlTables.map(({ schema }) => schema))]

/** Schema of the tables of the user's own files, which exist only for a query that attaches them. */
export const OWN_SCHEMA = 'own'

const tableByName = new Map(sqlTables.map((table) => [tableName(table), table]))

/**
 * Finds a table by name, ignoring case as DuckDB does. Any other name of a metric or raw dataset may be one that a
 * service has; its own columns are those of its files.
 */
export function findTable(schema: string, name: string): SqlTable | undefined {
  const found = tableByName.get(`${schema}.${name}`.toLowerCase())
  if (found || !/^\w+$/.test(name)) return found
  if (schema.toLowerCase() === 'metrics') return metricTable(name.toLowerCase(), [])
  return schema.toLowerCase() === 'raw' ? rawTable(name.toLowerCase(), []) : undefined
}

/** Tells whether Perpscope knows a table without asking what a service has. */
export const isDocumented = (table: Pick<SqlTable, 'schema' | 'name'>): boolean => tableByName.has(tableName(table))
