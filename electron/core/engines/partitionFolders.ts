import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { isTimestampSource, type TimestampSource } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isSymbol } from '#shared/catalog/symbols.ts'
import { venueName } from '#shared/contract/venueShape.ts'
import { AppError } from '#shared/contract/errors.ts'
import { codeOf, unopenedText } from '#shared/units/fileKind.ts'
import { parseInterval } from '#shared/time.ts'

/** A series of files that an engine wrote, identified by its folder names. */
export interface ComputedSeriesName {
  dataset: MetricDatasetId
  exchange: string
  symbol: string
  interval: string
  timestamp: TimestampSource
}

export interface FoundSeries extends ComputedSeriesName {
  /** Paths of the Parquet files. */
  parts: string[]
}

/** A file or folder that cannot be imported, with the reason. */
interface FolderProblem {
  path: string
  reason: string
}

export interface ComputedFolder {
  series: FoundSeries[]
  problems: FolderProblem[]
}

const MOST_FILES = 50_000

/** Folders of a job that is still running or that crashed. */
const jobFolderPattern = /^(_temporary|\.spark-staging|\.hive-staging)/
/** Names of files that are unfinished or still being written. */
const unfinishedFilePattern = /\.(inprogress|tmp|temp|part|partial|crdownload|filepart)$|\._COPYING_$/i

/**
 * Finds the Parquet files below a folder in the Hive layout `dataset=/exchange=/symbol=/interval=/timestamp=`. The
 * names of the folders above that folder count too, so that a single dataset can be imported. Hidden files and folders
 * are skipped, except those of unfinished work, which are problems.
 */
export async function findComputedSeries(folder: string, signal: AbortSignal): Promise<ComputedFolder> {
  const found: ComputedFolder = { series: [], problems: [] }
  const seriesByName = new Map<string, FoundSeries>()
  let files = 0
  const visit = async (path: string): Promise<void> => {
    for (const entry of await entriesOf(path)) {
      signal.throwIfAborted()
      const entryPath = join(path, entry.name)
      const problem = entryProblem(entry)
      if (problem) found.problems.push({ path: entryPath, reason: problem })
      else if (/^[._]/.test(entry.name)) continue
      else if (entry.isDirectory()) await visit(entryPath)
      else if (entry.isFile() && entry.name.endsWith('.parquet')) {
        if (++files > MOST_FILES)
          throw new AppError(
            'too-large',
            `${folder} contains more than ${MOST_FILES} Parquet files; import it in parts.`,
          )
        addPart(entryPath)
      }
    }
  }
  function addPart(path: string): void {
    const name = seriesName(dirname(path))
    if (typeof name === 'string') {
      found.problems.push({ path, reason: name })
      return
    }
    const key = Object.values(name).join('\n')
    const series = seriesByName.get(key) ?? { ...name, parts: [] }
    if (!seriesByName.has(key)) found.series.push(series)
    seriesByName.set(key, series)
    series.parts.push(path)
  }
  await visit(resolve(folder))
  return found
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError('not-found', unopenedText(folder, codeOf(cause)), { cause })
  })
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function entryProblem(entry: Dirent): string | null {
  if (entry.isDirectory() && jobFolderPattern.test(entry.name)) return 'a job is still writing here, or ended early'
  if (entry.isFile()) return unfinishedFilePattern.test(entry.name) ? 'the file is incomplete' : null
  return !entry.isDirectory() && entry.name.endsWith('.parquet') ? 'it is a link, a pipe or a device, not a file' : null
}

/**
 * Tells whether a problem concerns a file: it is about that file, or about anything in its folder or a parent folder.
 */
export const concerns = (problem: FolderProblem, path: string): boolean =>
  problem.path === path || path.startsWith(dirname(problem.path) + sep)

const keys = ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] as const

/** Returns the series that the folders of a path name, or the reason why they name none. */
function seriesName(folder: string): ComputedSeriesName | string {
  const valueByKey = new Map<string, string>()
  for (const segment of folder.split(/[\\/]/)) {
    const separator = segment.indexOf('=')
    if (separator > 0) valueByKey.set(segment.slice(0, separator), segment.slice(separator + 1))
  }
  const missing = keys.find((key) => !valueByKey.has(key))
  if (missing) return `no folder above it is named ${missing}=…`
  const valueOf = <Value extends string>(key: string, isValid: (text: string) => text is Value): Value | undefined =>
    possibleDecodings(valueByKey.get(key) ?? '').find(isValid)
  const dataset = valueOf('dataset', isMetricDatasetId)
  if (!dataset) return `“${valueByKey.get('dataset')}” is not a metric dataset`
  const exchange = valueOf('exchange', isVenueName)
  if (!exchange) return `“${valueByKey.get('exchange')}” is not the name of a venue`
  const symbol = valueOf('symbol', isKnownSymbol)
  if (!symbol) return `“${valueByKey.get('symbol')}” is not the name of a symbol`
  const interval = valueOf('interval', isIntervalName)
  if (!interval) return `“${valueByKey.get('interval')}” does not divide a day`
  const timestamp = valueOf('timestamp', isTimestampSource)
  return timestamp
    ? { dataset, exchange, symbol, interval, timestamp }
    : `“${valueByKey.get('timestamp')}” is not a timestamp source: write exchange or true`
}

/**
 * Tells whether a text is a symbol. A question mark replaces a character that some system could not encode, so the
 * symbol is unknown.
 */
const isKnownSymbol = (text: string): text is string => isSymbol(text) && !/[?\uFFFD]/.test(text)
/** Tells whether a text may be a venue; names of venues are data, so any word is one. */
const isVenueName = (text: string): text is string => venueName.safeParse(text).success && !/[?\uFFFD]/.test(text)
const isIntervalName = (text: string): text is string => parseInterval(text) !== null

/**
 * Lists possible readings of a folder's value, the likeliest first. Spark encodes an encoded value again, and both
 * Spark and Java may misread UTF-8 bytes as Latin-1 characters.
 */
function possibleDecodings(value: string): string[] {
  const decodedOnce = decodePercent(value)
  return [decodePercent(decodedOnce), decodedOnce, value].flatMap((text) => [fromMojibake(text) ?? text, text])
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Bytes by their character in Windows-1252, which differs from Latin-1 in 27 characters. */
const byteByCharacter = new Map(
  Array.from({ length: 256 }, (_, byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
)

/** Restores a text whose UTF-8 bytes were each read as one character; null if the text is not of that kind. */
function fromMojibake(text: string): string | null {
  const bytes = Array.from(text, (letter) => {
    const code = letter.codePointAt(0)!
    return code < 256 ? code : (byteByCharacter.get(letter) ?? -1)
  })
  if (bytes.includes(-1) || bytes.every((byte) => byte < 128)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}

export const partitionPart = (folder: string, path: string): string => {
  const root = resolve(folder)
  return path.startsWith(root + sep) ? path.slice(root.length + 1).replaceAll(sep, '/') : basename(path)
}
