/** Number of bad lines that a message names; a file of another kind has nothing but bad lines. */
const MOST_PROBLEMS = 20

/** Returns the first of what is wrong with a file, and how many more there are. */
export function firstProblems(problems: readonly string[]): string[] {
  const more = problems.length - MOST_PROBLEMS
  return [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`${more} more`] : [])]
}
