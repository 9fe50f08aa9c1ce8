import { intervals, timestampSources } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import type { Venues } from '#shared/catalog/venues.ts'
import type { SqlDictionary, SqlDictionaryColumn } from '#shared/contract/areas/sql.ts'
import { sqlFunctions } from '#shared/sql/sqlFunctions.ts'
import { columnUnit } from '#shared/units/measureUnits.ts'
import type { OwnDataset } from '#core/store/ownDataStore.ts'
import { ownTable } from './ownTables.ts'
import { type ServedColumn, type ServedDataset, servedTable } from './servedTables.ts'
import { isDocumented, tableName, type SqlColumn, type SqlTable, sqlTables } from './tableCatalog.ts'

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

/** Describes the views, columns and functions that are offered for completion. */
export function sqlDictionary(
  symbols: readonly string[],
  venues: Venues,
  served: readonly ServedDataset[] = [],
  own: readonly OwnDataset[] = [],
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

function columnFacts({ name: table, rows }: SqlTable, { name, type }: SqlColumn, venues: Venues): SqlDictionaryColumn {
  const metric = rows === 'metrics' ? metricColumn(table, name) : undefined
  const raw = rows === 'raw' ? rawColumn(table, name) : undefined
  return {
    name,
    type,
    label: metric?.label ?? '',
    description: metric?.formula ?? raw?.description ?? (rows === 'app' ? '' : (commonColumnDescriptions[name] ?? '')),
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
