import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { METRICS_CATALOG } from '#core/store/coverageStore.ts'
import type { Store } from '#core/store/store.ts'
import { isRecord, storedJsonOr } from '#core/store/storedJson.ts'
import { metricTable, type SqlTable } from './tableCatalog.ts'

/** A column that no document names, with what the service says of it; texts are empty where it says nothing. */
export interface ServedColumn {
  name: string
  label: string
  description: string
  unit: string
}

/** A metric dataset with columns that no document names: those of the service's catalog, then those of cached files. */
export interface ServedDataset {
  id: string
  name: string
  columns: readonly ServedColumn[]
}

type Stores = Pick<Store, 'coverage' | 'queryRows'>

const documentedColumns = new Map<string, ReadonlySet<string>>(
  metricDatasets.map(({ id, columns }) => [id, new Set(columns.map(({ name }) => name))]),
)

/** Lists the datasets of a connection that have columns which no document names, or that no document names at all. */
export function servedDatasets({ coverage, queryRows }: Stores, connectionId: string): ServedDataset[] {
  const owners = [connectionId, computedOwner(connectionId)]
  const body = coverage.document(connectionId, METRICS_CATALOG)?.body
  const entries = storedJsonOr<unknown[]>(body, Array.isArray, []).filter(isRecord)
  const entryById = new Map(entries.map((entry) => [String(entry.id), entry]))
  const ids = new Set([...entryById.keys(), ...queryRows.metricDatasets(owners)])
  return [...ids].flatMap((id) => {
    const entry = entryById.get(id)
    const documented = documentedColumns.get(id)
    const byName = new Map<string, ServedColumn>()
    for (const field of listOf(entry?.fields).filter(isRecord)) {
      const { name } = field
      if (typeof name !== 'string' || documented?.has(name)) continue
      byName.set(name, {
        ...{ name, label: textOf(field.label), description: textOf(field.description), unit: textOf(field.unit) },
      })
    }
    for (const [name] of queryRows.columnLists(owners, 'metrics', id).flat())
      if (name !== 'time' && !documented?.has(name) && !byName.has(name))
        byName.set(name, { name, label: '', description: '', unit: '' })
    if (documented && byName.size === 0) return []
    return [{ id, name: textOf(entry?.name) || id, columns: [...byName.values()] }]
  })
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Builds the tables of the datasets that no document names. Their own columns are those that their files have. */
export const servedTables = (stores: Stores, connectionId: string): SqlTable[] =>
  servedDatasets(stores, connectionId)
    .filter(({ id }) => !documentedColumns.has(id))
    .map(({ id, columns }) => metricTable(id, namesWithoutFiles(stores, connectionId, id, columns)))

/** Leaves out columns of files, because those keep the type that the files give them. */
function namesWithoutFiles(
  { queryRows }: Stores,
  connectionId: string,
  id: string,
  columns: readonly ServedColumn[],
): string[] {
  const owners = [connectionId, computedOwner(connectionId)]
  const names = new Set(queryRows.columnLists(owners, 'metrics', id).flatMap((list) => list.map(([name]) => name)))
  return columns.map(({ name }) => name).filter((name) => !names.has(name))
}
