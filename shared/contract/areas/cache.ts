import * as z from '../../schemas/lazySchemas.ts'
import { deepText, fileFilterTexts as texts, maxSizeText } from '../fieldTexts.ts'
import type { EngineOrigin } from '../engineOrigin.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { listFilter } from './lists.ts'

const name = z.string().min(1).max(300)
const names = z.array(name).max(1000)
const day = z.int().min(-200_000).max(200_000)
const maxBytes = z.number().min(0).max(Number.MAX_SAFE_INTEGER).describe(maxSizeText)
const deep = z.boolean().default(false).describe(deepText)

/**
 * Filter on files; an omitted field matches all files. Days are numbered from 1970-01-01, and the range is half-open.
 */
export const fileFilter = {
  connectionId,
  kind: z.enum(['metrics', 'raw']).optional(),
  datasets: names.optional().describe(texts.dataset),
  exchanges: names.optional().describe(texts.exchange),
  symbols: names.optional().describe(texts.symbol),
  list: listFilter,
  intervals: names.optional().describe(texts.interval),
  timestamps: names.optional().describe(texts.timestamp),
  startDay: day.optional().describe(texts.start),
  endDay: day.optional().describe(texts.end),
}

/** Filter on the files to remove: those of the connection, and those computed from its events. */
const removal = z.strictObject({
  ...fileFilter,
  origins: z
    .array(z.enum(['service', 'import', 'computed']))
    .max(3)
    .optional()
    .describe(texts.origin),
  periods: z.array(z.string().min(1).max(10)).max(100_000).optional().describe(texts.period),
})

const seriesFields = z.strictObject({
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
  series: z.infer<typeof seriesFields>
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
  /** Time at which a refresh returned different content; null if it never did. */
  changedUpstreamAt: number | null
  path: string
}

export interface CacheProblem {
  kind: 'gone' | 'damaged' | 'unlisted' | 'unreachable' | 'leftover' | 'foreign'
  /** Path in the folder of cached files, with forward slashes. */
  path: string
  message: string
  /** Action that a repair takes (or took), or that any check took for a whole file that the index lacked; null if it takes none. */
  remedy: string | null
}

export interface CacheReport {
  /** Number of files that were checked: those in the index when the check began, and those that were taken in. */
  files: number
  sizeBytes: number
  /** Number of files that are damaged, missing or unreadable. */
  broken: number
  /** Number of broken files that a repair fixed. */
  repaired: number
  /** Number of those files that the index lacked and that were added to it. */
  takenIn: number
  /** Number of old partial transfers, and of files that are not Perpscope's. */
  harmless: number
  /** The first thousand problems. */
  problems: CacheProblem[]
  /** Number of further problems. */
  more: number
}

export interface UsageRow {
  /** The connection's id, or the name of the dataset, venue or symbol. */
  name: string
  files: number
  /** Number of pinned files, which are kept when space is freed. */
  pinned: number
  sizeBytes: number
}

/** Number and size of files. */
export interface FileTotals {
  files: number
  sizeBytes: number
}

export const cacheCalls = {
  /** Lists files page by page, ordered by series and period; `after` is the last file of the previous page. */
  'cache.list': call(
    z.strictObject({
      ...fileFilter,
      after: z.strictObject({ series: seriesFields, period }).nullable().default(null),
      limit: z.int().min(1).max(5000).default(1000),
    }),
  )<{ files: ListedFile[]; total: FileTotals }>(),
  /** Sums files and sizes by a field, largest first; an empty id includes all connections. */
  'cache.usage': call(z.strictObject({ by: z.enum(['connection', 'dataset', 'exchange', 'symbol']), connectionId }))<{
    rows: UsageRow[]
    total: FileTotals
  }>(),
  /**
   * Verifies the files of a connection (of all if the id is empty), and adds whole files to the index that it lacks.
   */
  'cache.verify': call(z.strictObject({ connectionId, deep }))<CacheReport>(),
  /** Repairs what `cache.verify` finds. */
  'cache.repair': call(z.strictObject({ connectionId, deep }))<CacheReport>(),
  /** Previews the removal of files to bring the cache down to a size; `first` lists a few of them. */
  'cache.prunePreview': call(z.strictObject({ maxBytes }))<FileTotals & { first: ListedFile[] }>(),
  /** Removes the least recently used files until the cache fits; returns what was removed and what is left. */
  'cache.prune': call(z.strictObject({ maxBytes }))<FileTotals & { left: FileTotals }>(),
  /** Counts the files that a removal would delete, including those computed for the connection. */
  'cache.removePreview': call(removal)<FileTotals>(),
  /** Removes files, whether downloaded, imported or computed, and even pinned ones, because the user named them. */
  'cache.remove': call(removal)<FileTotals>(),
  /** Pins or unpins files; pinned files are never pruned. */
  'cache.pin': call(z.strictObject({ ...fileFilter, pinned: z.boolean() }))<{ files: number }>(),
  /** Returns the folder of the cached files; null if its disk is not mounted. */
  'cache.place': call(z.strictObject({}))<{ path: string; isMoved: boolean; freeBytes: number } | null>(),
  /**
   * Moves all files into a new folder inside the target; if that is stopped or killed, all files stay where they were.
   */
  'cache.relocate': call(z.strictObject({ target: z.string().trim().min(1).max(4096) }))<{ path: string }>(),
  'cache.removeConnectionData': call(z.strictObject({ connectionId: connectionId.unwrap().min(1) }))<FileTotals>(),
}
