import type { KnownColumn, KnownDataset } from './knownDatasets.ts'
import { searchForm } from './searchForm.ts'
import { wordMatch } from './wordMatch.ts'

export interface CatalogHit {
  dataset: KnownDataset
  /** Null where the dataset itself is what was found. */
  column: KnownColumn | null
  score: number
}

export type CatalogSearch = (query: string) => CatalogHit[]

interface Field {
  text: string
  weight: number
}

interface Entry {
  dataset: KnownDataset
  column: KnownColumn | null
  /** One of these must hold at least one of the words. */
  own: Field[]
  /** Words that may be found here as well: of the dataset that a column belongs to. */
  around: Field[]
}

/** Prepares the datasets once; each search then looks at a few hundred short texts. Best hits first. */
export function catalogSearch(datasets: readonly KnownDataset[]): CatalogSearch {
  const entries = datasets.flatMap(entriesOf)
  return (query) => {
    const words = searchForm(query).split(/\s+/).filter(Boolean)
    if (words.length === 0) return []
    return entries
      .map((entry) => ({ dataset: entry.dataset, column: entry.column, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
  }
}

const field = (weight: number, ...texts: string[]): Field => ({ text: searchForm(texts.join(' · ')), weight })

function entriesOf(dataset: KnownDataset): Entry[] {
  const { said } = dataset
  const around = [field(7, dataset.id, dataset.name), field(1, dataset.category)]
  return [
    {
      dataset,
      column: null,
      own: [
        field(12, dataset.id),
        field(12, dataset.name, said?.name ?? ''),
        field(5, dataset.category, said?.category ?? ''),
        field(4, dataset.description, said?.description ?? ''),
      ],
      around: [],
    },
    ...dataset.columns.map((column): Entry => {
      const words = [column.formula, column.said?.description ?? '', column.meaning?.nullRule ?? '']
      return {
        dataset,
        column,
        own: [
          // `flow_toxicity_score` is found as one word and as three.
          field(10, column.name, column.name.replaceAll('_', ' ')),
          field(8, column.label, column.said?.label ?? ''),
          field(2, ...words),
        ],
        around,
      }
    }),
  ]
}

/** Every word must be found; the best place of each counts. */
function scoreOf({ own, around }: Entry, words: readonly string[]): number {
  let score = 0
  let isOwn = false
  for (const word of words) {
    const mine = best(own, word)
    const near = best(around, word)
    if (mine === 0 && near === 0) return 0
    if (mine > 0) isOwn = true
    score += Math.max(mine, near)
  }
  return isOwn ? score : 0
}

const best = (fields: readonly Field[], word: string) =>
  fields.reduce((most, { text, weight }) => Math.max(most, weight * wordMatch(word, text)), 0)
