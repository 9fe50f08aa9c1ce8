import { join } from 'node:path'
import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { AppError } from '#shared/contract/errors.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'

/** Folder of the user's own datasets, beside the folders of the owners of series. */
export const OWN_FOLDER = 'own'
/** Folder of all cached files, in the data folder. */
export const FILES_FOLDER = 'files'

/** Name of the file with the rows of an own dataset in a month, which changes with its content. */
export const partFileName = (sha256: string): string => `${sha256.slice(0, 32)}.parquet`
export const monthFolder = (month: string): string => `month=${month}`

/** Returns the path of the rows of an own dataset in a month, below the folder of all cached files. */
export const ownPartPath = (
  root: string,
  name: string,
  { month, sha256, path }: { month: string; sha256: string; path?: string | undefined },
): string => path ?? join(root, OWN_FOLDER, name, monthFolder(month), partFileName(sha256))

const MOST_NAME_LENGTH = 200

const percentEncoded = (character: string) =>
  [...new TextEncoder().encode(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('')

/**
 * Encodes a value as a folder name that is valid on every system, in the percent encoding that readers of Hive
 * partitions decode. In the names of a series, letters of one case are encoded too (lower case in symbols, upper case
 * in the others), because two symbols that differ only in case would share a folder on Windows and macOS.
 */
function encodeValue(value: string, special: RegExp): string {
  const encoded = value.replace(special, percentEncoded)
  // A name that consists of dots would mean a different folder, and Windows drops a trailing dot.
  const safe = encoded.replace(/\.$/, '%2E')
  if (safe === '' || safe.length > MOST_NAME_LENGTH)
    throw new AppError('bad-input', `“${value.slice(0, 60)}” cannot be the name of a folder`)
  return safe
}

const SYMBOL_PREFIX = 'perpetual-'

function encodeSymbol(symbol: string): string {
  const prefix = symbol.startsWith(SYMBOL_PREFIX) ? SYMBOL_PREFIX : ''
  return prefix + encodeValue(symbol.slice(prefix.length), /[^A-Z0-9._-]/gu)
}

const encodeName = (value: string) => encodeValue(value, /[^a-z0-9._-]/gu)

/** Returns a safe folder name for any owner, which is a connection or a connection's computed series. */
export const ownerFolderName = (owner: string): string => encodeValue(owner, /[^\w.~-]/gu)

/** Reads the owner from a folder name built by `ownerFolderName`; null for any other name. */
export function ownerOfFolder(name: string): string | null {
  const owner = tryDecode(name)
  return owner !== '' && ownerFolderName(owner) === name ? owner : null
}

/** Returns the folder of a series, relative to the folder of its owner, with forward slashes. */
export function seriesFolder({ kind, dataset, exchange, symbol, interval, timestamp }: SeriesKey): string {
  const parts = [
    kind,
    `dataset=${encodeName(dataset)}`,
    `exchange=${encodeName(exchange)}`,
    `symbol=${encodeSymbol(symbol)}`,
  ]
  if (kind === 'metrics') parts.push(`interval=${encodeName(interval)}`, `timestamp=${encodeName(timestamp)}`)
  return parts.join('/')
}

export function fileName(period: Period): string {
  if (periodDays(period) === null) throw new AppError('bad-input', `“${period.slice(0, 20)}” is not a period`)
  return `${period}.parquet`
}

/** Returns the period in a name built by `fileName`. */
export const periodOfName = (name: string): Period => name.replace(/\.parquet$/, '')

export const filePath = (series: SeriesKey, period: Period): string => `${seriesFolder(series)}/${fileName(period)}`

/** Parses the path of a file found on disk, relative to its owner's folder; null if it does not follow our scheme. */
export function parseFilePath(path: string): { series: SeriesKey; period: Period } | null {
  const nameStart = path.lastIndexOf('/') + 1
  const series = seriesOfFolder(path.slice(0, Math.max(0, nameStart - 1)))
  const period = periodOfFileName(path.slice(nameStart))
  return series && period !== null ? { series, period } : null
}

/** Parses the folder of a series, relative to its owner's folder; null for any other folder. */
export function seriesOfFolder(folder: string): SeriesKey | null {
  const parts = folder.split('/')
  const kind = parts[0]
  if (kind !== 'metrics' && kind !== 'raw') return null
  const keys =
    kind === 'metrics' ? ['dataset', 'exchange', 'symbol', 'interval', 'timestamp'] : ['dataset', 'exchange', 'symbol']
  if (parts.length !== keys.length + 1) return null
  const values: Record<string, string> = { interval: '', timestamp: '' }
  for (const [index, key] of keys.entries()) {
    const part = parts[index + 1]
    if (!part.startsWith(`${key}=`)) return null
    values[key] = tryDecode(part.slice(key.length + 1))
  }
  const series = { kind, ...values } as unknown as SeriesKey
  return tryFolder(series) === folder ? series : null
}

/** Returns the period of a file that is named as `fileName` names it; null for any other name. */
export function periodOfFileName(name: string): Period | null {
  const period = periodOfName(name)
  return periodDays(period) !== null && fileName(period) === name ? period : null
}

/** Decodes percent-encoding; returns an empty text if that fails, so that no path is built from it. */
function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function tryFolder(series: SeriesKey): string | null {
  try {
    return seriesFolder(series)
  } catch {
    return null
  }
}
