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

interface SignedUrlsDeps {
  clock: Clock
  openService(connectionId: string): Promise<MetricsService>
  /** Returns the server of a connection's service; URLs that another server has listed are not used. */
  serverOf(connectionId: string): string
  /** Queued periods of the series, starting with this one. */
  nextPeriods(series: OwnedSeries, from: Period): Period[]
  /** The last queued period of the series. */
  lastPeriod(series: OwnedSeries): Period | undefined
}

/** The service refused one period of a series, but not the last one that is wanted of it. */
export class PeriodRefusedError extends AppError {}

/** Time for which a URL is valid unless the service says otherwise. */
const VALID_MS = 300_000
/** Share of that time for which a URL is used, because a transfer started at its end might be too late. */
const USABLE_SHARE = 0.8
const REMEMBERED_SERIES = 200
const REMEMBERED_ANSWERS = 10_000

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
  /** Tells, once the listing was refused, whether that concerns only a part of the series. */
  isPartlyRefused?: Promise<boolean>
}

const noListings: readonly Listing[] = []

const isForbidden = (thrown: unknown) => thrown instanceof AppError && thrown.code === 'forbidden'

export function createSignedUrls(deps: SignedUrlsDeps): SignedUrls {
  const { clock, openService, serverOf, nextPeriods, lastPeriod } = deps
  /** Series of which the service answers the last period, but refuses a range with earlier ones. */
  const partlyRefused = new Set<string>()
  /** Series that were listed, the latest last. */
  const answered = new Set<string>()
  const listingsBySeries = new Map<string, readonly Listing[]>()
  const neverAborted = new AbortController().signal
  const keyOf = (series: OwnedSeries) => [serverOf(series.connectionId), ...Object.values(series)].join('\n')

  function noteAnswer(key: string): void {
    answered.delete(key)
    answered.add(key)
    if (answered.size > REMEMBERED_ANSWERS) answered.delete(answered.values().next().value!)
  }

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
      ({ expiresInMs }) => {
        listing.usableMs = (expiresInMs ?? VALID_MS) * USABLE_SHARE
        noteAnswer(keyOf(series))
      },
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

  /** Asks for the last period alone, because a range that is partly outside the plan may be refused whole. */
  async function isPartlyOpen(series: OwnedSeries, { periods }: Listing): Promise<boolean> {
    if (answered.has(keyOf(series))) return true
    const last = lastPeriod(series) ?? periods[0]
    if (periods.length === 1 && last === periods[0]) return false
    return list(series, [last], neverAborted).answer.then(
      () => true,
      (thrown: unknown) => (isForbidden(thrown) ? false : Promise.reject(thrown as Error)),
    )
  }

  async function findAlone(series: OwnedSeries, period: Period, signal: AbortSignal): Promise<PeriodListing> {
    try {
      return await listingIn(list(series, [period], signal), period)
    } catch (thrown) {
      if (!(thrown instanceof AppError) || !isForbidden(thrown)) throw thrown
      const { code, detail, service } = thrown
      throw new PeriodRefusedError(code, detail, { cause: thrown, ...(service && { service }) })
    }
  }

  async function findIn(
    listing: Listing,
    series: OwnedSeries,
    period: Period,
    signal: AbortSignal,
  ): Promise<PeriodListing> {
    try {
      return await listingIn(listing, period)
    } catch (thrown) {
      if (!isForbidden(thrown)) throw thrown
      listing.isPartlyRefused ??= isPartlyOpen(series, listing)
      if (!(await listing.isPartlyRefused)) throw thrown
      partlyRefused.add(keyOf(series))
      return findAlone(series, period, signal)
    }
  }

  return {
    prefetch(jobs) {
      const last = jobs.at(-1)
      if (!last || listingOf(last.series, last.period)) return
      for (const { series, period } of jobs)
        if (!listingOf(series, period) && !partlyRefused.has(keyOf(series))) shareListing(series, period, neverAborted)
    },
    async find(series, period, renew, signal) {
      if (renew) return listingIn(list(series, [period], signal), period)
      // A shared listing fails if the job that started it is cancelled; then this job looks for a newer one.
      for (let listing = listingOf(series, period); listing; listing = listingOf(series, period)) {
        const failure = await listing.answer.then(
          () => null,
          (thrown: unknown) => ({ thrown }),
        )
        if (failure === null || isForbidden(failure.thrown)) return findIn(listing, series, period, signal)
        if (listingOf(series, period) === listing) break
      }
      if (partlyRefused.has(keyOf(series))) return findAlone(series, period, signal)
      return findIn(shareListing(series, period, signal), series, period, signal)
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
