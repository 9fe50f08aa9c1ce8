import { searchField, rankedEntries, type SearchEntry } from './rankedEntries.ts'

/** Searchable text of a raw dataset. */
interface SearchableDataset {
  id: string
  name: string
  description: string
  columns: readonly { name: string; description: string }[]
}

/** Prepares a search over raw datasets, which returns the best match first. */
export function rawSearch<Dataset extends SearchableDataset>(
  datasets: readonly Dataset[],
): (query: string) => Dataset[] {
  const entries = datasets.map((dataset): SearchEntry<Dataset> => {
    const { id, name, description, columns } = dataset
    return {
      target: dataset,
      own: [
        searchField(12, id, name),
        searchField(10, ...columns.map((column) => column.name)),
        searchField(4, description),
        searchField(2, ...columns.map((column) => column.description)),
      ],
      context: [],
    }
  })
  return (query) => rankedEntries(entries, query).map(({ target }) => target)
}
