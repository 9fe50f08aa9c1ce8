/** Formats the last line of a run of peer comparisons. */

const comparisonCount = (count) => `${count} ${count === 1 ? 'comparison' : 'comparisons'}`

/** Says how many comparisons ran and how many could not, with each reason once. */
export function peersLine({ passed, failed, skipped }) {
  const reasons = [...new Set(skipped.map(({ reason }) => reason ?? 'no reason given'))]
  const parts = [
    `${comparisonCount(passed + failed)} ran`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} could not: ${reasons.join('; ')}`] : []),
  ]
  return `peers: ${parts.join(', ')}`
}
