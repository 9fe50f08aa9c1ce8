/** Judges the measurements of a benchmark line and formats the results as a table. */

/**
 * @typedef {{ name: string, unit: string, rule: 'atMost' | 'atLeast' | 'value', budget: number | null, peerName: string | null }} Line
 * @typedef {Line & {
 *   ours: number | null, peer: number | null, ratio: number | null, ok: boolean | null, spread: number | null, error: string | null
 * }} Result
 */

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const roundTo4Digits = (value) => (value === null ? null : Number(value.toPrecision(4)))

/**
 * Compares with the budget of a line our median (rule `value`) or its ratio to the median of the peer.
 * @param {Line} line
 * @param {readonly number[]} ours one measurement per round
 * @param {readonly number[]} theirs empty if the line has no peer or the machine lacks it
 * @returns {Result}
 */
export function judge({ name, unit, rule, budget, peerName }, ours, theirs) {
  const ourMedian = median(ours)
  const peer = theirs.length > 0 ? median(theirs) : null
  const ratio = peer === null ? null : ourMedian / peer
  const measured = rule === 'value' ? ourMedian : ratio
  const ok = measured === null || budget === null ? null : rule === 'atLeast' ? measured >= budget : measured <= budget
  const spread = roundTo4Digits((Math.max(...ours) - Math.min(...ours)) / ourMedian)
  return {
    name,
    unit,
    ours: roundTo4Digits(ourMedian),
    peer: roundTo4Digits(peer),
    peerName,
    ratio: roundTo4Digits(ratio),
    rule,
    budget,
    ok,
    spread,
    error: null,
  }
}

/** Builds the result of a line that could not be measured. */
const unmeasuredResult = ({ name, unit, rule, budget, peerName }, error, ok) => ({
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
 * Builds the result of a line that threw: its budget is missed (`ok` is false), or undecided (null) if the machine
 * lacks something that the line needs.
 * @param {Line} line
 * @returns {Result}
 */
export const failedResult = (line, error) => unmeasuredResult(line, error, error?.name === 'NotHere' ? null : false)

/** Selects the fields that `--json` documents, in their order; bench-results.json has more. */
export const publishedFields = ({ name, unit, ours, peer, peerName, ratio, budget, ok }) => ({
  name,
  unit,
  ours,
  peer,
  peerName,
  ratio,
  budget,
  ok,
})

/** Merges two lists of results and sorts them by name; a fresh result replaces an old one of the same name. */
export function merge(old, fresh) {
  const byName = new Map([...old, ...fresh].map((result) => [result.name, result]))
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'))
}

const columns = [
  ['', 6],
  ['line', 78],
  ['ours', 15],
  ['peer', 15],
  ['ratio', 8],
  ['budget', 12],
]

const row = (cells) =>
  cells
    .map((cell, at) => (at < 2 ? cell.padEnd(columns[at][1]) : cell.padStart(columns[at][1])))
    .join(' ')
    .trimEnd()

export const tableHead = () => [
  row(columns.map(([title]) => title)),
  '-'.repeat(columns.reduce((sum, [, width]) => sum + width + 1, 0)),
]

const verdicts = new Map([
  [true, 'ok'],
  [false, 'OVER'],
  [null, '?'],
])

/** Formats a result as a row, with the reason below it if the line was not measured. @param {Result} result */
export function tableRow({ name, unit, ours, peer, peerName, ratio, rule, budget, ok, error }) {
  if (error) return `${row([ok === null ? '?' : 'FAILED', name])}\n       ${error}`
  const sign = rule === 'atLeast' ? '≥' : '≤'
  const limitText = budget === null ? '–' : `${sign} ${budget}${rule === 'value' ? ` ${unit}` : '×'}`
  const cells = [
    budget === null ? '–' : verdicts.get(ok),
    name,
    `${ours} ${unit}`,
    peer === null ? '–' : `${peer} ${unit}`,
    ratio === null ? '–' : String(ratio),
    limitText,
  ]
  const missing =
    peerName !== null && peer === null
      ? `\n       ${peerName} is not on this machine, so there is nothing to compare with.`
      : ''
  return `${row(cells)}${missing}`
}

export function tableFoot(results) {
  const judged = results.filter(({ budget }) => budget !== null)
  const countOf = (isMet) => judged.filter((result) => result.ok === isMet).length
  const undecidedText = countOf(null) ? `, ${countOf(null)} undecided` : ''
  const withoutBudget = results.length - judged.length
  return `${countOf(true)} of ${judged.length} lines within their budget${undecidedText}${withoutBudget ? `; ${withoutBudget} without a budget` : ''}.`
}

/** Change below which a line never counts as slower, because two runs of the same program differ by about as much. */
const LEAST_NOISE = 0.1

/**
 * Returns the number by which two runs are compared (larger is slower), or null if the line was not measured: the ratio
 * to the peer if there is one, because a slower machine slows both, else our own measurement. If more is better, it is
 * the reciprocal.
 */
function slownessOf({ ratio, ours, rule }) {
  const measured = ratio ?? ours
  return measured !== null && rule === 'atLeast' ? 1 / measured : measured
}

/**
 * Finds the lines that became slower by more than the noise of either run, the largest change first.
 * @param {readonly Result[]} old
 * @param {readonly Result[]} fresh
 * @returns {{ name: string, change: number, noise: number }[]} `change` is 0.3 if the line takes 30 % more time
 */
export function slowerLines(old, fresh) {
  const earlierByName = new Map(old.map((result) => [result.name, result]))
  return fresh
    .flatMap((result) => {
      const earlier = earlierByName.get(result.name)
      const [before, now] = [earlier ? slownessOf(earlier) : null, slownessOf(result)]
      if (before === null || now === null) return []
      const noise = Math.max(LEAST_NOISE, earlier.spread ?? 0, result.spread ?? 0)
      return now / before - 1 > noise ? [{ name: result.name, change: roundTo4Digits(now / before - 1), noise }] : []
    })
    .sort((a, b) => b.change - a.change)
}
