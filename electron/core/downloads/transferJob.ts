import { statfs } from 'node:fs/promises'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import type { HttpClient, OpenAnswer } from '#core/clients/http.ts'
import { LinkError, OutOfReach, RequestError } from '#core/clients/httpErrors.ts'
import type { Clock } from '#core/ports.ts'
import type { AnswerStore } from '#core/store/answerStore.ts'
import { type CacheFolder, openPart, type PartWriter } from '#core/store/cacheFolder.ts'
import type { FileFacts } from '#core/store/fileTable.ts'
import type { FileRange, FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Job, JobOutcome } from '#core/store/jobTable.ts'
import type { KeptFiles } from '#core/store/keptFiles.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { mostBytesOf, mostRowsOf } from './guardedValidation.ts'
import { periodStates } from './plan.ts'
import { refusalError, type Refusals } from './retryPolicy.ts'
import type { Throttle } from './rateLimit.ts'
import type { SignedUrls } from './signedUrls.ts'
import type { ValidationPool } from './validationPool.ts'
import type { ValidatedFile } from './verifyFile.ts'

/** The result of one attempt at a job; a failure is thrown. */
export interface JobResult {
  outcome: JobOutcome
  file: { file: CachedFile; facts: FileFacts } | null
  /** Periods to fetch in place of the job's own. */
  instead: Period[]
}

export interface TransferJobDeps extends TransferDeps {
  urls: SignedUrls
  pool: ValidationPool
  files: FileStore
  answers: AnswerStore
  refusals: Refusals
  orphanFiles: OrphanFiles
  kept: KeptFiles
}

export interface TransferJobOptions {
  signal: AbortSignal
  onBytes(doneBytes: number, totalBytes: number | null): void
  /** All bytes were received, so the network is free for another transfer. */
  onReceived(): void
}

const nothingElse = { file: null, instead: [] }

/** Makes one attempt to download, validate and store one file. */
export async function runTransferJob(deps: TransferJobDeps, job: Job, options: TransferJobOptions): Promise<JobResult> {
  const { series, period } = job
  const days = periodDays(period)
  if (!days) throw new AppError('bad-input', `“${period}” is not a period`)
  const cachedRanges = deps.files.ranges(series, days.start, days.end)
  if (!job.refresh && isCached(cachedRanges, period, days)) return { outcome: 'already here', ...nothingElse }
  const known = cachedRanges.length > 0 ? deps.files.find(series, period) : undefined
  if (!known && deps.orphanFiles.has(series, period)) {
    const adopted = await adoptOrphan(deps, job)
    if (adopted) return adopted
  }
  const refusal = deps.refusals.of(series)
  if (refusal && refusal.atMs >= job.createdAtMs) throw refusalError(refusal)

  const received = await receive(deps, job, options)
  if (received === 'absent') {
    deps.answers.recordAbsent(series, [period], deps.clock.nowMs())
    return { outcome: 'absent', ...nothingElse }
  }
  if (Array.isArray(received)) return { outcome: 'listed otherwise', file: null, instead: received }
  options.onReceived()
  const mostRows = mostRowsOf(series, period)
  const task = {
    path: deps.folder.pathOf(series, period),
    root: deps.folder.root,
    bytes: received.bytes,
    ...(mostRows !== undefined && { mostRows }),
  }
  if (known?.pinned) deps.kept.keep([{ path: task.path, sha256: known.sha256 }])
  const validated = await deps.pool.commit(task).catch((thrown: unknown) => {
    const error = toAppError(thrown)
    // A whole file is not continued, so its part would only take space.
    deps.parts.discard(series, period)
    throw error.code === 'corrupt-file' ? damagedDownload(period, error) : thrown
  })
  if (refusal) deps.refusals.clear(refusal)
  return committed(deps.clock.nowMs(), job, known, validated, received.etag)
}

function isCached(
  cachedRanges: FileRange[],
  period: Period,
  { start, end }: { start: DayNumber; end: DayNumber },
): boolean {
  const knowledge = { cachedRanges, absent: new Set<Period>(), isLocked: false, isListed: true }
  return periodStates([{ period, startDay: start, endDay: end }], knowledge)[0] === 'cached'
}

/** Adds a file to the index that was put in place just before a program ended, so that only its row is missing. */
async function adoptOrphan({ pool, folder, clock }: TransferJobDeps, job: Job): Promise<JobResult | null> {
  try {
    const validated = await pool.validate(folder.pathOf(job.series, job.period))
    const result = committed(clock.nowMs(), job, undefined, validated, null)
    // A file that may be incomplete is fetched again, because the time of its download is unknown.
    return result.file?.file.state === 'final' && !job.refresh ? result : null
  } catch (thrown) {
    if (toAppError(thrown).code === 'corrupt-file') return null
    throw thrown
  }
}

/** Downloads the file by a signed URL; a refused URL is renewed once. */
async function receive(deps: TransferJobDeps, { series, period }: Job, { signal, onBytes }: TransferJobOptions) {
  for (const renew of [false, true]) {
    const offer = await deps.urls.offer(series, period, renew, signal)
    if (offer.kind === 'absent') return 'absent'
    if (offer.kind === 'other periods') return offer.periods
    try {
      return await transfer(deps, { series, period, url: offer.url, listedBy: offer.listedBy, signal, onBytes })
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code !== 'forbidden') throw thrown
      if (renew) throw urlRefused(period, error)
    }
  }
  throw new AppError('internal')
}

/** The code is not `forbidden`, because a refused URL says nothing of the key's access to the rest of the dataset. */
const urlRefused = (period: Period, { service }: AppError) =>
  new AppError('rejected', `The download link for ${period} was refused, and so was a new one.`, {
    ...(service && { service }),
  })

/** The code is not `corrupt-file`, because no file of the cache is damaged: the service sent it so and it is discarded. */
function damagedDownload(period: Period, { detail }: AppError): AppError {
  const reason = detail?.split(': ').at(-1) ?? ''
  return new AppError('bad-answer', `The downloaded file for ${period} cannot be used: ${reason}`)
}

/** The row and the outcome of a file that is in its place now. */
function committed(
  nowMs: number,
  { series, period, refresh }: Job,
  known: CachedFile | undefined,
  validated: ValidatedFile,
  etag: string | null,
): JobResult {
  const days = periodDays(period)!
  const isSame = known?.sha256 === validated.sha256
  const isChanged = known?.state === 'final' && !isSame
  const file: CachedFile = {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: isFinal(series, days.end, validated.facts, nowMs) ? 'final' : 'partial',
    origin: 'service',
    sizeBytes: validated.sizeBytes,
    sha256: validated.sha256,
    etag,
    fetchedAtMs: nowMs,
    usedAtMs: known?.usedAtMs ?? nowMs,
    pinned: known?.pinned ?? false,
    changedUpstreamAtMs: isChanged ? nowMs : (known?.changedUpstreamAtMs ?? null),
  }
  const outcome = isChanged ? 'changed upstream' : isSame && refresh ? 'unchanged' : 'downloaded'
  return { outcome, file: { file, facts: validated.facts }, instead: [] }
}

/** The last rows of a day may be published a little after its end; a day later nothing more is expected. */
function isFinal(series: OwnedSeries, endDay: number, { lastTimeMs }: FileFacts, nowMs: number): boolean {
  const endMs = endDay * MS_PER_DAY
  if (nowMs < endMs) return false
  const intervalMs = (parseInterval(series.interval) ?? 3600) * 1000
  return nowMs >= endMs + MS_PER_DAY || (lastTimeMs !== null && lastTimeMs + intervalMs >= endMs)
}

/**
 * Files that were put in place just before a program ended, so that their row may be missing. Each folder is listed once,
 * because from then on this process alone adds files to it.
 */
export interface OrphanFiles {
  has(series: OwnedSeries, period: Period): boolean
  forget(): void
}

export function createOrphanFiles(folder: CacheFolder): OrphanFiles {
  const listed = new Map<string, ReadonlySet<Period>>()
  return {
    has(series, period) {
      const key = Object.values(series).join('\n')
      const periods = listed.get(key) ?? folder.periodsOf(series)
      listed.set(key, periods)
      // The file may have been removed since its folder was listed.
      return periods.has(period) && folder.sizeOf(series, period) !== null
    },
    forget: () => listed.clear(),
  }
}

/** Files up to this size stay in memory until they are complete; larger ones are written to their part file on the way. */
export const IN_MEMORY_BYTES = 4 * 1024 * 1024

export interface Transferred {
  /** The whole content, in pieces that share no memory with others; null where it is in the part file. */
  bytes: Uint8Array[] | null
  etag: string | null
}

export interface TransferDeps {
  http: Pick<HttpClient, 'open'>
  parts: PartStore
  folder: CacheFolder
  clock: Clock
  /** Delays the transfer where the person has set a rate limit. */
  throttle: Throttle
}

export interface TransferRequest {
  series: OwnedSeries
  period: Period
  url: string
  /** Origin of the service that listed the file. */
  listedBy?: string | undefined
  signal: AbortSignal
  /** Number of bytes received so far, and of the whole file (null where the server did not say). */
  onBytes(doneBytes: number, totalBytes: number | null): void
}

/** Downloads one file. The bytes received before an interruption are kept where the transfer can be resumed. */
export async function transfer(deps: TransferDeps, request: TransferRequest): Promise<Transferred> {
  const { series, period, signal, onBytes } = request
  const left = deps.parts.left(series, period)
  const headers: Record<string, string> = { 'accept-encoding': 'identity' }
  if (left) Object.assign(headers, { range: `bytes=${left.sizeBytes}-`, 'if-range': left.etag })
  const answer = await openOrDiscardPart(deps, request, headers)
  const etag = answer.headers.get('etag')
  // Some servers ignore If-Range: the rest of another version must not be appended to the bytes we have.
  const isSame = left !== null && (etag === null || etag === left.etag)
  const isRest = isSame && answer.status === 206 && startOf(answer) === left.sizeBytes
  if (answer.status === 206 && !isRest) {
    await answer.cancel()
    deps.parts.discard(series, period)
    throw new AppError('bad-answer', `GET ${period}: the server returned a different byte range than requested`)
  }

  const fromByte = isRest ? left.sizeBytes : 0
  const totalBytes = totalOf(answer, fromByte)
  try {
    await refuseOversize(deps.folder.root, request, totalBytes, fromByte)
  } catch (thrown) {
    await answer.cancel()
    throw thrown
  }
  const received = createReceiver(deps, request, etag, fromByte)
  onBytes(fromByte, totalBytes)
  try {
    if (isRest || (totalBytes ?? 0) > IN_MEMORY_BYTES) await received.spill()
    for await (const chunk of answer.body) {
      await received.add(chunk)
      onBytes(received.size(), totalBytes)
      const wait = deps.throttle(chunk.byteLength, signal)
      if (wait) await wait
    }
    if (totalBytes !== null && received.size() !== totalBytes)
      throw new AppError('network', `GET ${period}: only ${received.size()} of ${totalBytes} bytes were received`)
    return { bytes: await received.finish(), etag }
  } catch (thrown) {
    await answer.cancel()
    await received.keep()
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
    // The part is longer than the file is now, so there is nothing to resume.
    if (thrown instanceof AppError && thrown.service?.status === 416) {
      parts.discard(series, period)
      return http.open({ url, headers: { 'accept-encoding': 'identity' }, ...limits })
    }
    throw isOnlyOfLink(thrown, url, listedBy) ? new LinkError(thrown.code, thrown.detail ?? '') : thrown
  }
}

/** Tells whether the service that listed a link has no part in its failure: another server did not answer, or may not be asked. */
function isOnlyOfLink(thrown: unknown, url: string, listedBy: string | undefined): thrown is RequestError {
  if (!(thrown instanceof RequestError) || listedBy === undefined) return false
  if (thrown instanceof OutOfReach) return thrown.origin !== listedBy
  return thrown.code === 'bad-answer' || (thrown.code === 'network' && new URL(url).origin !== listedBy)
}

/** Room that a transfer leaves on the disk for the database and other programs. */
const SPARE_BYTES = 64 * 1024 * 1024

/** Refuses a file by the length that its server declares, before a byte is kept: more than any file has, or than fits. */
async function refuseOversize(
  root: string,
  { series, period }: Pick<TransferRequest, 'series' | 'period'>,
  totalBytes: number | null,
  fromByte: number,
): Promise<void> {
  if (totalBytes === null || totalBytes <= IN_MEMORY_BYTES) return
  const mostBytes = mostBytesOf(series, period)
  if (totalBytes > mostBytes)
    throw new AppError(
      'too-large',
      `GET ${period}: the server declares ${formatBytes(totalBytes)}, and a file of this period has at most ${formatBytes(mostBytes)}`,
    )
  const disk = await statfs(root).catch(() => null)
  if (disk && totalBytes - fromByte > disk.bavail * disk.bsize - SPARE_BYTES)
    throw new AppError('disk-full', `GET ${period}: the file has ${totalBytes} bytes`)
}

const startOf = ({ headers }: OpenAnswer) =>
  Number(/^bytes (\d+)-/.exec(headers.get('content-range') ?? '')?.[1] ?? NaN)

function totalOf({ headers }: OpenAnswer, fromByte: number): number | null {
  const length = headers.get('content-length')
  if (length === null || headers.get('content-encoding') !== null) return null
  return /^\d{1,15}$/.test(length) ? fromByte + Number(length) : null
}

/** Collects the bytes of one transfer, in memory up to `IN_MEMORY_BYTES` and in the part file beyond. */
function createReceiver(
  { parts, folder, clock }: TransferDeps,
  { series, period }: TransferRequest,
  etag: string | null,
  fromByte: number,
) {
  let chunks: Uint8Array[] = []
  let sizeBytes = fromByte
  let writer: PartWriter | null = null
  /** A weak etag does not promise the same bytes. */
  const version = etag?.startsWith('W/') ? null : etag

  async function spill(): Promise<void> {
    if (writer) return
    if (fromByte === 0) {
      parts.discard(series, period)
      parts.begin(series, period, version, clock.nowMs())
    }
    writer = await openPart(folder.pathOf(series, period), folder.root, fromByte)
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
    /** Keeps the received bytes for the next attempt, where an etag tells which version they belong to. */
    async keep(): Promise<void> {
      try {
        if (sizeBytes > fromByte && version !== null) await spill()
        await writer?.close()
        if (writer && version === null) parts.discard(series, period)
      } catch {
        // Without disk space or a folder there is nothing to resume from.
      }
    },
  }
}

/** Copies a small chunk out of shared memory, because the chunk's memory is transferred to the worker thread. */
const withOwnMemory = (chunk: Uint8Array) => (chunk.buffer.byteLength > 2 * chunk.byteLength ? chunk.slice() : chunk)
