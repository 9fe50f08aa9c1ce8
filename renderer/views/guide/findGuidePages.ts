import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { guide } from './guide.ts'
import type { GuideSection } from './guideSection.ts'

const MOST_PAGES = 5

/** Finds the pages that have every word of the query in their title or search terms, those with a title first. */
export function findGuidePages(query: string): GuideSection[] {
  const words = normaliseForSearch(query.trim()).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const hasAll = (text: string) => words.every((word) => normaliseForSearch(text).includes(word))
  return guide
    .filter(({ title, keywords = '' }) => hasAll(`${title} ${keywords}`))
    .toSorted((one, other) => Number(hasAll(other.title)) - Number(hasAll(one.title)))
    .slice(0, MOST_PAGES)
}
