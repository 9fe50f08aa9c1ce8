import { dayFromNumber } from '#shared/time/periods.ts'
import { formatNumber, formatPercent } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import type { TearSheet } from './tearSheet.ts'

/** What the days of a tear sheet earned and lost at most, in one sentence; null without a return. */
export function tearSheetVerdict({ days, figures, episodes }: TearSheet): string | null {
  const { totalReturn, sharpe } = figures
  if (days.length === 0 || typeof totalReturn !== 'number') return null
  const verb = totalReturn < 0 ? 'lost' : 'earned'
  const earned = `It ${verb} ${formatPercent(Math.abs(totalReturn), 1)} % in ${plural(days.length, 'day')}`
  const ratio = typeof sharpe === 'number' ? ` at a Sharpe ratio of ${formatNumber(sharpe, 2)}` : ''
  const deepest = episodes.toSorted((one, other) => one.depth - other.depth).at(0)
  if (!deepest) return `${earned}${ratio}, and never fell below its highest value.`
  const { depth, startDay, recoveryDay } = deepest
  const end = recoveryDay === null ? 'not recovered yet' : `recovered on ${dayFromNumber(recoveryDay)}`
  return `${earned}${ratio}; its deepest loss was ${formatPercent(-depth, 1)} %, from ${dayFromNumber(startDay)}, ${end}.`
}
