/** Enough to see what is wrong with a document. */
const TOLD_PROBLEMS = 20

/** The first ones; the rest is counted. */
export function firstProblems(problems: readonly string[]): string[] {
  const more = problems.length - TOLD_PROBLEMS
  return more <= 0 ? [...problems] : [...problems.slice(0, TOLD_PROBLEMS), `and ${more} more`]
}
