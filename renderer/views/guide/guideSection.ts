/**
 * One block of a guide section. In paragraphs, steps, lists and terms, code is between backticks, and
 * `[words](/address)` links to a screen of the app.
 */
export type GuideBlock =
  | string
  | { heading: string }
  | { steps: readonly string[] }
  | { list: readonly string[] }
  | { terms: readonly (readonly [term: string, description: string])[] }
  /** Code to copy; `language` is shown above it. */
  | { code: string; language: string }
  /** A picture of `pictures`, by the name that it has in both themes, and what it shows. */
  | { picture: string; shown: string }

export interface GuideSection {
  /** Id in the address: `#/guide/<id>`. */
  id: string
  title: string
  /** Names of the screens of the rail that the section describes. */
  screens?: readonly string[]
  /** Additional search terms. */
  keywords?: string
  blocks: readonly GuideBlock[]
}

/** Returns all text of a block, for the search. */
export function textOfBlock(block: GuideBlock): string {
  if (typeof block === 'string') return withoutMarkup(block)
  if ('heading' in block) return block.heading
  if ('steps' in block) return block.steps.map(withoutMarkup).join(' ')
  if ('list' in block) return block.list.map(withoutMarkup).join(' ')
  if ('terms' in block)
    return block.terms.map(([term, description]) => `${withoutMarkup(term)} ${withoutMarkup(description)}`).join(' ')
  return 'picture' in block ? block.shown : block.code
}

const withoutMarkup = (text: string) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '')

interface GuideHit {
  section: GuideSection
  /** Text around the first matching word; empty if the query is empty or the text contains none of its words. */
  excerpt: string
}

const EXCERPT_BEFORE = 40
const EXCERPT_LENGTH = 150

/** Normalises text for search, because people write z-score, zscore and Z-Score. */
const foldCaseAndHyphens = (text: string) => text.toLowerCase().replaceAll(/(?<=\p{L})-(?=\p{L})/gu, '')

/**
 * Finds the sections that contain every word of the query, those with a word in the title first; an empty query finds
 * all sections.
 */
export function searchGuide(sections: readonly GuideSection[], query: string): GuideHit[] {
  const hits = hitsFor(sections, foldCaseAndHyphens(query))
  // A query such as “Clock-Lens” also matches a text with two words, “Clock Lens”.
  return hits.length > 0 ? hits : hitsFor(sections, foldCaseAndHyphens(query.replaceAll('-', ' ')))
}

function hitsFor(sections: readonly GuideSection[], query: string): GuideHit[] {
  const terms = query.split(/\s+/).filter(Boolean)
  if (terms.length === 0) return sections.map((section) => ({ section, excerpt: '' }))
  return sections
    .map((section) => ({ section, text: section.blocks.map(textOfBlock).join(' ') }))
    .filter(({ section, text }) => {
      const all = foldCaseAndHyphens(`${section.title} ${section.keywords ?? ''} ${text}`)
      return terms.every((word) => all.includes(word))
    })
    .map(({ section, text }) => ({ section, excerpt: excerptOf(text, terms) }))
    .sort((a, b) => Number(matchesTitle(b.section, terms)) - Number(matchesTitle(a.section, terms)))
}

const matchesTitle = ({ title }: GuideSection, terms: readonly string[]) =>
  terms.some((word) => title.toLowerCase().includes(word))

function excerptOf(text: string, terms: readonly string[]): string {
  const positions = terms.map((word) => foldCaseAndHyphens(text).indexOf(word)).filter((at) => at >= 0)
  if (positions.length === 0) return ''
  const start = Math.max(0, Math.min(...positions) - EXCERPT_BEFORE)
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + EXCERPT_LENGTH).trim()} …`
}

/** A part of a guide text: plain words, code, or a link to a screen. */
interface InlinePart {
  kind: 'text' | 'code' | 'link'
  text: string
  /** Address of a link. */
  address?: string
}

/** Splits a guide text into plain words, code and links. */
export function inlineParts(text: string): InlinePart[] {
  return text
    .split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (piece.startsWith('`') && piece.endsWith('`')) return { kind: 'code', text: piece.slice(1, -1) }
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece)
      return link ? { kind: 'link', text: link[1], address: link[2] } : { kind: 'text', text: piece }
    })
}
