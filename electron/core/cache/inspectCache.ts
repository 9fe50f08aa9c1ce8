import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import { type CacheFolder, linkedFolder, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import type { CacheUse } from '#core/store/cacheUse.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { filePath, OWN_FOLDER, ownerFolderName, ownerOfFolder, parseFilePath } from '#core/store/partitions.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { Period } from '#shared/time/periods.ts'
import { plainPlural } from '#shared/units/plurals.ts'

export interface InspectDeps {
  files: FileStore
  cacheUse: CacheUse
  folder: CacheFolder
  nowMs: number
  validate(path: string, signal: AbortSignal): Promise<ValidatedFile>
}

export interface InspectOptions {
  connectionId?: string
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** Files inspected at a time: enough to keep the threads busy, few enough to stop quickly and let downloads through. */
const FILES_PER_BATCH = 16
/**
 * Time without a change after which a part file without a job counts as abandoned; until then an import might still be
 * writing it.
 */
const LEFTOVER_AFTER_MS = 60 * 60 * 1000

/** Inspects every file in the index, then every file on disk, and yields the issues in small batches. */
export async function* inspectCache(deps: InspectDeps, options: InspectOptions): AsyncGenerator<CacheIssue[]> {
  yield* inspectIndexed(deps, options)
  yield* inspectDisk(deps, options)
}

async function* inspectIndexed(deps: InspectDeps, options: InspectOptions): AsyncGenerator<CacheIssue[]> {
  const { connectionId, signal, onProgress } = options
  const total = deps.files.totals({ connectionId }).files
  let done = 0
  let last: CachedFile | null = null
  for (;;) {
    signal.throwIfAborted()
    onProgress({ done, total, message: 'files checked' })
    const page = deps.files.page({ connectionId }, last, FILES_PER_BATCH)
    if (page.length === 0) return
    const found = await Promise.all(page.map((file) => inspectFile(deps, file, signal)))
    yield found.filter((issue) => issue !== null)
    done += page.length
    last = page.at(-1) ?? null
  }
}

async function inspectFile(deps: InspectDeps, file: CachedFile, signal: AbortSignal): Promise<CacheIssue | null> {
  const issue = await issueOf(deps, file, signal)
  if (!issue) return null
  // Another process may have replaced or removed the file during the inspection.
  const current = deps.files.find(file.series, file.period)
  if (!current) return null
  return spareLinkedFile(deps.folder, current.sha256 === file.sha256 ? issue : await issueOf(deps, current, signal))
}

/**
 * Reports a damaged file that is reached through a linked folder as unreachable: it may not be ours, so a repair must
 * leave it where it is.
 */
function spareLinkedFile({ root }: CacheFolder, issue: CacheIssue | null): CacheIssue | null {
  if (issue?.kind !== 'damaged') return issue
  const linkPath = linkedFolder(issue.fullPath, root)
  if (linkPath === null) return issue
  return { kind: 'unreachable', path: issue.path, message: `${issue.message} ${linkPath} is a link to another place.` }
}

async function issueOf(
  { folder, validate }: InspectDeps,
  { series, period, sizeBytes, sha256 }: CachedFile,
  signal: AbortSignal,
): Promise<CacheIssue | null> {
  const fullPath = folder.pathOf(series, period)
  const place = { path: pathOf({ series, period }), series, period, fullPath }
  const facts = await stat(fullPath).catch((thrown: unknown) => codeOf(thrown))
  if (facts === 'ENOENT' || facts === 'ENOTDIR') return { kind: 'gone', ...place, message: 'The file is missing.' }
  if (typeof facts === 'string') return { kind: 'unreachable', ...place, message: `It cannot be inspected (${facts}).` }
  if (facts.size !== sizeBytes)
    return { kind: 'damaged', ...place, message: `It has ${plainPlural(facts.size, 'byte')} instead of ${sizeBytes}.` }
  const validated = await tryValidate(validate, fullPath, signal)
  if (typeof validated === 'string') return { kind: 'damaged', ...place, message: validated }
  if (validated === null) return { kind: 'unreachable', ...place, message: 'It cannot be read.' }
  return validated.sha256 === sha256
    ? null
    : { kind: 'damaged', ...place, message: 'Its content differs from what was downloaded.' }
}

async function* inspectDisk(deps: InspectDeps, options: InspectOptions): AsyncGenerator<CacheIssue[]> {
  const { connectionId, signal, onProgress } = options
  const expected = deps.files.totals({ connectionId }).files
  let done = 0
  for await (const found of walkCache(deps.folder.root, connectionId)) {
    for (let start = 0; start < found.length; start += FILES_PER_BATCH) {
      signal.throwIfAborted()
      const group = found.slice(start, start + FILES_PER_BATCH)
      const issues = await Promise.all(group.map((file) => inspectFound(deps, file, signal)))
      yield issues.filter((issue) => issue !== null)
      done += group.length
      onProgress({ done, total: Math.max(done, expected), message: 'files searched' })
    }
  }
}

async function inspectFound(deps: InspectDeps, found: FileOnDisk, signal: AbortSignal): Promise<CacheIssue | null> {
  const { path, fullPath } = found
  if (found.kind === 'foreign') return { kind: 'foreign', path, message: 'Perpscope did not write this file.' }
  const { series, period } = found
  if (found.kind === 'data' && deps.files.find(series, period)) return null
  if (deps.cacheUse.isAwaited(series, period)) return null
  const facts = await stat(fullPath).catch(() => null)
  if (!facts) return null
  if (found.kind === 'part') {
    if (deps.nowMs - facts.mtimeMs < LEFTOVER_AFTER_MS) return null
    const message = `An unfinished transfer left ${plainPlural(facts.size, 'byte')} here, and no download needs them.`
    return { kind: 'leftover', path, fullPath, series, period, message }
  }
  const validated = await tryValidate(deps.validate, fullPath, signal)
  const place = { path, fullPath, series, period }
  if (validated === null) return { kind: 'unreachable', path, message: 'It cannot be read.' }
  if (typeof validated === 'string') return { kind: 'damaged', ...place, message: validated }
  if (deps.files.find(series, period)) return null
  return {
    kind: 'unlisted',
    ...place,
    validated,
    changedAtMs: facts.mtimeMs,
    message: 'This whole file was not in the index.',
  }
}

/** A part file that nothing writes and no job waits for. */
export interface IdlePart {
  series: OwnedSeries
  period: Period
  fullPath: string
  sizeBytes: number
}

/** Finds the part files that nothing writes and no job waits for, including those that are missing from the index. */
export async function* idlePartsOnDisk(
  { folder, cacheUse, nowMs }: Pick<InspectDeps, 'folder' | 'cacheUse' | 'nowMs'>,
  signal: AbortSignal,
): AsyncGenerator<IdlePart> {
  for await (const found of walkCache(folder.root)) {
    signal.throwIfAborted()
    for (const file of found) {
      if (file.kind !== 'part' || cacheUse.isAwaited(file.series, file.period)) continue
      const facts = await stat(file.fullPath).catch(() => null)
      if (!facts || nowMs - facts.mtimeMs < LEFTOVER_AFTER_MS) continue
      const { series, period, fullPath } = file
      yield { series, period, fullPath, sizeBytes: facts.size }
    }
  }
}

/** Validates a file. Returns its facts, or a text that says what is wrong; null if the file could not be read. */
async function tryValidate(
  validate: InspectDeps['validate'],
  path: string,
  signal: AbortSignal,
): Promise<ValidatedFile | string | null> {
  try {
    return await validate(path, signal)
  } catch (thrown) {
    signal.throwIfAborted()
    const error = toAppError(thrown)
    if (error.code !== 'corrupt-file') return null
    const message = (error.detail ?? error.sentence).replace(`${path}: `, '')
    return message.charAt(0).toUpperCase() + message.slice(1)
  }
}

const pathOf = ({ series, period }: Pick<CachedFile, 'series' | 'period'>) =>
  `${ownerFolderName(series.connectionId)}/${filePath(series, period)}`

const codeOf = (thrown: unknown) =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown cause'

interface IssueBase {
  /** Path within the cache folder, with forward slashes. */
  path: string
  message: string
}

interface SeriesPeriod {
  series: OwnedSeries
  period: Period
}

/** A problem found by a verification of the cache. */
export type CacheIssue = IssueBase &
  (
    | ({ kind: 'gone' } & SeriesPeriod)
    | ({ kind: 'damaged'; fullPath: string } & SeriesPeriod)
    /** A valid file that is missing from the index. */
    | ({ kind: 'unlisted'; fullPath: string; validated: ValidatedFile; changedAtMs: number } & SeriesPeriod)
    /** A file that cannot be read, or a damaged one behind a link, which a repair must not move. */
    | { kind: 'unreachable' }
    /** The part file of a transfer that will not be resumed. */
    | ({ kind: 'leftover'; fullPath: string } & SeriesPeriod)
    | { kind: 'foreign' }
  )

type CacheIssueKind = CacheIssue['kind']

/** Tells whether issues of this kind mean a broken cache; issues of other kinds are harmless. */
export const isBroken = (kind: CacheIssueKind): boolean => !['unlisted', 'leftover', 'foreign'].includes(kind)

/** A file in the cache folder, whether it is in the index or not. */
type FileOnDisk =
  | { kind: 'data' | 'part'; fullPath: string; path: string; series: OwnedSeries; period: Period }
  /** A file whose name does not follow our scheme. */
  | { kind: 'foreign'; fullPath: string; path: string }

/** Yields all files folder by folder, so that memory holds only the names of one branch of the tree. */
async function* walkCache(root: string, onlyConnectionId?: string): AsyncGenerator<FileOnDisk[]> {
  const isWanted = (name: string) => onlyConnectionId === undefined || name === ownerFolderName(onlyConnectionId)

  async function* walk(folder: readonly string[]): AsyncGenerator<FileOnDisk[]> {
    const entries = await readdir(join(root, ...folder), { withFileTypes: true }).catch(() => [])
    const wantedEntries = entries.filter(
      (entry) => folder.length > 0 || (isWanted(entry.name) && entry.name !== OWN_FOLDER),
    )
    const files = wantedEntries.filter((entry) => !entry.isDirectory())
    if (files.length > 0) yield files.map(({ name }) => fileOnDisk(root, [...folder, name]))
    for (const { name } of wantedEntries.filter((entry) => entry.isDirectory())) yield* walk([...folder, name])
  }
  yield* walk([])
}

const partEnding = /(\.\d+)?\.part$/

function fileOnDisk(root: string, segments: readonly string[]): FileOnDisk {
  const fullPath = join(root, ...segments)
  const path = segments.join('/')
  const connectionId = ownerOfFolder(segments[0])
  const isPart = path.endsWith(PART_SUFFIX)
  // A process that computes a file puts its process id before the ending.
  const relative = segments.slice(1).join('/').replace(partEnding, '')
  const parsed = connectionId === null ? null : parseFilePath(relative)
  if (!parsed || connectionId === null) return { kind: 'foreign', fullPath, path }
  const series = { connectionId, ...parsed.series }
  return { kind: isPart ? 'part' : 'data', fullPath, path, series, period: parsed.period }
}
