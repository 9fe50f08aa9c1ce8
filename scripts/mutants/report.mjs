/** Computes the score of a folder and lists the mutants that survived. */

/** Minimum share of mutants that the tests of a folder must kill. */
export const LEAST_SCORE = 0.85

/**
 * Computes the share of mutants that were killed. Equivalent mutants, which change nothing that a user could notice, do
 * not count.
 * @param {{ folder: string, mutant: string, reason: string }[]} equivalents
 */
export function scoreOf(folder, judged, equivalents) {
  const known = new Set(equivalents.filter((each) => each.folder === folder).map(({ mutant }) => mutant))
  const alive = judged.filter(({ state }) => state !== 'killed')
  const equivalent = alive.filter(({ name }) => known.has(name))
  const survivors = alive.filter(({ name }) => !known.has(name))
  const countedMutants = judged.length - equivalent.length
  const killed = judged.length - alive.length
  return {
    folder,
    drawn: judged.length,
    killed,
    equivalent,
    survivors,
    score: countedMutants === 0 ? 0 : killed / countedMutants,
  }
}

export function survivorLines(survivors) {
  return survivors.map(({ path, line, name, state }) => `  ${state}: ${path}:${line}  ${name}`)
}

const percent = (share) => `${(share * 100).toFixed(1)} %`

export function scoreLine({ folder, drawn, killed, equivalent, survivors, score }, seconds) {
  const equivalentText = equivalent.length > 0 ? `, ${equivalent.length} equivalent` : ''
  const timeText = seconds === undefined ? '' : ` (${(seconds / 60).toFixed(1)} min)`
  return `${folder}: ${percent(score)} killed: ${killed} of ${drawn} mutants${equivalentText}, ${survivors.length} survived${timeText}`
}
