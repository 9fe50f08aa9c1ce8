import type { KnownColumn, KnownDataset } from './knownDatasets.ts'
import { field, rankedEntries, type Entry } from './rankedEntries.ts'
import { normaliseForSearch } from './normaliseForSearch.ts'
import { catalogName } from './synonyms.ts'

export interface CatalogHit {
  dataset: KnownDataset
  /** Column that was found; null if the dataset itself was. */
  column: KnownColumn | null
  score: number
}

export type CatalogSearch = (query: string) => CatalogHit[]

/** Prepares the search index once; each search then scans a few hundred short texts. The best hits come first. */
export function catalogSearch(datasets: readonly KnownDataset[]): CatalogSearch {
  const entries = datasets.flatMap(entriesOf)
  return (query) => {
    const spoken = normaliseForSearch(query).split(/\s+/)
    const named = spoken.map(catalogName)
    const found = rankedEntries(entries, splitIds(query))
    const isSame = named.every((word, at) => word === spoken[at])
    const all = isSame ? found : bestOfBoth(rankedEntries(entries, splitIds(named.join(' '))), found)
    return all.map(({ of, score }) => ({ ...of, score }))
  }
}

/** Lists hits by synonym before hits by spelling. */
const bestOfBoth = <Found extends { of: unknown }>(first: readonly Found[], others: readonly Found[]): Found[] => {
  const seen = new Set(first.map(({ of }) => of))
  return [...first, ...others.filter(({ of }) => !seen.has(of))]
}

/** Splits an id that is written like `ohlcv.close` into the names in it, here a dataset and its column. */
export const splitIds = (query: string) => query.replaceAll(/(?<=[\p{L}\p{N}_])\.(?=[\p{L}\p{N}_])/gu, ' ')

type Place = Omit<CatalogHit, 'score'>

function entriesOf(dataset: KnownDataset): Entry<Place>[] {
  const { serviceTexts } = dataset
  const around = [field(7, dataset.id, dataset.name), field(1, dataset.category)]
  return [
    {
      of: { dataset, column: null },
      own: [
        field(12, dataset.id),
        field(12, dataset.name, serviceTexts?.name ?? ''),
        field(5, dataset.category, serviceTexts?.category ?? ''),
        field(4, dataset.description, serviceTexts?.description ?? ''),
      ],
      around: [],
    },
    ...dataset.columns.map((column): Entry<Place> => {
      const texts = [column.formula, column.serviceTexts?.description ?? '', column.meaning?.nullRule ?? '']
      return {
        of: { dataset, column },
        own: [
          // `flow_toxicity_score` can be found as one word or as three.
          field(10, column.name, column.name.replaceAll('_', ' ')),
          field(8, column.label, column.serviceTexts?.label ?? ''),
          field(2, ...texts),
        ],
        around,
      }
    }),
  ]
}
