/** Lists the files of a service and provides their signed URLs while they are valid. */
import type { FileListing } from '#core/clients/fileListing.ts'
import type { MetricsService } from '#core/clients/metricsService.ts'
import type { Clock } from '#core/ports.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { AppError } from '#shared/contract/errors.ts'
import { dayFromNumber, isMonth, periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'

/** The listing of a service for one period. */
export type PeriodListing =
  | {
      kind: 'url'
      url: string
      sizeBytes?: number
      listedBy?: string
      /** Days of the month that have files of their own, which take precedence over the month's. */
      ownDays?: Period[]
    }
  | { kind: 'absent' }
  /** The same days are covered by other periods: by the days of the month, or by the month of the day. */
  | { kind: 'other periods'; periods: Period[] }

/**
 * Signed URLs of files. They are listed for several periods of a series at a time shortly before use, and listed again
 * when they expire.
 */
export interface SignedUrls {
  /** @param renew true to list this period again, because its URL was refused */
  find(series: OwnedSeries, period: Period, renew: boolean, signal: AbortSignal): Promise<PeriodListing>
  /** Requests the listings for upcoming jobs while other transfers are running. */
  prefetch(jobs: readonly { series: OwnedSeries; period: Period }[]): void
}

export interface SignedUrlsDeps {
  clock: Clock
  openService(connectionId: string): Promise<MetricsService>
  /** Returns the server of a connection's service; URLs that another server has listed are not used. */
  serverOf(connectionId: string): string
  /** Queued periods of the series, starting with this one. */
  nextPeriods(series: OwnedSeries, from: Period): Period[]
}

/** Time for which a URL is valid unless the service says otherwise. */
const VALID_MS = 300_000
/** Share of that time for which a URL is used, because a transfer started at its end might be too late. */
const USABLE_SHARE = 0.8
const REMEMBERED_SERIES = 200

/**
 * Number of listings kept per series: two, because the next one is requested while the previous one is still in use.
 */
const LISTINGS_PER_SERIES = 2

/** The files of a range of days, as the service listed them. */
interface Listing {
  startDay: DayNumber
  endDay: DayNumber
  periods: readonly Period[]
  listedAtMs: number
  /** Time for which its URLs are used; null until the service has answered. */
  usableMs: number | null
  answer: Promise<FileListing>
}

const noListings: readonly Listing[] = []

export function createSignedUrls({ clock, openService, serverOf, nextPeriods }: SignedUrlsDeps): SignedUrls {
  const listingsBySeries = new Map<string, readonly Listing[]>()
  const neverAborted = new AbortController().signal
  const keyOf = (series: OwnedSeries) => [serverOf(series.connectionId), ...Object.values(series)].join('\n')

  function list(series: OwnedSeries, periods: readonly Period[], signal: AbortSignal): Listing {
    const days = periods.map((period) => periodDays(period)!)
    const startDay = Math.min(...days.map(({ start }) => start))
    const endDay = Math.max(...days.map(({ end }) => end))
    const query = { ...series, startDay: dayFromNumber(startDay), endDay: dayFromNumber(endDay - 1) }
    const answer = openService(series.connectionId).then((service) =>
      series.kind === 'raw' ? service.rawFiles(query, signal) : service.files(query, signal),
    )
    const listing: Listing = { startDay, endDay, periods, listedAtMs: clock.nowMs(), usableMs: null, answer }
    answer.then(
      ({ expiresInMs }) => (listing.usableMs = (expiresInMs ?? VALID_MS) * USABLE_SHARE),
      // Whoever waits for the listing gets its error.
      () => {},
    )
    return listing
  }

  /**
   * Starts a listing that all waiting jobs share; if the job that started it is cancelled, the next job starts a new
   * listing.
   */
  function shareListing(series: OwnedSeries, period: Period, signal: AbortSignal): Listing {
    const key = keyOf(series)
    const listing = list(series, [period, ...nextPeriods(series, period)], signal)
    const otherListings = listingsBySeries.get(key) ?? noListings
    listingsBySeries.delete(key)
    listingsBySeries.set(key, [listing, ...otherListings].slice(0, LISTINGS_PER_SERIES))
    listing.answer.catch(() => {
      const current = listingsBySeries.get(key) ?? noListings
      listingsBySeries.set(
        key,
        current.filter((each) => each !== listing),
      )
    })
    for (const oldest of listingsBySeries.keys()) {
      if (listingsBySeries.size <= REMEMBERED_SERIES) break
      listingsBySeries.delete(oldest)
    }
    return listing
  }

  function listingOf(series: OwnedSeries, period: Period): Listing | undefined {
    const days = periodDays(period)!
    return listingsBySeries.get(keyOf(series))?.find(({ startDay, endDay, listedAtMs, usableMs }) => {
      const ageMs = clock.nowMs() - listedAtMs
      const isUsable = ageMs >= 0 && ageMs < (usableMs ?? VALID_MS * USABLE_SHARE)
      return days.start >= startDay && days.end <= endDay && isUsable
    })
  }

  return {
    prefetch(jobs) {
      const last = jobs.at(-1)
      if (!last || listingOf(last.series, last.period)) return
      for (const { series, period } of jobs) if (!listingOf(series, period)) shareListing(series, period, neverAborted)
    },
    async find(series, period, renew, signal) {
      if (renew) return listingIn(list(series, [period], signal), period)
      // A shared listing fails if the job that started it is cancelled; then this job looks for a newer one.
      for (let listing = listingOf(series, period); listing; listing = listingOf(series, period)) {
        const found = await listing.answer.then(() => listing).catch(() => null)
        if (found) return listingIn(found, period)
        if (listingOf(series, period) === listing) break
      }
      return listingIn(shareListing(series, period, signal), period)
    },
  }
}

async function listingIn(listing: Listing, period: Period): Promise<PeriodListing> {
  const { files, missing } = await listing.answer
  const days = periodDays(period)!
  const otherPeriods = files
    .map((file) => file.period)
    .filter((other) => {
      const found = periodDays(other)!
      return isMonth(other) !== isMonth(period) && found.start < days.end && found.end > days.start
    })
  const exact = files.find((file) => file.period === period)
  if (!exact && otherPeriods.length > 0) return { kind: 'other periods', periods: otherPeriods }
  if (!exact && missing.includes(period)) return { kind: 'absent' }
  if (!exact) {
    const wrongPeriods = wronglyListed(listing, files)
    if (wrongPeriods.length === 0) return { kind: 'absent' }
    throw new AppError(
      'bad-answer',
      `The service listed no file for ${period}, but ${wrongPeriods.join(', ')}, which it was not asked for. The file of ${period} may be listed under the wrong day.`,
    )
  }
  return {
    kind: 'url',
    url: exact.url,
    ...(exact.sizeBytes !== undefined && { sizeBytes: exact.sizeBytes }),
    ...(exact.listedBy !== undefined && { listedBy: exact.listedBy }),
    ...(isMonth(period) && otherPeriods.length > 0 && { ownDays: otherPeriods }),
  }
}

/**
 * Finds listed periods that were not requested, if they are as many as the requested ones that are not listed; the
 * service then probably listed these files under wrong periods. Otherwise it simply lists more than was requested.
 */
function wronglyListed({ startDay, endDay, periods }: Listing, files: FileListing['files']): Period[] {
  const listed = files.map((file) => file.period)
  const wrong = listed.filter((period) => {
    const { start, end } = periodDays(period)!
    return end <= startDay || start >= endDay
  })
  const lacking = new Set(periods.filter((period) => !listed.includes(period)))
  return wrong.length === lacking.size ? wrong : []
}
