/**
 * Points for each matched letter: `consecutive` right after the previous matched letter, else `elsewhere`; at the start
 * of a word, `wordStart` is added.
 */
const POINTS = { wordStart: 8, consecutive: 5, elsewhere: 1 }

/**
 * Scores how well `query` matches `text` (both normalised by `normaliseForSearch`). The text must contain the letters
 * of each word of the query in order, but gaps are allowed; otherwise the score is null. Word starts and consecutive
 * letters count most, and shorter texts score higher.
 */
export function fuzzyScore(query: string, text: string): number | null {
  if (query === '') return 0
  let score = 0
  for (const word of query.split(/\s+/).filter(Boolean)) {
    const best = bestScore(word, text)
    if (best === null) return null
    score += best
  }
  return score - text.length / 100
}

/** Returns the best score over all places where the match may start, because the first place is often not the best. */
function bestScore(word: string, text: string): number | null {
  let best: number | null = null
  for (let start = text.indexOf(word[0]); start !== -1; start = text.indexOf(word[0], start + 1)) {
    const score = scoreFrom(word, text, start)
    if (score !== null && (best === null || score > best)) best = score
  }
  return best
}

function scoreFrom(word: string, text: string, start: number): number | null {
  let score = 0
  let previous = -2
  let at = start
  for (const letter of word) {
    const found = text.indexOf(letter, at)
    if (found === -1) return null
    if (isWordStart(text, found)) score += POINTS.wordStart
    score += found === previous + 1 ? POINTS.consecutive : POINTS.elsewhere
    previous = found + letter.length - 1
    at = found + letter.length
  }
  return score
}

const isWordStart = (text: string, at: number) => at === 0 || /[\s\p{P}]/u.test(text[at - 1])
