import { normaliseForSearch } from './normaliseForSearch.ts'

/** A text to search and the weight of words found in it. */
interface SearchField {
  text: string
  weight: number
}

export interface SearchEntry<Target> {
  target: Target
  /** Fields of the entry; at least one word of the query must be found in them. */
  own: SearchField[]
  /** Fields of the context in which words may be found too, such as the dataset of a column. */
  context: SearchField[]
}

export const searchField = (weight: number, ...texts: string[]): SearchField => ({
  text: normaliseForSearch(texts.join(' · ')),
  weight,
})

/**
 * Lists the targets of the entries in which every word of the query is found, at least one of them in the entry's own
 * fields. Words may have typos; the best entry comes first.
 */
export function rankedEntries<Target>(
  entries: readonly SearchEntry<Target>[],
  query: string,
): { target: Target; score: number }[] {
  const terms = normaliseForSearch(query).split(/\s+/).filter(Boolean)
  if (terms.length === 0) return []
  return entries
    .map((entry) => ({ target: entry.target, score: scoreOf(entry, terms) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}

/** Scores an entry by the best field for each word; 0 if a word is missing or all are found in the context only. */
function scoreOf({ own, context }: SearchEntry<unknown>, terms: readonly string[]): number {
  let score = 0
  let hasOwnWord = false
  for (const word of terms) {
    const inOwn = bestMatch(own, word)
    const inContext = bestMatch(context, word)
    if (inOwn === 0 && inContext === 0) return 0
    if (inOwn > 0) hasOwnWord = true
    score += Math.max(inOwn, inContext)
  }
  return hasOwnWord ? score : 0
}

const bestMatch = (fields: readonly SearchField[], word: string) =>
  fields.reduce((best, { text, weight }) => Math.max(best, weight * wordMatch(word, text)), 0)

/**
 * Minimum length of a word in which one typo is allowed, because shorter words with a typo resemble too many others.
 */
const ONE_TYPO_FROM = 4
const TWO_TYPOS_FROM = 8

/**
 * Scores how well a typed word matches a text, from 0 to 1; both are normalised by `normaliseForSearch`. A whole word
 * counts most, then a prefix, then any part of a word, then a word with a typo.
 */
function wordMatch(word: string, text: string): number {
  const at = text.indexOf(word)
  if (at === -1) return typoMatch(word, text)
  let best = 0.5
  for (let start = at; start !== -1; start = text.indexOf(word, start + 1)) {
    const startsWord = isEdge(text, start - 1)
    const endsWord = isEdge(text, start + word.length)
    best = Math.max(best, startsWord && endsWord ? 1 : startsWord ? 0.8 : 0.5)
  }
  return best
}

const isEdge = (text: string, at: number) => at < 0 || at >= text.length || !/[\p{L}\p{N}]/u.test(text[at])

function typoMatch(word: string, text: string): number {
  const allowedTypos = word.length >= TWO_TYPOS_FROM ? 2 : word.length >= ONE_TYPO_FROM ? 1 : 0
  if (allowedTypos === 0) return 0
  let fewestTypos = allowedTypos + 1
  // A typed `flow_toxcity` is compared with whole column names.
  for (const candidate of text.split(word.includes('_') ? /[^\p{L}\p{N}_]+/u : /[^\p{L}\p{N}]+/u)) {
    // People rarely mistype the first letter, and without this check too many words look alike.
    if (candidate === '' || candidate[0] !== word[0]) continue
    // A matching prefix is enough, because the user may still be typing.
    fewestTypos = Math.min(
      fewestTypos,
      typoDistance(word, candidate),
      typoDistance(word, candidate.slice(0, word.length)),
    )
  }
  return fewestTypos > allowedTypos ? 0 : 0.4 - 0.1 * fewestTypos
}

/** Computes the edit distance: the smallest number of letters to add, drop, change or swap with their neighbour. */
export function typoDistance(from: string, to: string): number {
  let twoBack: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const change = previous[column - 1] + (from[row - 1] === to[column - 1] ? 0 : 1)
      let least = Math.min(change, previous[column] + 1, current[column - 1] + 1)
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwap) least = Math.min(least, twoBack[column - 2] + 1)
      current.push(least)
    }
    twoBack = previous
    previous = current
  }
  return previous[to.length]
}
