import type { OwnDataset } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import { plainPlural } from '#shared/units/plurals.ts'

/** Opens the ledger, of which only this is asked. */
export type OpenRuns = () => { tables: { runsThatRead(dataset: string): number } }

/**
 * Names what refers to an own dataset: documents of every kind whose text has its name, columns of Watch, reports that
 * read it, and runs in the ledger.
 */
export function referencesTo(
  { store, ledger }: { store: Store; ledger: OpenRuns },
  { name, record }: OwnDataset,
): string[] {
  const pattern = new RegExp(`(?<![A-Za-z0-9_])own[_.]${name}(?![A-Za-z0-9_])`)
  const documents = store.database.reads
    .all<{ kind: string; name: string; body: string }>(
      `SELECT kind, name, body FROM user_documents WHERE instr(body, ?) > 0 OR instr(body, ?) > 0 ORDER BY kind, name`,
      ownDatasetId(name),
      `own.${name}`,
    )
    .filter(({ body }) => pattern.test(body))
  const columns = store.settings.read().watchColumns.filter(({ formula }) => pattern.test(formula))
  const runs = ledger().tables.runsThatRead(ownDatasetId(name))
  return [
    ...documents.map((document) => `${document.kind} “${document.name}”`),
    ...columns.map((column) => `column “${column.name}” of Watch`),
    ...(record.reports ?? []).map((title) => `report “${title}”`),
    ...(runs === 0 ? [] : [`${plainPlural(runs, 'run')} in the ledger`]),
  ]
}
