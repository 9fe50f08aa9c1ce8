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
  /** These come next: what they need is asked for while others are on the way. */
  expect(jobs: readonly { series: OwnedSeries; period: Period }[]): void
}

export interface LinksDeps {
  clock: Clock
  openService(connectionId: string): Promise<MetricsService>
  /** Links of one service are not those of another that the connection has now. */
  hostOf(connectionId: string): string
  /** Periods of the series that will be wanted next, this one first. */
  nextPeriods(series: OwnedSeries, from: Period): Period[]
}

/** Links live for five minutes; a transfer that starts in the last one might come too late. */
const USED_WITHIN_MS = 240_000
const REMEMBERED_SERIES = 200

/** A series' listings overlap in time: one is asked for while links of the one before are still used. */
const LISTINGS_A_SERIES = 2

/** A range of days that a service was asked about. */
interface Listing {
  startDay: DayNumber
  endDay: DayNumber
  listedAtMs: number
  files: Promise<ListedFile[]>
}

const none: readonly Listing[] = []

export function createLinks({ clock, openService, hostOf, nextPeriods }: LinksDeps): Links {
  const listings = new Map<string, readonly Listing[]>()
  const toTheEnd = new AbortController().signal
  const keyOf = (series: OwnedSeries) => [hostOf(series.connectionId), ...Object.values(series)].join('\n')

  function list(series: OwnedSeries, periods: readonly Period[], signal: AbortSignal): Listing {
    const days = periods.map((period) => periodDays(period)!)
    const startDay = Math.min(...days.map(({ start }) => start))
    const endDay = Math.max(...days.map(({ end }) => end))
    const query = { ...series, startDay: dayFromNumber(startDay), endDay: dayFromNumber(endDay - 1) }
    const files = openService(series.connectionId).then((service) =>
      series.kind === 'raw' ? service.rawFiles(query, signal) : service.files(query, signal),
    )
    return { startDay, endDay, listedAtMs: clock.nowMs(), files }
  }

  /** One listing for all that want it; who made it may be cancelled, then the next one asks again. */
  function shared(series: OwnedSeries, period: Period, signal: AbortSignal): Listing {
    const key = keyOf(series)
    const listing = list(series, [period, ...nextPeriods(series, period)], signal)
    const others = listings.get(key) ?? none
    listings.delete(key)
    listings.set(key, [listing, ...others].slice(0, LISTINGS_A_SERIES))
    listing.files.catch(() => {
      const left = listings.get(key) ?? none
      listings.set(
        key,
        left.filter((each) => each !== listing),
      )
    })
    for (const oldest of listings.keys()) {
      if (listings.size <= REMEMBERED_SERIES) break
      listings.delete(oldest)
    }
    return listing
  }

  function listingOf(series: OwnedSeries, period: Period): Listing | undefined {
    const days = periodDays(period)!
    return listings.get(keyOf(series))?.find(({ startDay, endDay, listedAtMs }) => {
      const ageMs = clock.nowMs() - listedAtMs
      return days.start >= startDay && days.end <= endDay && ageMs >= 0 && ageMs < USED_WITHIN_MS
    })
  }

  return {
    expect(jobs) {
      const last = jobs.at(-1)
      if (!last || listingOf(last.series, last.period)) return
      for (const { series, period } of jobs) if (!listingOf(series, period)) shared(series, period, toTheEnd)
    },
    async offer(series, period, anew, signal) {
      if (anew) return offerOf(await list(series, [period], signal).files, period)
      // Where who asked for it was cancelled, the next one that waits asks again.
      for (let known = listingOf(series, period); known; known = listingOf(series, period)) {
        const files = await known.files.catch(() => null)
        if (files) return offerOf(files, period)
        if (listingOf(series, period) === known) break
      }
      return offerOf(await shared(series, period, signal).files, period)
    },
  }
}

function offerOf(files: readonly ListedFile[], period: Period): Offer {
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
