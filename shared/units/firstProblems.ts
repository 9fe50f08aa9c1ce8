/** Maximum number of bad lines in a message; a file of the wrong kind has nothing but bad lines. */
const MOST_PROBLEMS = 20

/** Returns the first problems of a file, and a line with the number of the others. */
export function firstProblems(problems: readonly string[]): string[] {
  const moreCount = problems.length - MOST_PROBLEMS
  return [...problems.slice(0, MOST_PROBLEMS), ...(moreCount > 0 ? [`${moreCount} more`] : [])]
}
