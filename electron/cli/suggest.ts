import { editDistance } from '#shared/catalog/editDistance.ts'

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
