/** Reads the listings in which a service offers its files, as links that expire. */
import * as z from '#shared/schemas/lazySchemas.ts'
import { isMonth, periodDays, type Period } from '#shared/time/periods.ts'
import type { JsonResponse } from './http.ts'
import { parseResponse } from './parseResponse.ts'

/** A file that a service offers. The link expires after a few minutes. */
export interface OfferedFile {
  period: Period
  url: string
  /** Size as the service lists it; left out if it does not say. */
  sizeBytes?: number
  /** Origin of the service that listed the file. */
  listedBy?: string
}

/** The files of a range, in order of time. */
export interface FileListing {
  /** Files without that of a month which is also offered as daily files of all its days. */
  files: OfferedFile[]
  /** Periods of which the service says that it has no file. */
  missing: Period[]
  /** Time for which the links are valid; null if the service does not say. */
  expiresInMs: number | null
}

/** A month or a day, also as the instant at which it begins; services write periods as one text or as its parts. */
const periodText = /^(\d{4}-\d{2}(?:-\d{2})?)(?:[T ].*)?$/

const fileEntry = z
  .looseObject({
    period: z.string().regex(periodText, 'is neither a month nor a day').nullish(),
    year: z.int().min(1970).max(9999).nullish(),
    month: z.int().min(1).max(12).nullish(),
    // Day of the month; absent or null on monthly files.
    day: z.int().min(1).max(31).nullish(),
    url: z.string().min(1).max(8000),
    size: z.int().min(0).nullable().catch(null),
  })
  .refine(({ period, year, month }) => period || (year && month), 'names no period')

const listingAnswer = z.looseObject({
  files: z.array(fileEntry),
  missing_periods: z.array(z.unknown()).nullish().catch(null),
  expires_in: z.number().min(0).nullable().catch(null),
})

const twoDigits = (number: number) => String(number).padStart(2, '0')

function periodOf({ period, year, month, day }: z.infer<typeof fileEntry>): Period {
  if (period) return normalPeriod(period)
  return `${year}-${twoDigits(month!)}${day ? `-${twoDigits(day)}` : ''}`
}

const normalPeriod = (text: string): Period => periodText.exec(text)?.[1] ?? text

export function parseListing({ value, origin }: JsonResponse): FileListing {
  const { files, missing_periods: missing, expires_in: expiresIn } = parseResponse(listingAnswer, value)
  const offered = files.map((entry) => ({
    period: periodOf(entry),
    url: entry.url,
    ...(entry.size !== null && { sizeBytes: entry.size }),
    ...(origin !== undefined && { listedBy: origin }),
  }))
  return {
    files: neededFiles(offered),
    missing: (missing ?? [])
      .filter((each) => typeof each === 'string')
      .map(normalPeriod)
      .filter((period) => periodDays(period) !== null),
    expiresInMs: expiresIn === null ? null : expiresIn * 1000,
  }
}

/** Joins the listings of consecutive ranges. */
export function joinListings(listings: readonly FileListing[]): FileListing {
  const expiries = listings.flatMap(({ expiresInMs }) => expiresInMs ?? [])
  return {
    files: neededFiles(listings.flatMap(({ files }) => files)),
    missing: [...new Set(listings.flatMap(({ missing }) => missing))],
    expiresInMs: expiries.length > 0 ? Math.min(...expiries) : null,
  }
}

function neededFiles(files: readonly OfferedFile[]): OfferedFile[] {
  const fileByPeriod = new Map(files.map((file) => [file.period, file]))
  const periods = [...fileByPeriod.keys()]
  return [...fileByPeriod.values()]
    .filter(({ period }) => isNeeded(period, periods))
    .sort((a, b) => (a.period < b.period ? -1 : 1))
}

/** Tells whether a period exists in the calendar and, if it is a month, is not offered as all of its days too. */
function isNeeded(period: Period, offeredPeriods: readonly Period[]): boolean {
  const days = periodDays(period)
  if (!days || !isMonth(period)) return days !== null
  const offeredDays = offeredPeriods.filter((other) => other.startsWith(`${period}-`) && periodDays(other))
  return offeredDays.length < days.end - days.start
}
