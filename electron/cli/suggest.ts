/** Returns the candidate that the user most likely meant, or null if none is close; never the word itself. */
export function nearest(word: string, allCandidates: readonly string[]): string | null {
  const candidates = allCandidates.filter((candidate) => candidate !== word)
  const lower = word.toLowerCase()
  const mostEdits = Math.max(1, Math.floor(word.length / 3))
  const byDistance = candidates
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  // One edit turns a one-letter word into any other letter, so its only suggestion is the same letter in upper or lower
  // case.
  if (byDistance.length > 0 && byDistance[0].distance <= mostEdits && byDistance[0].distance < word.length)
    return byDistance[0].candidate
  return candidates.find((candidate) => lower.length >= 2 && candidate.toLowerCase().startsWith(lower)) ?? null
}

/**
 * Returns the least number of insertions, deletions, replacements and swaps of neighbouring letters that turn one word
 * into the other.
 */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replacementCost = previous[column - 1] + (from[row - 1] === to[column - 1] ? 0 : 1)
      current[column] = Math.min(previous[column] + 1, current[column - 1] + 1, replacementCost)
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && isSwap) current[column] = Math.min(current[column], beforePrevious[column - 2] + 1)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[to.length]
}
