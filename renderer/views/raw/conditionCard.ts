import type { EventConditions } from '#shared/contract/areas/raw.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { wholeTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'

export interface CardLine {
  name: string
  message: string
  /** True if somebody who computes with the file should look at the value. */
  isOdd: boolean
}

/** The condition of a file as lines; what its dataset cannot have is left out. */
export function conditionCard(found: EventConditions, zone: Zone): CardLine[] {
  const instant = (ms: number | null) => (ms === null ? '–' : wholeTime(ms, zone))
  const plain = (name: string, message: string): CardLine => ({ name, message, isOdd: false })
  const counted = (name: string, count: number | null): CardLine[] => {
    if (count === null) return []
    const percent = (100 * count) / Math.max(1, found.events)
    const message =
      count === 0 ? '0' : `${formatNumber(count, 0)} (${percent < 0.001 ? '< 0.001' : formatNumber(percent, 3)} %)`
    return [{ name, message, isOdd: count > 0 }]
  }
  const since = found.silenceStartMs === null ? '' : ` from ${instant(found.silenceStartMs)}`
  return [
    plain('Events', formatNumber(found.events, 0)),
    plain('First event', instant(found.firstMs)),
    plain('Last event', instant(found.lastMs)),
    plain('Arrivals', `${instant(found.firstArrivalMs)} to ${instant(found.lastArrivalMs)}`),
    plain('Longest silence', `${formatDuration(found.longestSilenceMs)}${since}`),
    ...counted('Duplicates', found.duplicates),
    ...counted('Behind a later event', found.outOfOrder),
    ...counted('Arrived behind a later one', found.arrivalsOutOfOrder),
    ...counted('Crossed or locked quotes', found.crossedQuotes),
    ...counted('Negative spreads', found.negativeSpreads),
    ...counted('Zero sizes', found.zeroSizes),
    ...counted('Unknown sides', found.unknownSides),
    ...counted('Modelled arrivals', found.modelledArrivals),
    ...counted('Modelled venue times', found.modelledTimes),
    ...counted('Values no metric can use', found.unusable),
  ]
}
