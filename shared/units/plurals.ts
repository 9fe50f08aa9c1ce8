import { formatNumber } from './numbers.ts'

const rules = new Intl.PluralRules('en')

/** Picks the form of a noun or verb that agrees with a count: `agree(1, 'file is', 'files are')` gives `file is`. */
export const agree = (count: number, one: string, many: string): string => (rules.select(count) === 'one' ? one : many)

/**
 * Writes a count with its noun: `1 file`, `12 files`, `1 024 files`. The plural adds an s unless it is given:
 * `plural(2, 'entry', 'entries')`. A verb may follow the noun: `plural(2, 'file is', 'files are')`.
 */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count, 0)} ${agree(count, one, many)}`

/** Like `plural` but without thousands separators, for programs and terminals: `1024 files`. */
export const plainPlural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${agree(count, one, many)}`

/** Returns the noun of a count from its plural in s: `nounOf(1, 'common days')` gives `common day`. */
export const nounOf = (count: number, many: string): string => agree(count, many.replace(/s$/, ''), many)

/** Lists the first names of a list, and counts the rest: `BTC, ETH, SOL, XRP, DOGE and 3 more`. */
export function firstFew(names: readonly string[], most = 5): string {
  const rest = names.length - most
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${formatNumber(rest, 0)} more` : '')
}
