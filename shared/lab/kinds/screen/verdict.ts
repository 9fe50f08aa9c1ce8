import { formatNumber } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import { intervalName, MS_PER_DAY, parseInterval } from '#shared/time.ts'
import type { ResultOf } from '../../runStudy.ts'

type Screen = ResultOf<'screen'>

/** What the best of worlds without an effect reaches; null if no shift gives any value. */
export function noiseFacts(noise: readonly (number | null)[]): { mean: number; highest: number } | null {
  const values = noise.filter((value) => value !== null)
  if (values.length === 0) return null
  return { mean: values.reduce((sum, value) => sum + value, 0) / values.length, highest: Math.max(...values) }
}

/** Answers a screen in one sentence: the winner beside the best of noise, or why there is no winner. */
export function verdict({ study, data, attrition, tests, noise, cells }: Screen): string {
  const tried = `${plural(attrition.used, 'line')} tried`
  const best = cells.at(0)
  if (!best) {
    const { tooFew, constant } = attrition
    return `None of ${plural(attrition.cells, 'line')} can be judged: ${plural(tooFew, 'has', 'have')} fewer than 30 samples in a part, ${plural(constant, 'does', 'do')} not vary.`
  }
  const { column, template, horizon, symbol, test } = best
  const where = data.symbols > 1 ? ` on ${symbol}` : ''
  const phrase = templatePhrase(template, study.interval)
  const winner = `${tried}; the best, \`${column}\`${phrase}${where} over ${plural(horizon, 'bar')}, reaches z ${formatNumber(test.z, 1)}`
  const luck = noiseFacts(noise)
  if (!luck) return `${winner}; there is no noise to compare it with.`
  const beside = `${winner}; the best of noise reaches ${formatNumber(luck.mean, 1)} on average, ${formatNumber(luck.highest, 1)} at most`
  const chance = `chance ${percent(test.familyP)}`
  if (tests.family === 0) return `${beside}: ${chance}.`
  return `${beside}: ${chance}, with ${plural(tests.family, 'line')} at 5 % or less.`
}

const percent = (share: number): string =>
  `${formatNumber(share * 100, share < 0.1 && (share * 100) % 1 !== 0 ? 1 : 0)} %`

/** Says how a template looks at its column, such as ` as rank over 1 day`; nothing for the column itself. */
function templatePhrase(template: string, interval: string): string {
  if (template.trim() === 'x') return ''
  const intervalMs = (parseInterval(interval) ?? 0) * 1000
  const lengthOf = (bars: string): string => {
    const lengthMs = Number(bars) * intervalMs
    if (lengthMs === MS_PER_DAY) return 'a day'
    if (lengthMs === 7 * MS_PER_DAY) return 'a week'
    return lengthMs % MS_PER_DAY === 0 ? plural(lengthMs / MS_PER_DAY, 'day') : intervalName(lengthMs)
  }
  const rank = /^rank\(x, ?(\d+)(?:, ?\d+)?\)$/.exec(template)
  if (rank) return ` as rank over ${lengthOf(rank[1])}`
  const smoothed = /^rank\(sma\(x, ?(\d+)\), ?(\d+)(?:, ?\d+)?\)$/.exec(template)
  if (smoothed) return ` as rank over ${lengthOf(smoothed[2])} of its mean over ${lengthOf(smoothed[1])}`
  return ` as ${template}`
}
