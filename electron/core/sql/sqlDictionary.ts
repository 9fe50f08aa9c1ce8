import { intervals, timestampSources } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { SqlDictionary, SqlDictionaryColumn, SqlDictionaryTable } from '#shared/contract/areas/sql.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { sqlFunctions } from '#shared/sql/sqlFunctions.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import type { OwnDataset } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import { portfolioSources } from './appTables.ts'
import { ownTable } from './ownTables.ts'
import { type ServedColumn, type ServedDataset, servedTable } from './servedTables.ts'
import { isDocumented, OWN_SCHEMA, tableName, type SqlColumn, type SqlTable, sqlTables } from './tableCatalog.ts'

/** Maximum number of symbols offered for completion; nobody scrolls through a list of all symbols. */
const MOST_SYMBOLS = 2000

/** Descriptions of columns that metric and raw tables have besides those of their datasets. */
const commonColumnDescriptions: Readonly<Record<string, string>> = {
  exchange: 'Venue',
  symbol: 'Canonical symbol, such as perpetual-BTC-USDT:USDT',
  base: 'Base asset of the symbol',
  interval: 'Length of the interval of a row',
  clock: 'Clock that assigns events to intervals: exchange or true (arrival)',
  time: 'Start of the interval (UTC)',
  known_at: 'Earliest moment at which the row may be used: time + interval',
  origin: 'Where the row comes from: service, imported or computed',
  exchange_timestamp_kind: 'Whether the exchange’s time is measured or modelled',
}

/** Descriptions of columns of the app’s own tables and of own datasets: of one table’s column, or of all of that name. */
const appColumnDescriptions: Readonly<Record<string, string>> = {
  exchange: 'Venue',
  symbol: 'Canonical symbol, such as perpetual-BTC-USDT:USDT',
  base: 'Base asset of the symbol',
  time: 'Time of the row (UTC)',
  known_at: 'Earliest moment at which the row may be used',
  portfolio: 'Portfolio template, often with its universe size after a dot',
  factor: 'Factor',
  overlay: 'Risk overlay',
  regime: 'Risk regime',
  smoothing: 'Days of smoothing; NULL for the portfolio’s own',
  size: 'Size of the universe',
  day: 'UTC day',
  ticker: 'Ticker, as the portfolio service names it',
  value: 'Value, as the service gave it',
  as_of: 'close for the end of the previous day, latest for the newest snapshot',
  created_at: 'When the service made the snapshot (UTC)',
  connection: 'Name of the connection',
  dataset: 'Dataset',
  interval: 'Length of the interval of a row',
  'portfolio.exchange': 'Venue to whose tickers the answer is limited, or unconstrained',
  'files.clock': 'Clock that assigns events to intervals: exchange or true (arrival)',
  'files.period': 'Month or day that the file covers',
  'files.bytes': 'Size of the file',
  'files.sha256': 'Checksum of the file',
  'files.downloaded_at': 'When the file arrived (UTC)',
  'files.state': 'final, or partial if its period was not over when it was downloaded',
  'coverage.first_day': 'First day with data',
  'coverage.last_day': 'Last day with data',
  'coverage.days': 'Number of days with data',
  'funding_periods.from': 'Start of the stretch in which the period holds (UTC)',
  'funding_periods.to': 'End of the stretch; NULL while it lasts',
  'funding_periods.every_hours': 'Hours between two payments',
  'funding_periods.offset_hours': 'Hours by which payments follow whole multiples of the period',
  'funding_periods.rate_per_hours': 'Hours to which the published rate refers',
  'funding_periods.basis': 'Where the period is known from',
  'columns.kind': 'metrics or raw',
  'columns.column': 'Name of the column',
  'columns.label': 'Title of the column',
  'columns.unit': 'Unit on this venue',
  'columns.description': 'What the column holds',
  'studies.id': 'Identity of the study',
  'studies.start': 'First day or instant of its range',
  'studies.end': 'Last day or instant of its range',
  'studies.last_run': 'When it was last run (UTC)',
  'studies.document': 'The study as JSON',
  name: 'Name of the study',
  kind: 'Kind of the study',
  documentHash: 'Hash of the study',
  'trials.sequence': 'Number of the entry, from 1 without gaps',
  'trials.event': 'run, registered, holdoutOpened or reset',
  'trials.time': 'When it was recorded (UTC)',
  'trials.who': 'Where it was run: window, cli or other',
  'trials.role': 'Part that the run played: test, combination, walk-forward, study, screen or blend',
  'trials.family': 'Hash of the family whose trials count together',
  'trials.is_trial': 'Whether the run counts as a trial',
  'trials.repeats': 'Number of the entry that this run repeats; NULL for the first',
  'trials.days': 'Days of its returns',
  'trials.sharpe': 'Sharpe ratio per day',
  'trials.total_return': 'Total net return',
  'trials.max_drawdown': 'Deepest loss',
  'trials.ruined': 'Whether it lost everything',
  'trials.hash': 'Hash of the entry, which the next one contains',
}

function appColumnDescription({ schema, name: table }: SqlTable, column: string): string {
  const keys = [`${schema === OWN_SCHEMA ? schema : table}.${column}`, `${schema}.${column}`, column]
  return keys.map((key) => appColumnDescriptions[key]).find((text) => text !== undefined) ?? ''
}

const tableDescriptions: Readonly<Record<string, string>> = {
  'portfolio.weights': 'Stored weights by day and ticker',
  'portfolio.returns': 'Stored portfolio returns by day',
  'portfolio.factors': 'Stored factor values by day and ticker',
  'portfolio.prices': 'Stored prices by day and ticker',
  'portfolio.universe': 'Members of a universe by day',
  'portfolio.overlays': 'Stored overlay states by day',
  'portfolio.regimes': 'Stored risk regimes by day',
  'portfolio.live_weights': 'Live snapshots of weights',
  'portfolio.live_factors': 'Live snapshots of factors',
  'portfolio.live_overlays': 'Live snapshots of overlays',
  'portfolio.live_regimes': 'Live snapshots of regimes',
  'cache.files': 'Cached files',
  'cache.coverage': 'Days that the service offers by dataset and symbol',
  'cache.symbols': 'Symbols by venue',
  'cache.funding_periods': 'Funding periods of instruments and where they are known from',
  'cache.columns': 'Dictionary of columns with their unit on each venue',
  'lab.studies': 'Studies that were run',
  'lab.trials': 'Entries of the ledger of trials',
}

type Held = SqlDictionaryTable['held']

/** Counts what is held of the tables whose rows come from a service, by the name of the table. */
export function heldOf({ queryRows }: Pick<Store, 'queryRows'>, connectionId: string): ReadonlyMap<string, Held> {
  const answers = new Map(queryRows.answerCounts(connectionId).map((each) => [each.endpoint, each.answers]))
  return new Map<string, Held>([
    ...queryRows
      .seriesCounts([connectionId, computedOwner(connectionId)])
      .map(({ kind, dataset, series }): [string, Held] => [`${kind}.${dataset}`, { count: series, of: 'series' }]),
    ...Object.entries(portfolioSources).map(([name, { endpoint }]): [string, Held] => [
      `portfolio.${name}`,
      { count: answers.get(endpoint) ?? 0, of: 'answers' },
    ]),
  ])
}

/** Describes the views, columns and functions that are offered for completion. */
export function sqlDictionary(
  symbols: readonly string[],
  venues: Venues,
  served: readonly ServedDataset[] = [],
  own: readonly OwnDataset[] = [],
  held: ReadonlyMap<string, Held> = new Map(),
): SqlDictionary {
  const servedByTable = new Map(served.map((dataset) => [tableName(servedTable(dataset)), dataset]))
  const unlisted = served.map((dataset) => servedTable(dataset)).filter((table) => !isDocumented(table))
  return {
    views: [
      ...[...sqlTables, ...unlisted].map((table) => {
        const dataset = servedByTable.get(tableName(table))
        return {
          schema: table.schema,
          name: table.name,
          description: descriptionOf(table) || (dataset?.name ?? ''),
          held: held.get(tableName(table)) ?? (table.rows === 'app' ? null : { count: 0, of: 'series' as const }),
          columns: [
            ...table.columns.map((column) => columnFacts(table, column, venues)),
            ...(dataset?.columns.map((column) => servedColumnFacts(dataset, column, venues)) ?? []),
          ],
        }
      }),
      ...own.map((dataset) => ownView(dataset, venues)),
    ],
    functions: sqlFunctions.map((each) => ({ ...each })),
    values: {
      exchange: venues.list.map(({ id }) => id),
      symbol: symbols.slice(0, MOST_SYMBOLS),
      interval: [...intervals],
      clock: [...timestampSources],
    },
  }
}

/** Describes the table of an own dataset, with the units that the user said. */
function ownView(dataset: OwnDataset, venues: Venues) {
  const table = ownTable(dataset)
  const units = new Map(dataset.record.columns.map(({ name, unit }) => [name, unit]))
  return {
    schema: table.schema,
    name: table.name,
    description: 'Your own files',
    held: { count: dataset.record.rows, of: 'rows' as const },
    columns: table.columns.map((column) => ({
      ...columnFacts(table, column, venues),
      units: units.get(column.name) ?? '',
    })),
  }
}

const servedColumnFacts = (
  { kind, id }: ServedDataset,
  { name, type, label, description, unit }: ServedColumn,
  venues: Venues,
): SqlDictionaryColumn => ({
  name,
  type,
  label,
  description,
  units: kind === 'raw' ? unit : unitsOf(id, name, venues),
})

function descriptionOf({ schema, name, rows }: SqlTable): string {
  if (rows === 'metrics') return metricDatasets.find(({ id }) => id === name)?.name ?? ''
  if (rows === 'raw') return rawDatasets.find(({ id }) => id === name)?.name ?? ''
  return tableDescriptions[`${schema}.${name}`] ?? ''
}

function columnFacts(owner: SqlTable, { name, type }: SqlColumn, venues: Venues): SqlDictionaryColumn {
  const { name: table, rows } = owner
  const metric = rows === 'metrics' ? metricColumn(table, name) : undefined
  const raw = rows === 'raw' ? rawColumn(table, name) : undefined
  return {
    name,
    type,
    label: metric?.label ?? '',
    description:
      metric?.formula ??
      raw?.description ??
      (rows === 'app' ? appColumnDescription(owner, name) : (commonColumnDescriptions[name] ?? '')),
    units: rows === 'app' ? '' : unitsOf(table, name, venues),
  }
}

const metricColumn = (dataset: string, name: string) =>
  metricDatasets.find(({ id }) => id === dataset)?.columns.find((column) => column.name === name)
const rawColumn = (dataset: string, name: string) =>
  rawDatasets.find(({ id }) => id === dataset)?.columns.find((column) => column.name === name)

/** Describes the unit of a column, separately for each venue if the venues differ. */
function unitsOf(dataset: string, column: string, venues: Venues): string {
  const units = venues.list.map(({ id }) => ({ venue: id, unit: columnUnit(dataset, column, id, venues) }))
  const [first] = units
  if (first === undefined) return ''
  if (units.every(({ unit }) => unit === first.unit)) return first.unit === 'none' ? 'no unit' : (first.unit ?? '')
  return units.map(({ venue, unit }) => `${venue}: ${unit ?? 'unknown'}`).join(', ')
}
