import { partPath } from '#core/own/ownFolder.ts'
import { rowsAreElsewhere } from '#core/own/ownPlan.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { OwnDataset, OwnPart } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import { knownDelayUs } from '#shared/formula/ownData.ts'
import { OWN_SCHEMA, type SqlColumn, type SqlTable } from './tableCatalog.ts'

const quoteText = (value: string): string => `'${value.replaceAll("'", "''")}'`
const quoteName = (column: string): string => `"${column.replaceAll('"', '""')}"`

/** Describes the table of an own dataset: whose each row is, when it is and was known, its label and its columns. */
export const ownTable = ({ name, record }: OwnDataset): SqlTable => ({
  schema: OWN_SCHEMA,
  name,
  rows: 'app',
  columns: [
    { name: 'exchange', type: 'VARCHAR' },
    { name: 'symbol', type: 'VARCHAR' },
    { name: 'time', type: 'TIMESTAMP' },
    { name: 'known_at', type: 'TIMESTAMP' },
    ...(record.label === null ? [] : [{ name: record.label, type: 'VARCHAR' } as SqlColumn]),
    ...record.columns.map((column): SqlColumn => ({ name: column.name, type: 'DOUBLE' })),
  ],
})

/** An own dataset that a query reads. */
export interface OwnSqlTable {
  dataset: OwnDataset
  statement: string
  files: { path: string; sha256: string; sizeBytes: number }[]
}

/**
 * Finds the own datasets that a query may name, or all of them if it lists tables. A file that is attached under the
 * same name takes the place of a dataset.
 */
export function ownTablesOf(
  store: Pick<Store, 'ownData' | 'folder'>,
  { sql, listsTables, attached }: { sql: string; listsTables: boolean; attached: readonly string[] },
): OwnSqlTable[] {
  const text = sql.toLowerCase()
  const mayRead = ({ name }: OwnDataset) => listsTables || (text.includes(OWN_SCHEMA) && text.includes(name))
  return store.ownData
    .list()
    .filter((dataset) => mayRead(dataset) && !attached.includes(dataset.name))
    .map((dataset) => {
      const parts = store.ownData.parts(dataset.name)
      if (parts.length === 0) throw new AppError('not-here', `${rowsAreElsewhere(dataset)}.`)
      const pathOf = (part: OwnPart) => partPath(store, dataset.name, part)
      return {
        dataset,
        statement: viewStatement(dataset, parts.map(pathOf)),
        files: parts.map((part) => ({ path: pathOf(part), sha256: part.sha256, sizeBytes: part.bytes })),
      }
    })
}

function viewStatement({ name, record }: OwnDataset, paths: readonly string[]): string {
  const { symbol, exchange, label, columns } = record
  const text = (place: typeof symbol, stored: string) =>
    place === null ? 'NULL::VARCHAR' : 'value' in place ? quoteText(place.value) : `r.${stored}`
  const cells = [
    `${text(exchange, 'exchange')} AS exchange`,
    `${text(symbol, 'symbol')} AS symbol`,
    'make_timestamp(epoch_us(r."time")) AS "time"',
    `make_timestamp(epoch_us(r."time") + ${knownDelayUs(record)}) AS known_at`,
    ...(label === null ? [] : [`r.${quoteName(label)}`]),
    ...columns.map((column) => `r.${quoteName(column.name)}`),
  ]
  const files = paths.map(quoteText).join(', ')
  return `CREATE VIEW ${OWN_SCHEMA}.${quoteName(name)} AS SELECT ${cells.join(', ')} FROM read_parquet([${files}], hive_partitioning = false) AS r`
}
