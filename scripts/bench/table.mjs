/** Results as lines of a table that is printed while they come. */

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

/** @param {import('./judge.mjs').Result} result */
export function tableRow({ name, unit, ours, peer, peerName, ratio, rule, budget, ok, error }) {
  if (error) return `${row([ok === null ? '?' : 'FAILED', name])}\n       ${error}`
  const sign = rule === 'atLeast' ? '≥' : '≤'
  const limit = budget === null ? '–' : `${sign} ${budget}${rule === 'value' ? ` ${unit}` : '×'}`
  const cells = [
    budget === null ? '–' : verdicts.get(ok),
    name,
    `${ours} ${unit}`,
    peer === null ? '–' : `${peer} ${unit}`,
    ratio === null ? '–' : String(ratio),
    limit,
  ]
  const missing =
    peerName !== null && peer === null ? `\n       ${peerName} is not on this machine: nothing to compare with.` : ''
  return `${row(cells)}${missing}`
}

export function tableFoot(results) {
  const judged = results.filter(({ budget }) => budget !== null)
  const count = (ok) => judged.filter((result) => result.ok === ok).length
  const open = count(null) ? `, ${count(null)} left open` : ''
  const beside = results.length - judged.length
  return `${count(true)} of ${judged.length} lines within their budget${open}${beside ? `; ${beside} to compare with only` : ''}.`
}
