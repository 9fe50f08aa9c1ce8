import type { OwnReturnsAnswer, ReturnUnit } from '#shared/contract/areas/returns.ts'
import type { Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { ownReturnsText as text } from '../../../text/portfolios.ts'

export const unitOptions: readonly { value: ReturnUnit; title: string }[] = [
  { value: 'percent', title: text.units.percent },
  { value: 'fraction', title: text.units.fraction },
]

/** Describes the state of a file: when it was read, or why an earlier version of it is shown. */
export function stateOf({ source, readAt, name, problems }: OwnReturnsAnswer, zone: Zone): string {
  return text.states[source](name, readAt, zone, problems)
}

/** Describes for what share of the gross weight the service has prices; null for returns. */
export function pricedShareText({ shown, cost }: OwnReturnsAnswer): string | null {
  if (shown?.kind !== 'weights') return null
  return text.coverage(shown.coverage === null ? null : formatNumber(shown.coverage * 100, 1), cost ?? '0')
}
