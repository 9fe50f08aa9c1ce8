import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import { type CacheFolder, linkedFolder, PART_SUFFIX } from '#core/store/cacheFolder.ts'
import type { CacheUse } from '#core/store/cacheUse.ts'
import type { ChangedTime, FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import {
  filePath,
  OWN_FOLDER,
  ownerFolderName,
  ownerOfFolder,
  periodOfFileName,
  seriesOfFolder,
} from '#core/store/partitions.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { Period } from '#shared/time/periods.ts'
import { plainPlural } from '#shared/units/plurals.ts'

export interface InspectDeps {
  files: FileStore
  cacheUse: CacheUse
  folder: CacheFolder
  nowMs: number
  validateAll(paths: readonly string[], signal: AbortSignal): Promise<(ValidatedFile | AppError)[]>
}

export interface InspectOptions {
  connectionId?: string
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** Files inspected at a time: enough to keep the processes busy, few enough that writing their rows blocks nothing. */
const FILES_PER_BATCH = 256
/** Small files that one message to a process names, because a message takes longer than validating a small file. */
const FILES_PER_MESSAGE = 64
/** Bytes from which a message names no further file, so that large files keep all processes busy. */
const BYTES_PER_MESSAGE = 4 * 2 ** 20
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
  const report = () => onProgress({ done, total, message: 'files checked' })
  report()
  yield* inspectAhead(indexedFiles(deps, options), async (page) => {
    const found = await inspectFiles(deps, page, signal)
    done += page.length
    report()
    return found
  })
}

function* indexedFiles({ files }: InspectDeps, { connectionId, signal }: InspectOptions): Generator<CachedFile[]> {
  let last: CachedFile | null = null
  for (;;) {
    signal.throwIfAborted()
    const page = files.page({ connectionId }, last, FILES_PER_BATCH)
    if (page.length === 0) return
    yield page
    last = page.at(-1) ?? null
  }
}

/** Yields the issues of each batch while the next one is inspected already, so that the processes never wait. */
async function* inspectAhead<Item>(
  batches: Iterable<Item[]> | AsyncIterable<Item[]>,
  inspect: (batch: Item[]) => Promise<CacheIssue[]>,
): AsyncGenerator<CacheIssue[]> {
  let running: Promise<CacheIssue[]> | null = null
  for await (const batch of batches) {
    const next = inspect(batch)
    // If the batch before it fails, nobody waits for this one.
    next.catch(() => {})
    if (running) yield await running
    running = next
  }
  if (running) yield await running
}

async function inspectFiles(
  deps: InspectDeps,
  listed: readonly CachedFile[],
  signal: AbortSignal,
): Promise<CacheIssue[]> {
  const issues = await issuesOf(deps, listed, signal)
  // Another process may have replaced or removed a file during the inspection.
  const checked = await Promise.all(
    issues.map(async (issue, index) => {
      if (!issue) return null
      const { series, period, sha256 } = listed[index]
      const current = deps.files.find(series, period)
      if (!current) return null
      const [currentIssue] = current.sha256 === sha256 ? [issue] : await issuesOf(deps, [current], signal)
      return spareLinkedFile(deps.folder, currentIssue)
    }),
  )
  return checked.filter((issue) => issue !== null)
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

/** Returns the issue of each file; null for a file without one. */
async function issuesOf(
  { files, folder, validateAll }: InspectDeps,
  listed: readonly CachedFile[],
  signal: AbortSignal,
): Promise<(CacheIssue | null)[]> {
  const places = listed.map(({ series, period }) => {
    const fullPath = folder.pathOf(series, period)
    return { path: pathOf({ series, period }), series, period, fullPath }
  })
  const found = await Promise.all(
    places.map(({ fullPath }) => stat(fullPath).catch((thrown: unknown) => codeOf(thrown))),
  )
  const isWhole = (index: number) => {
    const facts = found[index]
    return typeof facts === 'object' && facts.size === listed[index].sizeBytes
  }
  const validated = await validateInMessages(
    validateAll,
    listed.flatMap(({ sizeBytes }, index) => (isWhole(index) ? [{ path: places[index].fullPath, sizeBytes }] : [])),
    signal,
  )
  const sameContent: ChangedTime[] = []
  const issues = places.map((place, index): CacheIssue | null => {
    const facts = found[index]
    const { sizeBytes, sha256, changedAtMs } = listed[index]
    if (facts === 'ENOENT' || facts === 'ENOTDIR') return { kind: 'gone', ...place, message: 'The file is missing.' }
    if (typeof facts === 'string')
      return { kind: 'unreachable', ...place, message: `It cannot be inspected (${facts}).` }
    if (facts.size !== sizeBytes)
      return {
        kind: 'damaged',
        ...place,
        message: `It has ${plainPlural(facts.size, 'byte')} instead of ${sizeBytes}.`,
      }
    const result = validated.get(place.fullPath)
    if (typeof result === 'string') return { kind: 'damaged', ...place, message: result }
    if (!result) return { kind: 'unreachable', ...place, message: 'It cannot be read.' }
    if (result.sha256 !== sha256)
      return { kind: 'damaged', ...place, message: 'Its content differs from what was downloaded.' }
    if (facts.mtimeMs !== changedAtMs) sameContent.push({ ...place, changedAtMs: facts.mtimeMs })
    return null
  })
  // After a copy of the folder, no later read need validate the files once more.
  files.noteTimes(sameContent)
  return issues
}

async function* inspectDisk(deps: InspectDeps, options: InspectOptions): AsyncGenerator<CacheIssue[]> {
  const { connectionId, signal, onProgress } = options
  const expected = deps.files.totals({ connectionId }).files
  let done = 0
  const report = (files: number) => {
    done += files
    onProgress({ done, total: Math.max(done, expected), message: 'files searched' })
  }
  yield* inspectAhead(unlistedFiles(deps, options, report), async (batch) => {
    const issues = await inspectFound(deps, batch, signal)
    report(batch.length)
    return issues
  })
}

/** Yields the files on disk that the index does not list, in batches; reports the number of the others. */
async function* unlistedFiles(
  { folder, files }: InspectDeps,
  { connectionId, signal }: InspectOptions,
  report: (files: number) => void,
): AsyncGenerator<FileOnDisk[]> {
  let batch: FileOnDisk[] = []
  for await (const found of walkCache(folder.root, connectionId)) {
    signal.throwIfAborted()
    // The files of a folder are of one series, so one query answers for all of them.
    const known = found.find((file): file is FileOfSeries => file.kind === 'data')
    const listed = known ? files.periods(known.series) : new Set()
    const unlisted = found.filter((file) => !(file.kind === 'data' && listed.has(file.period)))
    report(found.length - unlisted.length)
    batch.push(...unlisted)
    for (; batch.length >= FILES_PER_BATCH; batch = batch.slice(FILES_PER_BATCH)) yield batch.slice(0, FILES_PER_BATCH)
  }
  if (batch.length > 0) yield batch
}

/** Returns the issues of files on disk that the index did not list when the search came to their folders. */
async function inspectFound(
  deps: InspectDeps,
  found: readonly FileOnDisk[],
  signal: AbortSignal,
): Promise<CacheIssue[]> {
  const issues: CacheIssue[] = []
  const toValidate: (FileOfSeries & { sizeBytes: number; changedAtMs: number })[] = []
  const inspectOne = async (file: FileOnDisk): Promise<void> => {
    const { path, fullPath } = file
    if (file.kind === 'foreign')
      return void issues.push({ kind: 'foreign', path, message: 'Perpscope did not write this file.' })
    const { series, period } = file
    if (deps.cacheUse.isAwaited(series, period)) return
    const facts = await stat(fullPath).catch(() => null)
    if (!facts) return
    if (file.kind === 'data')
      return void toValidate.push({ ...file, sizeBytes: facts.size, changedAtMs: facts.mtimeMs })
    if (deps.nowMs - facts.mtimeMs < LEFTOVER_AFTER_MS) return
    const message = `An unfinished transfer left ${plainPlural(facts.size, 'byte')} here, and no download needs them.`
    issues.push({ kind: 'leftover', path, fullPath, series, period, message })
  }
  await Promise.all(found.map(inspectOne))
  const validated = await validateInMessages(
    deps.validateAll,
    toValidate.map(({ fullPath, sizeBytes }) => ({ path: fullPath, sizeBytes })),
    signal,
  )
  for (const { path, fullPath, series, period, changedAtMs } of toValidate) {
    const result = validated.get(fullPath)
    const place = { path, fullPath, series, period }
    if (!result) issues.push({ kind: 'unreachable', path, message: 'It cannot be read.' })
    else if (typeof result === 'string') issues.push({ kind: 'damaged', ...place, message: result })
    else if (!deps.files.find(series, period))
      issues.push({
        kind: 'unlisted',
        ...place,
        validated: result,
        changedAtMs,
        message: 'This whole file was not in the index.',
      })
  }
  return issues
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

/**
 * Validates files, several small ones with a message. Returns the facts of each path, or a text that says what is wrong;
 * null if the file could not be read.
 */
async function validateInMessages(
  validateAll: InspectDeps['validateAll'],
  files: readonly { path: string; sizeBytes: number }[],
  signal: AbortSignal,
): Promise<Map<string, ValidatedFile | string | null>> {
  const messages: string[][] = []
  let bytes = Infinity
  for (const { path, sizeBytes } of files) {
    if (bytes >= BYTES_PER_MESSAGE || messages[messages.length - 1].length === FILES_PER_MESSAGE) {
      messages.push([])
      bytes = 0
    }
    messages[messages.length - 1].push(path)
    bytes += sizeBytes
  }
  const results = await Promise.all(messages.map((paths) => validateAll(paths, signal)))
  const found = results.flat()
  return new Map(messages.flat().map((path, index) => [path, verdictOf(path, found[index])]))
}

function verdictOf(path: string, result: ValidatedFile | AppError): ValidatedFile | string | null {
  if (!(result instanceof AppError)) return result
  if (result.code !== 'corrupt-file') return null
  const message = (result.detail ?? result.sentence).replace(`${path}: `, '')
  return message.charAt(0).toUpperCase() + message.slice(1)
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

interface FileOfSeries {
  kind: 'data' | 'part'
  fullPath: string
  path: string
  series: OwnedSeries
  period: Period
}

/** A file in the cache folder, whether it is in the index or not. */
type FileOnDisk =
  | FileOfSeries
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
    if (files.length > 0)
      yield filesOnDisk(
        root,
        folder,
        files.map(({ name }) => name),
      )
    for (const { name } of wantedEntries.filter((entry) => entry.isDirectory())) yield* walk([...folder, name])
  }
  yield* walk([])
}

const partEnding = /(\.\d+)?\.part$/

/** Tells what the files of a folder are; the path of the folder names their series. */
function filesOnDisk(root: string, folder: readonly string[], names: readonly string[]): FileOnDisk[] {
  const owner = folder.length === 0 ? null : ownerOfFolder(folder[0])
  const series = owner === null ? null : seriesOfFolder(folder.slice(1).join('/'))
  const path = folder.map((segment) => `${segment}/`).join('')
  return names.map((name) => {
    const place = { fullPath: join(root, ...folder, name), path: path + name }
    // A process that computes a file puts its process id before the ending.
    const period = periodOfFileName(name.replace(partEnding, ''))
    if (owner === null || series === null || period === null) return { kind: 'foreign', ...place }
    const kind = name.endsWith(PART_SUFFIX) ? 'part' : 'data'
    return { kind, ...place, series: { connectionId: owner, ...series }, period }
  })
}
