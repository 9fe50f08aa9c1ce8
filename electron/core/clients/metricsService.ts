/** Requests the catalog, the symbols of a venue and the signed URLs of files from the metrics service. */
import * as z from '#shared/schemas/lazySchemas.ts'
import { isMonth, periodDays, type Period } from '#shared/time/periods.ts'
import type { JsonResponse } from './http.ts'
import { withRetries } from './httpErrors.ts'
import type { ServiceRequest } from './serviceRequest.ts'
import { isUsableName } from './redact.ts'
import { parseResponse } from './parseResponse.ts'

/** A dataset as the service describes it. Only the id is required; the rest is shown as it is. */
const catalogEntry = z.looseObject({
  id: z.string().min(1).max(200),
  name: z.string().catch(''),
  description: z.string().catch(''),
  category: z.string().catch(''),
  fields: z
    .array(
      z.looseObject({
        name: z.string(),
        label: z.string().catch(''),
        description: z.string().catch(''),
        unit: z.string().optional().catch(undefined),
      }),
    )
    .catch([]),
})
export type CatalogEntry = z.infer<typeof catalogEntry>

export const catalogEntries = z.array(catalogEntry)
const catalogAnswer = z.looseObject({ metrics: catalogEntries })
const symbolsAnswer = z.looseObject({ symbols: z.array(z.string().min(1).max(500)) })
const filesAnswer = z.looseObject({
  files: z.array(
    z.looseObject({
      year: z.int().min(1970).max(9999),
      month: z.int().min(1).max(12),
      // Day of the month; absent or null on monthly files.
      day: z.int().min(1).max(31).nullish(),
      url: z.string().min(1).max(8000),
    }),
  ),
})

/** A file that a service offers. The link expires after a few minutes. */
export interface OfferedFile {
  period: Period
  url: string
  /** Origin of the service that listed the file. */
  listedBy?: string
}

export interface MetricFilesQuery {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  startDay: string
  /** Last day, included, because the service counts days this way. */
  endDay: string
}

export type RawFilesQuery = Omit<MetricFilesQuery, 'interval' | 'timestamp'>

/** Client of the metrics service. */
export interface MetricsService {
  catalog(signal: AbortSignal): Promise<CatalogEntry[]>
  symbols(exchange: string, signal: AbortSignal): Promise<string[]>
  /** Lists files in order of time, without the file of a month that is also offered as daily files of all its days. */
  files(query: MetricFilesQuery, signal: AbortSignal): Promise<OfferedFile[]>
  /** Lists raw-event files, if the service can (its documentation mentions no such call; the sandbox has it). */
  rawFiles(query: RawFilesQuery, signal: AbortSignal): Promise<OfferedFile[]>
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

export function createMetricsService(send: ServiceRequest): MetricsService {
  return {
    async catalog(signal) {
      const { value } = await withRetries(() => send('/metadata/catalog', {}, signal), signal)
      const { metrics } = parseResponse(catalogAnswer, value)
      return metrics.filter(({ id }) => isUsableName(id))
    },
    async symbols(exchange, signal) {
      const { value } = await withRetries(() => send('/metadata/symbols', { exchange }, signal), signal)
      const { symbols } = parseResponse(symbolsAnswer, value)
      return [...new Set(symbols)].filter(isUsableName)
    },
    async files({ dataset, exchange, symbol, interval, timestamp, startDay, endDay }, signal) {
      const query = { timestamp, interval, exchange, symbol, start_date: startDay, end_date: endDay }
      return parseFiles(await send(`/data/${encodeURIComponent(dataset)}`, query, signal))
    },
    async rawFiles({ dataset, exchange, symbol, startDay, endDay }, signal) {
      const query = { dataset, exchange, symbol, start_date: startDay, end_date: endDay }
      return parseFiles(await send('/raw/files', query, signal))
    },
  }
}

function parseFiles({ value, origin }: JsonResponse): OfferedFile[] {
  const files = parseResponse(filesAnswer, value).files.map(({ year, month, day, url }) => ({
    period: `${year}-${twoDigits(month)}${day ? `-${twoDigits(day)}` : ''}`,
    url,
    ...(origin !== undefined && { listedBy: origin }),
  }))
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
