import { createHash } from 'node:crypto'
import { open, rm, stat, statfs } from 'node:fs/promises'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import type { Clock } from '#core/ports.ts'
import { openCachePart, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import type { ImportOutcome } from '#shared/contract/areas/raw.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { identityIssues } from '#shared/contract/identityIssues.ts'
import { periodDays } from '#shared/time/periods.ts'
import type { Candidate, ImportableFile } from './candidates.ts'

export interface ImportFileDeps {
  store: Store
  commit: ValidationPool['commit']
  clock: Clock
}

/** An inspected file to import as events of this venue and symbol. */
export interface FileToImport {
  id: string
  exchange: string
  symbol: string
  replace: boolean
}

interface ImportOptions {
  signal: AbortSignal
  onBytes(doneBytes: number): void
}

/** Imports one file, or returns why it cannot be imported; throws only if the import was cancelled. */
export async function importFile(
  deps: ImportFileDeps,
  connectionId: string,
  fileToImport: FileToImport,
  candidate: Candidate | undefined,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const { id } = fileToImport
  const sizeBytes = candidate?.file.sizeBytes ?? 0
  try {
    if (!candidate) throw new AppError('not-found', 'This file was not inspected, or it has already been imported.')
    return {
      id,
      sizeBytes,
      error: null,
      ...(await importCandidate(deps, connectionId, fileToImport, candidate, options)),
    }
  } catch (thrown) {
    options.signal.throwIfAborted()
    const error = toAppError(thrown)
    const state = error instanceof PeriodTaken ? 'conflict' : 'failed'
    return { id, sizeBytes, state, path: null, error: error.toShape() }
  }
}

/** The period of a file is already cached, or it is being downloaded. */
class PeriodTaken extends AppError {}

async function importCandidate(
  { store, commit, clock }: ImportFileDeps,
  connectionId: string,
  { exchange, symbol, replace }: FileToImport,
  { file: found, dataset, period, hasTimeKind, contentIssues, conditions, proof }: Candidate,
  { signal, onBytes }: ImportOptions,
): Promise<{ state: 'imported' | 'cached'; path: string }> {
  const problem = [
    ...identityIssues(dataset, exchange, symbol, hasTimeKind, store.venues.of(connectionId)),
    ...contentIssues,
  ].find(({ level }) => level === 'error')
  if (problem || dataset === null || period === null)
    throw new AppError('bad-input', problem?.message ?? `${found.name}: its content was not recognised.`)

  const series: OwnedSeries = { connectionId, kind: 'raw', dataset, exchange, symbol, interval: '', timestamp: '' }
  const path = store.folder.pathOf(series, period)
  if (store.cacheUse.isAwaited(series, period))
    throw new PeriodTaken('conflict', `${period} of this series is being downloaded right now.`)
  const cached = store.files.find(series, period)
  if (cached && (await isSame(found, proof, cached, signal))) return { state: 'cached', path }
  if (cached && !replace)
    throw new PeriodTaken(
      'conflict',
      `Another file of ${period} is already cached (${originLabels[cached.origin]}); it stays unless you choose to replace it.`,
    )

  const validatedFile = await copyIntoCache({
    ...{ source: found, proof, path, root: store.folder.root, commit, signal, onBytes },
  })
  const days = periodDays(period)!
  const nowMs = clock.nowMs()
  const file: CachedFile = {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: 'final',
    origin: 'import',
    sizeBytes: validatedFile.sizeBytes,
    sha256: validatedFile.sha256,
    etag: null,
    fetchedAtMs: nowMs,
    usedAtMs: nowMs,
    pinned: false,
    changedUpstreamAtMs: null,
  }
  store.files.record([{ file, facts: validatedFile.facts }])
  if (conditions) store.conditions.write(series, period, conditions)
  return { state: 'imported', path }
}

const originLabels: Record<CachedFile['origin'], string> = {
  service: 'from the service',
  import: 'imported before',
  computed: 'computed here',
}

async function isSame(
  source: ImportableFile,
  proof: ValidatedFile | null,
  cached: CachedFile,
  signal: AbortSignal,
): Promise<boolean> {
  if (source.sizeBytes !== cached.sizeBytes) return false
  await checkUnchanged(source)
  return (proof?.sha256 ?? (await hashOfFile(source.path, signal))) === cached.sha256
}

const CHUNK_BYTES = 1024 * 1024

interface CopyRequest {
  source: ImportableFile
  /** What is known of the content; it is believed only if the copy has the same hash. */
  proof?: ValidatedFile | null
  /** Path of the imported file in the cache folder. */
  path: string
  root: string
  commit: ValidationPool['commit']
  signal: AbortSignal
  onBytes(doneBytes: number): void
}

/** Copies a file into the cache and validates it; if that fails, nothing is left behind. */
export async function copyIntoCache({
  source,
  proof = null,
  path,
  root,
  commit,
  signal,
  onBytes,
}: CopyRequest): Promise<ValidatedFile> {
  await checkRoom(root, source.sizeBytes)
  try {
    const sha256 = await copyToPart(source, path, root, signal, onBytes)
    return await commit({ path, root, bytes: null, sha256, proof: proof?.sha256 === sha256 ? proof : null })
  } catch (thrown) {
    await rm(path + PART_SUFFIX, { force: true }).catch(() => {})
    throw withSourceName(thrown, path + PART_SUFFIX, source)
  }
}

/** Names the person's file instead of our copy of it. */
function withSourceName(thrown: unknown, partPath: string, { path }: ImportableFile): unknown {
  if (!(thrown instanceof AppError) || !thrown.detail?.includes(partPath)) return thrown
  return new AppError(thrown.code, thrown.detail.replaceAll(partPath, path), { cause: thrown })
}

/** Copies a file to a part; returns the hash of what was copied. */
async function copyToPart(
  source: ImportableFile,
  path: string,
  root: string,
  signal: AbortSignal,
  onBytes: (doneBytes: number) => void,
): Promise<string> {
  const hash = createHash('sha256')
  await checkUnchanged(source)
  const reader = await openSource(source)
  try {
    const part = await openCachePart(path, root, 0)
    try {
      const chunk = new Uint8Array(CHUNK_BYTES)
      for (let done = 0; done < source.sizeBytes;) {
        signal.throwIfAborted()
        const { bytesRead } = await reader.read(chunk, 0, chunk.length, done)
        if (bytesRead === 0) throw changedError(source)
        const bytes = chunk.subarray(0, bytesRead)
        // The bytes are written by another thread while they are hashed.
        const writing = part.write(bytes)
        hash.update(bytes)
        await writing
        done += bytesRead
        onBytes(done)
      }
    } finally {
      await part.close()
    }
  } finally {
    await reader.close()
  }
  await checkUnchanged(source)
  return hash.digest('hex')
}

const openSource = ({ path }: ImportableFile) =>
  open(path, 'r').catch((cause: unknown) => {
    throw new AppError('not-found', `${path} cannot be opened.`, { cause })
  })

async function checkUnchanged(source: ImportableFile): Promise<void> {
  const current = await stat(source.path).catch(() => null)
  if (!current) throw new AppError('not-found', `${source.path} no longer exists.`)
  if (current.size !== source.sizeBytes || current.mtimeMs !== source.mtimeMs) throw changedError(source)
}

const changedError = ({ path }: ImportableFile) =>
  new AppError(
    'conflict',
    `${path} has changed since it was checked. Another program may still be writing to it; check it again later.`,
  )

async function checkRoom(root: string, sizeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: Infinity, bsize: 1 }))
  if (bavail * bsize < sizeBytes) throw new AppError('disk-full', `The folder is ${root}`)
}

export async function hashOfFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const handle = await open(path, 'r')
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES, signal }))
      hash.update(chunk as Uint8Array)
  } finally {
    await handle.close().catch(() => {})
  }
  return hash.digest('hex')
}
