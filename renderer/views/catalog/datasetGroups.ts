import type { CatalogHit } from '#shared/catalog/catalogSearch.ts'
import type { KnownColumn, KnownDataset } from '#shared/catalog/knownDatasets.ts'

export interface ListedDataset {
  dataset: KnownDataset
  /** Those that were found by themselves. */
  columns: readonly KnownColumn[]
}

export interface DatasetGroup {
  category: string
  entries: ListedDataset[]
}

/** Groups datasets by category, in the order in which the categories first appear. */
export function groupedByCategory(datasets: readonly KnownDataset[]): DatasetGroup[] {
  const groups = Map.groupBy(datasets, ({ category }) => category)
  return [...groups].map(([category, members]) => ({
    category,
    entries: members.map((dataset) => ({ dataset, columns: [] })),
  }))
}

const COLUMNS_SHOWN = 6

/** Datasets in the order of their best hit, each with the columns that were found. */
export function foundDatasets(hits: readonly CatalogHit[]): ListedDataset[] {
  const byDataset = Map.groupBy(hits, ({ dataset }) => dataset)
  return [...byDataset].map(([dataset, found]) => ({
    dataset,
    columns: found.flatMap(({ column }) => column ?? []).slice(0, COLUMNS_SHOWN),
  }))
}
