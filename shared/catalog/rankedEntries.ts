import { searchForm } from './searchForm.ts'
import { wordMatch } from './wordMatch.ts'

export interface Field {
  text: string
  weight: number
}

export interface Entry<Of> {
  of: Of
  /** One of these must hold at least one of the words. */
  own: Field[]
  /** Words that may be found here as well: of the dataset that a column belongs to. */
  around: Field[]
}

export const field = (weight: number, ...texts: string[]): Field => ({ text: searchForm(texts.join(' · ')), weight })

/** Entries in which every word of the query is found, slips of the finger forgiven; the best first. */
export function rankedEntries<Of>(entries: readonly Entry<Of>[], query: string): { of: Of; score: number }[] {
  const terms = searchForm(query).split(/\s+/).filter(Boolean)
  if (terms.length === 0) return []
  return entries
    .map((entry) => ({ of: entry.of, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

/** Every word must be found; the best place of each counts. */
function scoreOf({ own, around }: Entry<unknown>, terms: readonly string[]): number {
  let score = 0
  let isOwn = false
  for (const word of terms) {
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
