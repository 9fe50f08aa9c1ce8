import * as z from '../../schemas/lazySchemas.ts'
import type { EngineOrigin } from '../engineOrigin.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

const name = z.string().min(1).max(300)
const names = z.array(name).max(1000)
const day = z.int().min(-200_000).max(200_000)
const sizeBytes = z.number().min(0).max(Number.MAX_SAFE_INTEGER)

/** Filter of files; a field left out matches all files. Days are counted from 1970-01-01, half-open. */
export const fileFilter = {
  connectionId,
  kind: z.enum(['metrics', 'raw']).optional(),
  datasets: names.optional(),
  exchanges: names.optional(),
  symbols: names.optional(),
  list: listFilter,
  intervals: names.optional(),
  timestamps: names.optional(),
  startDay: day.optional(),
  endDay: day.optional(),
}

/** Files that a removal means: those of the filter, of the connection and of what was computed from its events. */
const removal = z.strictObject({
  ...fileFilter,
  origins: z
    .array(z.enum(['service', 'import', 'computed']))
    .max(3)
    .optional(),
  /** Names of months and days, such as `2026-07` or `2026-08-01`. */
  periods: z.array(z.string().min(1).max(10)).max(100_000).optional(),
})

const seriesName = z.strictObject({
  connectionId: z.string().max(100),
  kind: z.enum(['metrics', 'raw']),
  dataset: name,
  exchange: name,
  symbol: name,
  interval: z.string().max(300),
  timestamp: z.string().max(300),
})
const period = z.string().max(10)

/** A cached file. */
export interface ListedFile {
  series: z.infer<typeof seriesName>
  period: string
  state: 'final' | 'partial'
  origin: 'service' | 'import' | 'computed'
  /** Engine that computed the file; null for the built-in engine and for files that were not computed. */
  computedBy: EngineOrigin | null
  sizeBytes: number
  sha256: string
  fetchedAt: number
  usedAt: number
  pinned: boolean
  /** Time at which a refresh returned different content; null if none did. */
  changedUpstreamAt: number | null
  path: string
}

export interface CacheProblem {
  kind: 'gone' | 'damaged' | 'unlisted' | 'unreachable' | 'leftover' | 'foreign'
  /** In the folder of cached files, with `/`. */
  path: string
  message: string
  /** Remedy that a repair applies (or applied); null if the user has to act. */
  remedy: string | null
}

export interface CacheReport {
  /** In the index when it began. */
  files: number
  sizeBytes: number
  /** Files that are damaged, gone, unknown to the index or cannot be read. */
  broken: number
  /** Number of broken files that a repair fixed. */
  repaired: number
  /** Old leftovers of transfers, and files of others. */
  harmless: number
  /** The first thousand. */
  problems: CacheProblem[]
  more: number
}

export interface UsageRow {
  /** The connection's id, or the name of the dataset, venue or symbol. */
  name: string
  files: number
  /** Number of files that are kept when space is freed. */
  pinned: number
  sizeBytes: number
}

export interface Removed {
  files: number
  sizeBytes: number
}

export const cacheCalls = {
  /** Pages in the order of series and period; `after` is the last file of the page before. */
  'cache.list': call(
    z.strictObject({
      ...fileFilter,
      after: z.strictObject({ series: seriesName, period }).nullable().default(null),
      limit: z.int().min(1).max(5000).default(1000),
    }),
  )<{ files: ListedFile[]; total: { files: number; sizeBytes: number } }>(),
  /** Largest first. Of all connections where the id is empty. */
  'cache.usage': call(z.strictObject({ by: z.enum(['connection', 'dataset', 'exchange', 'symbol']), connectionId }))<{
    rows: UsageRow[]
    total: { files: number; sizeBytes: number }
  }>(),
  /** Verifies or repairs the files of a connection, of all if the id is empty; `deep` reads every value of every file. */
  'cache.verify': call(z.strictObject({ connectionId, deep: z.boolean().default(false) }))<CacheReport>(),
  'cache.repair': call(z.strictObject({ connectionId, deep: z.boolean().default(false) }))<CacheReport>(),
  /** Lists the files that would be removed to bring the cache to a size; the first few by name. */
  'cache.prunePreview': call(z.strictObject({ maxBytes: sizeBytes }))<Removed & { first: ListedFile[] }>(),
  'cache.prune': call(z.strictObject({ maxBytes: sizeBytes }))<Removed & { left: Removed }>(),
  /** Counts the files that a removal would remove, computed ones of the connection too. */
  'cache.removePreview': call(removal)<Removed>(),
  /** Removes files, whether downloaded, imported or computed; pinned ones too, because they are named. */
  'cache.remove': call(removal)<Removed>(),
  /** Pinned files are never pruned. */
  'cache.pin': call(z.strictObject({ ...fileFilter, pinned: z.boolean() }))<{ files: number }>(),
  /** The folder of the files; null where the disk it is on is away. */
  'cache.place': call(z.strictObject({}))<{ path: string; isMoved: boolean; freeBytes: number } | null>(),
  /** Moves all files into a folder of their own in this one; stopped or killed, they are all where they were. */
  'cache.relocate': call(z.strictObject({ target: z.string().trim().min(1).max(4096) }))<{ path: string }>(),
  'cache.removeConnectionData': call(z.strictObject({ connectionId: connectionId.unwrap().min(1) }))<Removed>(),
}
