import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { commonRawColumns, isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { METRICS_CATALOG, RAW_CATALOG } from '#core/store/coverageStore.ts'
import type { Store } from '#core/store/store.ts'
import { storedDatasets } from '#core/store/storedFields.ts'
import { storedJsonOr } from '#core/store/storedJson.ts'
import { metricTable, rawTable, type SqlTable } from './tableCatalog.ts'

/** A column that no document names, with what the service says of it; texts are empty where it says nothing. */
export interface ServedColumn {
  name: string
  type: 'DOUBLE' | 'VARCHAR' | 'TIMESTAMP'
  label: string
  description: string
  /** Unit in the words of the service. */
  unit: string
}

/** A dataset with columns that no document names: those of the service's catalog, then those of cached files. */
export interface ServedDataset {
  kind: 'metrics' | 'raw'
  id: string
  name: string
  columns: readonly ServedColumn[]
}

type Stores = Pick<Store, 'coverage' | 'queryRows'>

const documentedColumns = new Map<string, ReadonlySet<string>>(
  metricDatasets.map(({ id, columns }) => [id, new Set(columns.map(({ name }) => name))]),
)

/** Lists the datasets of a connection that have columns which no document names, or that no document names at all. */
export const servedDatasets = (stores: Stores, connectionId: string): ServedDataset[] => [
  ...servedMetrics(stores, connectionId),
  ...servedRaw(stores, connectionId),
]

function servedMetrics(stores: Stores, connectionId: string): ServedDataset[] {
  const body = stores.coverage.document(connectionId, METRICS_CATALOG)?.body
  const entries = storedDatasets(body).map((entry) => ({ ...entry }))
  return datasetsOf(stores, connectionId, 'metrics', entries).flatMap(({ id, entry, cachedColumns }) => {
    const documented = documentedColumns.get(id)
    const isOther = (name: string) => name !== 'time' && !documented?.has(name)
    const columns = columnsOf(listOf(entry?.fields), cachedColumns, isOther)
    return documented && columns.length === 0 ? [] : [{ kind: 'metrics', id, name: textOf(entry?.name) || id, columns }]
  })
}

const commonRawNames = new Set(commonRawColumns.map(({ name }) => name))

function servedRaw(stores: Stores, connectionId: string): ServedDataset[] {
  const stored = storedJsonOr(stores.coverage.document(connectionId, RAW_CATALOG)?.body, isRecord, {})
  const entries = listOf(isRecord(stored.catalog) ? stored.catalog.datasets : []).filter(isRecord)
  return datasetsOf(stores, connectionId, 'raw', entries)
    .filter(({ id }) => !isRawDatasetId(id))
    .map(({ id, entry, cachedColumns }) => ({
      ...{ kind: 'raw', id, name: textOf(entry?.name) || id },
      columns: columnsOf(listOf(entry?.columns), cachedColumns, (name) => !commonRawNames.has(name)),
    }))
}

/** Lists the datasets of a service's catalog, then those of cached files only, with the columns of their files. */
function datasetsOf(
  { queryRows }: Stores,
  connectionId: string,
  kind: ServedDataset['kind'],
  entries: readonly Record<string, unknown>[],
) {
  const owners = ownersOf(connectionId)
  const entryById = new Map(entries.flatMap((entry) => (typeof entry.id === 'string' ? [[entry.id, entry]] : [])))
  return [...new Set([...entryById.keys(), ...queryRows.datasets(owners, kind)])].map((id) => ({
    id,
    entry: entryById.get(id),
    cachedColumns: queryRows.columnLists(owners, kind, id).flatMap((list) => list.map(([name]) => name)),
  }))
}

/** Joins the columns that a catalog lists with those of files, except the ones that are known without asking. */
function columnsOf(
  listed: readonly unknown[],
  cached: readonly string[],
  isOther: (name: string) => boolean,
): ServedColumn[] {
  const byName = new Map<string, ServedColumn>()
  for (const { name, type, label, description, unit } of listed.filter(isRecord))
    if (typeof name === 'string' && isOther(name))
      byName.set(name, {
        ...{ name, type: typeOf(type), label: textOf(label), description: textOf(description), unit: textOf(unit) },
      })
  for (const name of cached)
    if (isOther(name) && !byName.has(name))
      byName.set(name, { name, type: 'DOUBLE', label: '', description: '', unit: '' })
  return [...byName.values()]
}

const typeOf = (type: unknown): ServedColumn['type'] =>
  type === 'timestamp' ? 'TIMESTAMP' : type === 'string' ? 'VARCHAR' : 'DOUBLE'
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const ownersOf = (connectionId: string) => [connectionId, computedOwner(connectionId)]

/** Builds the tables of the datasets that no document names. Their own columns are those that their files have. */
export const servedTables = (stores: Stores, connectionId: string): SqlTable[] =>
  servedDatasets(stores, connectionId)
    .filter(({ kind, id }) => kind === 'raw' || !documentedColumns.has(id))
    .map((dataset) => servedTable(dataset, columnsWithoutFiles(stores, connectionId, dataset)))

export const servedTable = ({ kind, id }: ServedDataset, columns: readonly ServedColumn[] = []): SqlTable =>
  kind === 'raw'
    ? rawTable(id, columns)
    : metricTable(
        id,
        columns.map(({ name }) => name),
      )

/** Leaves out columns of files, because those keep the type that the files give them. */
function columnsWithoutFiles(
  { queryRows }: Stores,
  connectionId: string,
  { kind, id, columns }: ServedDataset,
): ServedColumn[] {
  const lists = queryRows.columnLists(ownersOf(connectionId), kind, id)
  const names = new Set(lists.flatMap((list) => list.map(([name]) => name)))
  return columns.filter(({ name }) => !names.has(name))
}
