import type { ListedFile, MetricsService } from '#core/clients/metricsService.ts'
import type { Clock } from '#core/ports.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { dayFromNumber, isMonth, periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'

/** What the service offers for a period. */
export type Offer =
  | { kind: 'link'; url: string }
  | { kind: 'absent' }
  /** Not this period but these, which cover the same days: a month by its days, or the month of a day. */
  | { kind: 'otherwise'; periods: Period[] }

/** Links to files: listed shortly before they are used, a few periods of a series at a time, and renewed when they get old. */
export interface Links {
  /** @param anew list again, for this period alone: its link was refused */
  offer(series: OwnedSeries, period: Period, anew: boolean, signal: AbortSignal): Promise<Offer>
}

export interface LinksParts {
  clock: Clock
  openService(connectionId: string): Promise<MetricsService>
  /** Periods of the series that will be wanted next, this one first. */
  nextPeriods(series: OwnedSeries, from: Period): Period[]
}

/** Links live for five minutes; a transfer that starts in the last one might come too late. */
const USED_WITHIN_MS = 240_000
const REMEMBERED_SERIES = 200

interface Listing {
  startDay: DayNumber
  endDay: DayNumber
  listedAtMs: number
  files: ListedFile[]
}

const keyOf = (series: OwnedSeries) => Object.values(series).join('\n')

export function createLinks({ clock, openService, nextPeriods }: LinksParts): Links {
  const listings = new Map<string, Promise<Listing>>()

  async function list(series: OwnedSeries, periods: readonly Period[], signal: AbortSignal): Promise<Listing> {
    const days = periods.map((period) => periodDays(period)!)
    const startDay = Math.min(...days.map(({ start }) => start))
    const endDay = Math.max(...days.map(({ end }) => end))
    const range = { startDay: dayFromNumber(startDay), endDay: dayFromNumber(endDay - 1) }
    const service = await openService(series.connectionId)
    const listedAtMs = clock.nowMs()
    const files =
      series.kind === 'raw'
        ? await service.rawFiles({ ...series, ...range }, signal)
        : await service.files({ ...series, ...range }, signal)
    return { startDay, endDay, listedAtMs, files }
  }

  /** One listing for all that want it; who made it may be cancelled, then the next one asks again. */
  function shared(series: OwnedSeries, period: Period, signal: AbortSignal): Promise<Listing> {
    const key = keyOf(series)
    const listing = list(series, [period, ...nextPeriods(series, period)], signal)
    listings.delete(key)
    listings.set(key, listing)
    listing.catch(() => listings.get(key) === listing && listings.delete(key))
    for (const oldest of listings.keys()) {
      if (listings.size <= REMEMBERED_SERIES) break
      listings.delete(oldest)
    }
    return listing
  }

  function isUsable({ startDay, endDay, listedAtMs }: Listing, period: Period): boolean {
    const days = periodDays(period)!
    const ageMs = clock.nowMs() - listedAtMs
    return days.start >= startDay && days.end <= endDay && ageMs >= 0 && ageMs < USED_WITHIN_MS
  }

  return {
    async offer(series, period, anew, signal) {
      if (anew) return offerOf(await list(series, [period], signal), period)
      const key = keyOf(series)
      for (let pending = listings.get(key); pending; pending = listings.get(key)) {
        const known = await pending.catch(() => null)
        if (known && isUsable(known, period)) return offerOf(known, period)
        if (listings.get(key) === pending) break
      }
      return offerOf(await shared(series, period, signal), period)
    },
  }
}

function offerOf({ files }: Listing, period: Period): Offer {
  const exact = files.find((file) => file.period === period)
  if (exact) return { kind: 'link', url: exact.url }
  const days = periodDays(period)!
  const others = files
    .map((file) => file.period)
    .filter((other) => {
      const found = periodDays(other)!
      return isMonth(other) !== isMonth(period) && found.start < days.end && found.end > days.start
    })
  return others.length > 0 ? { kind: 'otherwise', periods: others } : { kind: 'absent' }
}
