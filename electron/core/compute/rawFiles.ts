import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { AppError } from '#shared/contract/errors.ts'
import { periodFilePattern } from '#shared/engines/periodFile.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'

/** One raw-event file; days since the epoch, end excluded. */
export interface RawFile {
  path: string
  startDay: number
  endDay: number
}

const periodFile = new RegExp(periodFilePattern)

/** Returns the days of a raw file by its name, end excluded; null if the name has no period. */
export const daysOfFile = (name: string): ReturnType<typeof periodDays> =>
  periodFile.test(name) ? periodDays(name.slice(0, name.indexOf('.'))) : null

/** Finds the files of a raw dataset, in order of their periods. */
export type FindRawFiles = (dataset: RawDatasetId) => RawFile[]

/** Wraps a finder so that it searches once per dataset. It does not notice files that are added or removed later. */
export function oncePerDataset(find: FindRawFiles): FindRawFiles {
  const filesByDataset = new Map<RawDatasetId, RawFile[]>()
  return (dataset) => {
    const files = filesByDataset.get(dataset) ?? find(dataset)
    filesByDataset.set(dataset, files)
    return files
  }
}

/**
 * Returns a finder of the files of one instrument in a folder laid out as
 * `dataset=…/exchange=…/symbol=…/<period>.parquet`.
 */
export function rawFileFinder(folder: string, exchange: string, symbol: string): FindRawFiles {
  return (dataset) => {
    const seriesFolder = join(folder, `dataset=${dataset}`, `exchange=${exchange}`, `symbol=${encodeSymbol(symbol)}`)
    return inPeriodOrder(namesIn(seriesFolder).flatMap((name) => rawFile(seriesFolder, name)))
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissingPath(error)) return []
    throw new AppError('not-found', `${folder} cannot be read.`, { cause: error })
  }
}

const isMissingPath = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

function rawFile(folder: string, name: string): RawFile[] {
  const days = daysOfFile(name)
  return days ? [{ path: join(folder, name), startDay: days.start, endDay: days.end }] : []
}

/**
 * Sorts files by period, oldest first; throws if two files cover the same day, because its events would count twice.
 */
export function inPeriodOrder<File extends RawFile>(files: File[]): File[] {
  const sorted = files.toSorted((a, b) => a.startDay - b.startDay || a.endDay - b.endDay)
  for (const [i, file] of sorted.entries()) {
    const previous = sorted[i - 1]
    if (previous && previous.endDay > file.startDay) {
      const day = dayFromNumber(file.startDay)
      throw new AppError('conflict', `${previous.path} and ${file.path} both contain ${day}; keep one of them.`)
    }
  }
  return sorted
}

/** Returns the days from `startDay` to `endDay` (excluded) that no file covers, as ranges. */
export function missingDays(files: readonly RawFile[], startDay: number, endDay: number): string[] {
  const dayRanges: string[] = []
  const note = (from: number, to: number) => {
    if (from >= to) return
    const last = dayFromNumber(to - 1)
    dayRanges.push(to - from === 1 ? last : `${dayFromNumber(from)} to ${last}`)
  }
  let coveredUntil = startDay
  for (const file of files) {
    if (file.endDay <= coveredUntil || file.startDay >= endDay) continue
    note(coveredUntil, file.startDay)
    coveredUntil = file.endDay
  }
  note(coveredUntil, endDay)
  return dayRanges
}

/** Range of days that includes every file. */
const ALL_DAYS = { start: 0, end: 1_000_000 }

export interface RawInstrument {
  connectionId: string
  exchange: string
  symbol: string
}

/** Returns a finder of the cached raw-event files of one instrument. */
export function cachedRawFileFinder(files: FileStore, folder: CacheFolder, instrument: RawInstrument): FindRawFiles {
  return (dataset) =>
    inPeriodOrder(
      nonOverlappingRawFiles(files, instrument, dataset).map(({ series, period, startDay, endDay }) => ({
        path: folder.pathOf(series, period),
        startDay,
        endDay,
      })),
    )
}

/** Returns the files whose events count, without daily files of a month that is cached as one file. */
export function nonOverlappingRawFiles(files: FileStore, instrument: RawInstrument, dataset: string): CachedFile[] {
  const { connectionId, exchange, symbol } = instrument
  const series = { connectionId, exchange, symbol, kind: 'raw' as const, dataset, interval: '', timestamp: '' }
  const cachedFiles = files.ofSeries(series, ALL_DAYS.start, ALL_DAYS.end)
  const months = cachedFiles.filter(isMonth)
  const isInside = (file: CachedFile) =>
    !isMonth(file) && months.some(({ startDay, endDay }) => startDay <= file.startDay && file.endDay <= endDay)
  return cachedFiles.filter((file) => !isInside(file))
}

const isMonth = ({ startDay, endDay }: CachedFile) => endDay - startDay > 1
