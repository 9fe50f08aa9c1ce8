/** Requests the catalog, the symbols of a venue and the signed URLs of files from the metrics service. */
import * as z from '#shared/schemas/lazySchemas.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { outsideSlice, type PreviewSlice, sliceDays } from '#shared/contract/previewSlice.ts'
import { addDays } from '#shared/time.ts'
import { dayNumberOf, periodDays } from '#shared/time/periods.ts'
import { type FileListing, joinListings, parseListing } from './fileListing.ts'
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

interface MetricFilesQuery {
  dataset: string
  exchange: string
  symbol: string
  interval: string
  timestamp: string
  startDay: string
  /** Last day, included, because the service counts days this way. */
  endDay: string
}

type RawFilesQuery = Omit<MetricFilesQuery, 'interval' | 'timestamp'>

/** Client of the metrics service. */
export interface MetricsService {
  catalog(signal: AbortSignal): Promise<CatalogEntry[]>
  symbols(exchange: string, signal: AbortSignal): Promise<string[]>
  files(query: MetricFilesQuery, signal: AbortSignal): Promise<FileListing>
  /** Lists raw-event files, at whichever of the known addresses the service does. */
  rawFiles(query: RawFilesQuery, signal: AbortSignal): Promise<FileListing>
}

/** An address at which services list raw events: `/data/raw/<dataset>` or `/raw/files?dataset=…`. */
const rawAddresses = ['data', 'files'] as const
export type RawAddress = (typeof rawAddresses)[number]
export const isRawAddress = (value: unknown): value is RawAddress => rawAddresses.some((each) => each === value)

/** What is known about the service of a connection. */
export interface ServiceForms {
  /** Remembers at which address the service listed raw events. */
  rawAddress: { read(): RawAddress | null; write(address: RawAddress): void }
  /** Set if the connection is one of previews; the slice is null while no catalog names it. */
  preview: { slice: PreviewSlice | null } | null
}

const noForms = (): ServiceForms => ({ rawAddress: { read: () => null, write() {} }, preview: null })

/** Most days of one request for raw events. */
const MOST_RAW_DAYS = 366

export function createMetricsService(
  send: ServiceRequest,
  { rawAddress, preview }: ServiceForms = noForms(),
): MetricsService {
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
    async files({ dataset, timestamp, interval, ...asked }, signal) {
      const path = `/data/${preview ? 'preview/' : ''}${encodeURIComponent(dataset)}`
      const list = async (range: Range) =>
        parseListing(await send(path, { timestamp, interval, ...parametersOf(range) }, signal))
      return preview ? listSlice(preview.slice, asked, list) : list(asked)
    },
    async rawFiles({ dataset, ...asked }, signal) {
      const named = encodeURIComponent(dataset)
      if (preview)
        return listSlice(preview.slice, asked, async (range) =>
          parseListing(await send(`/data/raw/preview/${named}`, parametersOf(range), signal)),
        )
      const listAt: Record<RawAddress, () => Promise<FileListing>> = {
        data: () =>
          listInParts(asked, async (range) =>
            parseListing(await send(`/data/raw/${named}`, parametersOf(range), signal)),
          ),
        files: async () => parseListing(await send('/raw/files', { dataset, ...parametersOf(asked) }, signal)),
      }
      return listWhereKnown(listAt, rawAddress)
    },
  }
}

type Range = Omit<RawFilesQuery, 'dataset'>

const parametersOf = ({ exchange, symbol, startDay, endDay }: Range) => ({
  exchange,
  symbol,
  start_date: startDay,
  end_date: endDay,
})

/** Lists at the address that worked before, or at the first one; where nothing is found, the other is tried once. */
async function listWhereKnown(
  listAt: Record<RawAddress, () => Promise<FileListing>>,
  known: ServiceForms['rawAddress'],
): Promise<FileListing> {
  const last = known.read()
  const [first, other] = last === 'files' ? rawAddresses.toReversed() : rawAddresses
  const remember = (address: RawAddress, listing: FileListing) => {
    if (address !== last) known.write(address)
    return listing
  }
  try {
    return remember(first, await listAt[first]())
  } catch (thrown) {
    if (!isUnknownAddress(thrown)) throw thrown
    const listing = await listAt[other]().catch((second: unknown) => {
      throw isUnknownAddress(second) ? thrown : second
    })
    return remember(other, listing)
  }
}

function isUnknownAddress(thrown: unknown): boolean {
  const { code, service } = toAppError(thrown)
  return code === 'not-found' || service?.status === 405
}

/** Lists a range in parts of at most the days that a request may have. */
async function listInParts(range: Range, list: (part: Range) => Promise<FileListing>): Promise<FileListing> {
  const listings: FileListing[] = []
  for (let startDay = range.startDay; startDay <= range.endDay; startDay = addDays(startDay, MOST_RAW_DAYS)) {
    const lastDay = addDays(startDay, MOST_RAW_DAYS - 1)
    listings.push(await list({ ...range, startDay, endDay: lastDay < range.endDay ? lastDay : range.endDay }))
  }
  return joinListings(listings)
}

/**
 * Lists from a preview, which answers requests for exactly its slice; what was not asked for is left out. Without a
 * known slice the service decides.
 */
async function listSlice(
  slice: PreviewSlice | null,
  asked: Range,
  list: (range: Range) => Promise<FileListing>,
): Promise<FileListing> {
  if (!slice) return list(asked)
  const refusal = outsideSlice(slice, asked)
  if (refusal !== null) throw new AppError('unsupported', refusal)
  const { files, ...listing } = await list({ ...asked, ...sliceDays(slice) })
  const [start, end] = [dayNumberOf(asked.startDay), dayNumberOf(asked.endDay) + 1]
  return {
    ...listing,
    files: files.filter(({ period }) => {
      const days = periodDays(period)!
      return days.start < end && days.end > start
    }),
  }
}
