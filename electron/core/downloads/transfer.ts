/**
 * Receives the bytes of one file, in memory or in a part file, resumes broken transfers and respects the rate limit.
 */
import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import type { HttpClient, OpenResponse } from '#core/clients/http.ts'
import { LinkError, UnreachableError, RequestError } from '#core/clients/httpErrors.ts'
import type { Clock } from '#core/ports.ts'
import { type CacheFolder, openCachePart, type PartWriter } from '#core/store/cacheFolder.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { mostBytesOf } from './guardedValidation.ts'

/** Size up to which a file stays in memory until it is complete; a larger one goes to its part file as it arrives. */
export const IN_MEMORY_BYTES = 4 * 1024 * 1024

export interface TransferResult {
  /** The whole content, in chunks with memory of their own; null if it is in the part file. */
  bytes: Uint8Array[] | null
  etag: string | null
}

export interface TransferDeps {
  http: Pick<HttpClient, 'open'>
  parts: PartStore
  folder: CacheFolder
  clock: Clock
  /** Delays the transfer if the user has set a rate limit. */
  throttle: Throttle
}

interface TransferRequest {
  series: OwnedSeries
  period: Period
  url: string
  /** Size that the service listed, shown until the server of the file declares one. */
  sizeBytes?: number | undefined
  /** Origin of the service that listed the file. */
  listedBy?: string | undefined
  signal: AbortSignal
  /** @param totalBytes size of the whole file; null if the server did not say */
  onBytes(doneBytes: number, totalBytes: number | null): void
}

/** Downloads one file. After an interruption, the bytes received are kept if the transfer can be resumed. */
export async function transfer(deps: TransferDeps, request: TransferRequest): Promise<TransferResult> {
  const { series, period, sizeBytes = null, signal, onBytes } = request
  const resumablePart = deps.parts.resumablePart(series, period)
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (resumablePart)
    Object.assign(headers, { range: `bytes=${resumablePart.sizeBytes}-`, 'if-range': resumablePart.etag })
  const answer = await openOrDiscardPart(deps, request, headers)
  const etag = answer.headers.get('etag')
  // Some servers ignore If-Range; the rest of a new version must not be appended to bytes of the old one.
  const isSameVersion = resumablePart !== null && (etag === null || etag === resumablePart.etag)
  const isContinuation = isSameVersion && answer.status === 206 && firstByteOf(answer) === resumablePart.sizeBytes
  if (answer.status === 206 && !isContinuation) {
    await answer.cancel()
    deps.parts.discard(series, period)
    throw new AppError('bad-answer', `GET ${period}: the server returned a different byte range than requested`)
  }

  const fromByte = isContinuation ? resumablePart.sizeBytes : 0
  const totalBytes = totalOf(answer, fromByte)
  try {
    await refuseOversize(deps.folder.root, request, totalBytes, fromByte)
  } catch (thrown) {
    await answer.cancel()
    throw thrown
  }
  const receiver = createReceiver(deps, request, etag, fromByte)
  const shownTotal = totalBytes ?? sizeBytes
  onBytes(fromByte, shownTotal)
  try {
    if (isContinuation || (totalBytes ?? 0) > IN_MEMORY_BYTES) await receiver.spill()
    for await (const chunk of answer.body) {
      await receiver.add(chunk)
      onBytes(receiver.size(), shownTotal)
      const wait = deps.throttle(chunk.byteLength, signal)
      if (wait) await wait
    }
    if (totalBytes !== null && receiver.size() !== totalBytes)
      throw new AppError(
        'network',
        `GET ${period}: only ${receiver.size()} of ${plainPlural(totalBytes, 'byte')} were received`,
      )
    return { bytes: await receiver.finish(), etag }
  } catch (thrown) {
    await answer.cancel()
    await receiver.keep()
    throw thrown
  }
}

async function openOrDiscardPart(
  { http, parts }: TransferDeps,
  { series, period, url, listedBy, signal }: TransferRequest,
  headers: Record<string, string>,
) {
  const limits = { signal, maxBytes: mostBytesOf(series, period), ...(listedBy !== undefined && { namedBy: listedBy }) }
  try {
    return await http.open({ url, headers, ...limits })
  } catch (thrown) {
    // The part is longer than the file, so there is nothing to resume.
    if (thrown instanceof AppError && thrown.service?.status === 416) {
      parts.discard(series, period)
      return http.open({ url, headers: { 'accept-encoding': 'identity' }, ...limits })
    }
    throw isLinkFailure(thrown, url, listedBy) ? new LinkError(thrown.code, thrown.detail ?? '') : thrown
  }
}

/**
 * Tells whether only the link failed and not the service that listed it: the link must not be followed, its response is
 * unusable, or the connection to a server other than the service failed.
 */
function isLinkFailure(thrown: unknown, url: string, listedBy: string | undefined): thrown is RequestError {
  if (!(thrown instanceof RequestError) || listedBy === undefined) return false
  if (thrown instanceof UnreachableError) return thrown.origin !== listedBy
  return thrown.code === 'bad-answer' || (thrown.code === 'network' && new URL(url).origin !== listedBy)
}

const firstByteOf = ({ headers }: OpenResponse) =>
  Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN)

function totalOf({ headers }: OpenResponse, fromByte: number): number | null {
  const length = headers.get('content-length')
  if (length === null || headers.get('content-encoding') !== null) return null
  return /^\d{1,15}$/.test(length) ? fromByte + Number(length) : null
}

interface FileKey {
  series: OwnedSeries
  period: Period
}

/** Disk space that transfers leave free for the database and other programs. */
const SPARE_BYTES = 64 * 1024 * 1024

/**
 * Refuses a file by its declared length before any byte is stored, if it is larger than a valid file of its period or
 * than the free space. Files that fit into memory are not checked.
 */
export async function refuseOversize(
  root: string,
  { series, period }: FileKey,
  totalBytes: number | null,
  fromByte: number,
): Promise<void> {
  if (totalBytes === null || totalBytes <= IN_MEMORY_BYTES) return
  const mostBytes = mostBytesOf(series, period)
  if (totalBytes > mostBytes)
    throw new AppError(
      'too-large',
      `GET ${period}: the server declares ${formatBytes(totalBytes)}, but a file of this period is at most ${formatBytes(mostBytes)}`,
    )
  const disk = await statfs(root).catch(() => null)
  if (disk && totalBytes - fromByte > disk.bavail * disk.bsize - SPARE_BYTES)
    throw new AppError('disk-full', `GET ${period}: the file has ${plainPlural(totalBytes, 'byte')}`)
}

/** Collects the bytes of one transfer: in memory up to `IN_MEMORY_BYTES`, and beyond that in the part file. */
export function createReceiver(
  { parts, folder, clock }: TransferDeps,
  { series, period }: FileKey,
  etag: string | null,
  fromByte: number,
) {
  let chunks: Uint8Array[] = []
  let sizeBytes = fromByte
  let writer: PartWriter | null = null
  /**
   * Etag by which the transfer can be resumed; null if it is missing, or if it is weak and so does not guarantee the
   * same bytes.
   */
  const resumableEtag = etag?.startsWith('W/') ? null : etag

  async function spill(): Promise<void> {
    if (writer) return
    if (fromByte === 0) {
      parts.discard(series, period)
      parts.begin(series, period, resumableEtag, clock.nowMs())
    }
    writer = await openCachePart(folder.pathOf(series, period), folder.root, fromByte)
    for (const chunk of chunks) await writer.write(chunk)
    chunks = []
  }

  return {
    size: () => sizeBytes,
    spill,
    async add(chunk: Uint8Array): Promise<void> {
      sizeBytes += chunk.byteLength
      if (writer) return writer.write(chunk)
      chunks.push(withOwnMemory(chunk))
      if (sizeBytes > IN_MEMORY_BYTES) await spill()
    },
    async finish(): Promise<Uint8Array[] | null> {
      if (!writer) return chunks
      await writer.close()
      return null
    },
    /** Keeps the received bytes for the next attempt, if an etag identifies their version. */
    async keep(): Promise<void> {
      try {
        if (sizeBytes > fromByte && resumableEtag !== null) await spill()
        await writer?.close()
        if (writer && resumableEtag === null) parts.discard(series, period)
      } catch {
        // There is no disk space or folder, so the next attempt starts over.
      }
    },
  }
}

/**
 * Copies a small chunk out of a shared buffer, because the chunk's buffer is transferred to the worker thread, and
 * Node's pool of small buffers cannot be transferred. The chunk may be a `Buffer`, whose own `slice` copies nothing.
 */
const withOwnMemory = (chunk: Uint8Array) =>
  chunk.buffer.byteLength > 2 * chunk.byteLength ? new Uint8Array(chunk) : chunk

/** Delays a transfer so that all transfers together stay below a rate; returns null if no delay is needed. */
type Throttle = (bytes: number, signal: AbortSignal) => Promise<void> | null

/** Largest delay that the limiter carries over, because a clock that jumps back must not stop every transfer. */
const MAX_BACKLOG_MS = 60_000
/** Delays below this are not worth a timer. */
const MIN_WAIT_MS = 5

/**
 * @param megabytesPerSecond called for every chunk, so that a changed setting applies immediately; null for no limit
 */
export function createRateLimit(megabytesPerSecond: () => number | null, nowMs: () => number): Throttle {
  let freeAtMs = 0
  return (bytes, signal) => {
    const limitMegabytes = megabytesPerSecond()
    if (limitMegabytes === null) return null
    const now = nowMs()
    freeAtMs = Math.min(Math.max(freeAtMs, now), now + MAX_BACKLOG_MS) + bytes / (limitMegabytes * 1000)
    const waitMs = freeAtMs - now
    return waitMs < MIN_WAIT_MS ? null : sleep(waitMs, undefined, { signal })
  }
}

/** Bytes per second over the last few seconds. */
export interface RateMeter {
  add(bytes: number): void
  perSecond(): number
}

const SLOT_MS = 250
const SLOT_COUNT = 20
/** Shortest time over which a rate is computed, so that the first of many files does not appear as a peak. */
const SHORTEST_WINDOW_MS = 500

export function createRateMeter(nowMs: () => number): RateMeter {
  const bytesBySlot = new Map<number, number>()
  /** Time of the first byte since the last pause that was longer than the meter's window; null during such a pause. */
  let startedMs: number | null = null
  let lastSlot = -1
  const dropOldSlots = () => {
    const oldest = Math.floor(nowMs() / SLOT_MS) - SLOT_COUNT
    for (const slot of bytesBySlot.keys()) if (slot <= oldest) bytesBySlot.delete(slot)
    if (bytesBySlot.size === 0) startedMs = null
  }
  return {
    add(bytes) {
      if (bytes <= 0) return
      const slot = Math.floor(nowMs() / SLOT_MS)
      if (slot !== lastSlot) dropOldSlots()
      lastSlot = slot
      startedMs ??= nowMs()
      bytesBySlot.set(slot, (bytesBySlot.get(slot) ?? 0) + bytes)
    },
    perSecond() {
      dropOldSlots()
      if (startedMs === null) return 0
      const bytes = [...bytesBySlot.values()].reduce((sum, each) => sum + each, 0)
      const windowMs = Math.min(SLOT_MS * SLOT_COUNT, Math.max(SHORTEST_WINDOW_MS, nowMs() - startedMs))
      return Math.round((bytes * 1000) / windowMs)
    },
  }
}
