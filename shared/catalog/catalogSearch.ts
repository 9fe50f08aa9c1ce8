import type { KnownColumn, KnownDataset } from './knownDatasets.ts'
import { searchField, rankedEntries, type SearchEntry } from './rankedEntries.ts'
import { normaliseForSearch } from './normaliseForSearch.ts'
import { catalogName } from './synonyms.ts'

export interface CatalogHit {
  dataset: KnownDataset
  /** Column that was found; null if the dataset itself was. */
  column: KnownColumn | null
  score: number
}

type CatalogSearch = (query: string) => CatalogHit[]

/** Prepares the search index once; each search then scans a few hundred short texts. The best hits come first. */
export function catalogSearch(datasets: readonly KnownDataset[]): CatalogSearch {
  const entries = datasets.flatMap(entriesOf)
  return (query) => {
    const typedTerms = normaliseForSearch(query).split(/\s+/)
    const translatedTerms = typedTerms.map(catalogName)
    const typedHits = rankedEntries(entries, splitIds(query))
    const hasSynonym = translatedTerms.some((word, at) => word !== typedTerms[at])
    const all = hasSynonym
      ? joinWithoutRepeats(rankedEntries(entries, splitIds(translatedTerms.join(' '))), typedHits)
      : typedHits
    return all.map(({ target, score }) => ({ ...target, score }))
  }
}

/** Joins two lists of hits; a target that is in both keeps its place in the first. */
const joinWithoutRepeats = <Hit extends { target: unknown }>(first: readonly Hit[], others: readonly Hit[]): Hit[] => {
  const seen = new Set(first.map(({ target }) => target))
  return [...first, ...others.filter(({ target }) => !seen.has(target))]
}

/** Replaces the dots inside ids by spaces, so that `ohlcv.close` is searched as a dataset and its column. */
const splitIds = (query: string) => query.replaceAll(/(?<=[\p{L}\p{N}_])\.(?=[\p{L}\p{N}_])/gu, ' ')

type HitTarget = Omit<CatalogHit, 'score'>

function entriesOf(dataset: KnownDataset): SearchEntry<HitTarget>[] {
  const { serviceTexts } = dataset
  const context = [searchField(7, dataset.id, dataset.name), searchField(1, dataset.category)]
  return [
    {
      target: { dataset, column: null },
      own: [
        searchField(12, dataset.id),
        searchField(12, dataset.name, serviceTexts?.name ?? ''),
        searchField(5, dataset.category, serviceTexts?.category ?? ''),
        searchField(4, dataset.description, serviceTexts?.description ?? ''),
      ],
      context: [],
    },
    ...dataset.columns.map((column): SearchEntry<HitTarget> => {
      const texts = [column.formula, column.serviceTexts?.description ?? '', column.meaning?.nullRule ?? '']
      return {
        target: { dataset, column },
        own: [
          // `flow_toxicity_score` can be found as one word or as three.
          searchField(10, column.name, column.name.replaceAll('_', ' ')),
          searchField(8, column.label, column.serviceTexts?.label ?? ''),
          searchField(2, ...texts),
        ],
        context,
      }
    }),
  ]
}
