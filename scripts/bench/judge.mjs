/** Judges the measured numbers of a benchmark line against its budget and its peer. */

/**
 * @typedef {{ name: string, unit: string, rule: 'atMost' | 'atLeast' | 'value', budget: number | null, peerName: string | null }} Line
 * @typedef {Line & {
 *   ours: number | null, peer: number | null, ratio: number | null, ok: boolean | null, spread: number | null, error: string | null
 * }} Result
 */

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const rounded = (value) => (value === null ? null : Number(value.toPrecision(4)))

/**
 * @param {Line} line
 * @param {readonly number[]} ours one a round
 * @param {readonly number[]} theirs empty where there is no peer, or where it is not on this machine
 * @returns {Result}
 */
export function judge({ name, unit, rule, budget, peerName }, ours, theirs) {
  const mine = median(ours)
  const peer = theirs.length > 0 ? median(theirs) : null
  const ratio = peer === null ? null : mine / peer
  const measured = rule === 'value' ? mine : ratio
  const ok = measured === null || budget === null ? null : rule === 'atLeast' ? measured >= budget : measured <= budget
  const spread = rounded((Math.max(...ours) - Math.min(...ours)) / mine)
  return {
    name,
    unit,
    ours: rounded(mine),
    peer: rounded(peer),
    peerName,
    ratio: rounded(ratio),
    rule,
    budget,
    ok,
    spread,
    error: null,
  }
}

/** A line without a number says why. */
const unmeasured = ({ name, unit, rule, budget, peerName }, error, ok) => ({
  name,
  unit,
  ours: null,
  peer: null,
  peerName,
  ratio: null,
  rule,
  budget,
  ok,
  spread: null,
  error: String(error?.message ?? error),
})

/**
 * Turns a benchmark line that threw into a miss that says why; where the machine lacks something, the line is neither met nor missed.
 * @param {Line} line
 * @returns {Result}
 */
export const failed = (line, error) => unmeasured(line, error, error?.name === 'NotHere' ? null : false)

/** The JSON output has the promised fields in their order. What else is known stands in bench-results.json. */
export const published = ({ name, unit, ours, peer, peerName, ratio, budget, ok }) => ({
  name,
  unit,
  ours,
  peer,
  peerName,
  ratio,
  budget,
  ok,
})

/** New results in the place of old ones of the same name; the rest stays. In the order of names. */
export function merge(old, fresh) {
  const byName = new Map([...old, ...fresh].map((result) => [result.name, result]))
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}
