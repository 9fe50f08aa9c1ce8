import { join } from 'node:path'
import { type CacheFolder, QUARANTINE_FOLDER, removeFile, setFileAside } from '#core/store/cacheFolder.ts'
import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { CacheReport } from '#shared/contract/areas/cache.ts'
import { isComputedOwner } from '#shared/contract/computedOwner.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { periodDays } from '#shared/time/periods.ts'
import { type CacheIssue, inspectCache, type InspectDeps, type InspectOptions, isBroken } from './inspectCache.ts'

/** Number of problems listed in the report; further ones are only counted. */
const MOST_LISTED_PROBLEMS = 1000

export interface VerifyOptions {
  repair: boolean
  /** True to read every value, not only the times and the checksum. */
  deep?: boolean
}

/** Verifies the cache, takes in whole files that the index lacks, and on request repairs it at the same time. */
export async function verifyCache(
  deps: InspectDeps & RepairDeps,
  options: InspectOptions & VerifyOptions,
): Promise<CacheReport> {
  const { connectionId, repair } = options
  const { files, sizeBytes } = deps.files.totals({ connectionId })
  const report: CacheReport = {
    files,
    sizeBytes,
    broken: 0,
    repaired: 0,
    harmless: 0,
    takenIn: 0,
    problems: [],
    more: 0,
  }
  for await (const issues of inspectCache(deps, options)) {
    // A whole file without a row is what a kill between the two leaves: nothing is wrong with it, so any check takes it in.
    await repairIssues(deps, repair ? issues : issues.filter(({ kind }) => kind === 'unlisted'))
    for (const issue of issues) {
      const { kind, path, message } = issue
      const remedy = remedyByKind[kind]
      if (issue.kind === 'unlisted') countTakenIn(report, issue.validated)
      else if (isBroken(kind)) report.broken++
      else report.harmless++
      if (repair && isBroken(kind) && remedy !== null) report.repaired++
      if (report.problems.length < MOST_LISTED_PROBLEMS) report.problems.push({ kind, path, message, remedy })
      else report.more++
    }
  }
  return report
}

/** A file that was taken in was checked too, so that a cache without an index is not one of “0 files”. */
function countTakenIn(report: CacheReport, { sizeBytes }: ValidatedFile): void {
  report.takenIn++
  report.files++
  report.sizeBytes += sizeBytes
}

interface RepairDeps {
  files: FileStore
  parts: PartStore
  dataDir: string
}

/** The remedy for each kind of issue; null if nothing can or should be done. */
const remedyByKind: Record<CacheIssue['kind'], string | null> = {
  gone: 'remove it from the index',
  damaged: 'move it to the quarantine folder and remove it from the index',
  unlisted: 'added to the index',
  unreachable: null,
  leftover: 'delete it',
  foreign: null,
}

/**
 * Repairs issues. A file is moved out of the cache folder before its row is deleted, so a crash in between leaves a row
 * without a file, which the next verification finds.
 */
async function repairIssues(
  { files, parts, folder, dataDir }: RepairDeps & Pick<InspectDeps, 'folder'>,
  issues: readonly CacheIssue[],
): Promise<void> {
  for (const issue of issues) {
    if (issue.kind === 'leftover') {
      parts.forget([issue])
      await removeFile(issue.fullPath, folder.root)
    }
    if (issue.kind === 'damaged') await setFileAside(issue.fullPath, join(dataDir, QUARANTINE_FOLDER), issue.path)
  }
  const issuesToAdopt = issues.filter((issue) => issue.kind === 'unlisted')
  if (issuesToAdopt.length > 0)
    files.record(
      issuesToAdopt.map((each) => ({ file: adoptedFile(each), facts: each.validated.facts, arrivedAtMs: null })),
    )
  const issuesToForget = issues.filter((issue) => issue.kind === 'gone' || issue.kind === 'damaged')
  if (issuesToForget.length > 0) files.forget(issuesToForget)
}

/**
 * Creates the index row of a file that has none. The download time is taken from the file's modification time. The file
 * counts as final if it was written after its period and, for metrics, its rows reach the period's end; otherwise it is
 * partial and gets refreshed like other partial files.
 */
function adoptedFile({
  series,
  period,
  validated,
  changedAtMs,
}: Extract<CacheIssue, { kind: 'unlisted' }>): CachedFile {
  const { start, end } = periodDays(period)!
  const endMs = end * MS_PER_DAY
  const { lastTimeMs, stepMs } = validated.facts
  const reachesEnd = series.kind === 'raw' || (lastTimeMs !== null && lastTimeMs + (stepMs ?? 0) >= endMs)
  return {
    series,
    period,
    startDay: start,
    endDay: end,
    state: changedAtMs >= endMs && reachesEnd ? 'final' : 'partial',
    origin: originOf(series),
    sizeBytes: validated.sizeBytes,
    sha256: validated.sha256,
    etag: null,
    fetchedAtMs: Math.round(changedAtMs),
    usedAtMs: Math.round(changedAtMs),
    pinned: false,
    changedUpstreamAtMs: null,
  }
}

/**
 * Chooses the origin of a file that the index lacks: raw events count as imported, files with the owner of computed
 * files as computed, and all others as downloaded from the service.
 */
function originOf({ kind, connectionId }: CachedFile['series']): CachedFile['origin'] {
  if (kind === 'raw') return 'import'
  return isComputedOwner(connectionId) ? 'computed' : 'service'
}

export interface CheckOldFilesDeps {
  files: Pick<FileStore, 'unchecked' | 'recordChecked'>
  folder: CacheFolder
  validate(path: string, signal: AbortSignal, deep: boolean): Promise<ValidatedFile>
  /** Reports a file whose values contradict what it states about them, or that is damaged otherwise. */
  onDamaged(path: string, message: string): void
}

const FILES_PER_PAGE = 64

/**
 * Compares the values of the files that came in before this was done with their statistics, one file at a time, so that
 * other work is not held up. Until then SQL reads them without their statistics.
 */
export async function checkOldFiles(deps: CheckOldFilesDeps, signal: AbortSignal): Promise<void> {
  for (let after: CachedFile | null = null; ;) {
    const page: CachedFile[] = deps.files.unchecked(after, FILES_PER_PAGE)
    const last = page.at(-1)
    if (last === undefined) return
    for (const file of page) {
      if (signal.aborted) return
      await checkFile(deps, file, signal)
    }
    after = last
  }
}

async function checkFile(
  { files, folder, validate, onDamaged }: CheckOldFilesDeps,
  file: CachedFile,
  signal: AbortSignal,
): Promise<void> {
  const path = folder.pathOf(file.series, file.period)
  try {
    const { sha256, facts } = await validate(path, signal, true)
    // A file that another program has changed is validated when it is read.
    if (sha256 === file.sha256 && facts.doubtfulColumns) files.recordChecked(file, facts.doubtfulColumns)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.code !== 'corrupt-file') return
    files.recordChecked(file, null)
    onDamaged(path, error.detail ?? error.sentence)
  }
}
