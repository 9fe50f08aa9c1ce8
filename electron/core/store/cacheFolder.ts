import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { isThere, mendFilesPlace } from './filesPlace.ts'
import { fileName, periodOfName, seriesFolder } from './partitions.ts'
import type { OwnedSeries } from './seriesIndex.ts'
import { storeError } from './storeErrors.ts'

/**
 * The cache folder holds the cached files: one folder per connection in the data folder, with the partitions inside.
 */
export interface CacheFolder {
  root: string
  pathOf(series: OwnedSeries, period: Period): string
  /** Path of the summary of a file's content; raw events have one for each clock. */
  summaryPathOf(sha256: string, timestamp: 'exchange' | 'true'): string
  /** Bytes of the file that is there, whatever the index says; null where there is none. */
  sizeOf(series: OwnedSeries, period: Period): number | null
  /** Lists the periods of the files on disk, whatever the index says. */
  periodsOf(series: OwnedSeries): Set<Period>
}

export const FILES_FOLDER = 'files'
export const SUMMARIES_FOLDER = 'summaries'
export const PART = '.part'
const FOLDERS_REMEMBERED = 10_000

export function openCacheFolder(dataDir: string): CacheFolder {
  const root = join(dataDir, FILES_FOLDER)
  try {
    mendFilesPlace(dataDir)
    // A link to a disk that is away stays: the files are there again when it is.
    if (!isThere(root)) mkdirSync(root, { recursive: true, mode: 0o700 })
  } catch (thrown) {
    throw storeError(thrown, dataDir)
  }
  /** Asked for several times with every file. */
  const folders = new Map<string, string>()
  function folderOf(series: OwnedSeries): string {
    const key = Object.values(series).join('\n')
    let folder = folders.get(key)
    if (folder === undefined) {
      folder = join(root, encodeURIComponent(series.connectionId), seriesFolder(series))
      if (folders.size >= FOLDERS_REMEMBERED) folders.clear()
      folders.set(key, folder)
    }
    return folder
  }
  const pathOf = (series: OwnedSeries, period: Period) => folderOf(series) + sep + fileName(period)
  return {
    root,
    pathOf,
    summaryPathOf: (sha256, timestamp) => join(dataDir, SUMMARIES_FOLDER, sha256.slice(0, 2), `${sha256}.${timestamp}`),
    sizeOf: (series, period) => statSync(pathOf(series, period), { throwIfNoEntry: false })?.size ?? null,
    periodsOf: (series) => new Set(namesIn(folderOf(series), root).map(periodOfName)),
  }
}

function namesIn(folder: string, root: string): string[] {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw storeError(thrown, root)
  }
}

/** Makes the folder for a file, never the data folder itself: that one gone means a disk that is not there. */
export function makeFolderFor(path: string, root: string): void {
  if (!existsSync(root)) throw new AppError('read-only', `The folder is gone: ${root}`)
  mkdirSync(dirname(path), { recursive: true })
}
