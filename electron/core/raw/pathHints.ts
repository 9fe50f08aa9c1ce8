import { isRawDatasetId, rawDatasets, type RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { isSymbol, parseSymbol } from '#shared/catalog/symbols.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'

/** Hints about a file from its name and folders. */
interface PathHints {
  dataset: RawDatasetId | null
  exchange: string | null
  symbol: string | null
  period: Period | null
}

const symbolInText = /perpetual-[^\s/\\]+?-[^\s/\\:_-]+:[\p{L}\p{N}]+/u
const periodInText = /(?<!\d)\d{4}-\d{2}(-\d{2})?(?!\d)/g

/**
 * Reads hints from labels such as `symbol=`, from names, and from folders of venue, dataset and symbol in any order.
 * @param venues names of venues that a folder may have
 */
export function pathHints(path: string, venues: readonly string[]): PathHints {
  const parts = path.split(/[/\\]/).map(decodePart)
  const name = parts.at(-1) ?? ''
  const labelValue = (key: string) =>
    parts.findLast((part) => part.startsWith(`${key}=`))?.slice(key.length + 1) ?? null
  const dataset =
    labelValue('dataset') ??
    rawDatasets.find(({ id }) => hasWord(name, id))?.id ??
    parts.findLast(isRawDatasetId) ??
    null
  return {
    dataset: dataset !== null && isRawDatasetId(dataset) ? dataset : null,
    exchange: labelValue('exchange') ?? venueIn(parts, venues),
    symbol:
      labelValue('symbol') ?? symbolIn(parts) ?? folderBesides(parts, venues) ?? folderBelowDataset(parts, venues),
    period: name.match(periodInText)?.findLast((text) => periodDays(text) !== null) ?? null,
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

const hasWord = (text: string, word: string) =>
  new RegExp(`(?<![a-z])${word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![a-z])`, 'i').test(text)

/**
 * Finds the venue in the names of the file and its folders, the innermost first; a name that is a venue goes before one
 * that contains a venue. Null if none does.
 */
const venueIn = (parts: readonly string[], venues: readonly string[]) =>
  parts.findLast((part) => venues.includes(part)) ??
  parts.toReversed().flatMap((part) => venues.find((venue) => hasWord(part, venue)) ?? [])[0] ??
  null

function symbolIn(parts: readonly string[]): string | null {
  for (const part of parts.toReversed()) {
    const found = symbolInText.exec(part)?.[0]
    if (found && parseSymbol(found)) return found
  }
  return null
}

/** Of the three folders around a file, returns the one that is neither the venue nor the dataset; else null. */
function folderBesides(parts: readonly string[], venues: readonly string[]): string | null {
  const folders = parts.slice(-4, -1)
  const others = folders.filter((folder) => !venues.includes(folder) && !isRawDatasetId(folder))
  const hasBoth = folders.some((folder) => venues.includes(folder)) && folders.some(isRawDatasetId)
  return hasBoth && others.length === 1 && isSymbol(others[0]) ? others[0] : null
}

/** Returns the folder inside one that is named after a dataset, as in `venue/dataset/symbol/period.parquet`. */
function folderBelowDataset(parts: readonly string[], venues: readonly string[]): string | null {
  const at = parts.slice(0, -2).findLastIndex(isRawDatasetId)
  return at < 0 || venues.includes(parts[at + 1]) ? null : parts[at + 1]
}

const commonColumns = new Set(['exchange_timestamp', 'local_timestamp', 'local_timestamp_kind'])

/** Returns the columns of a dataset except those that all datasets have. */
const ownColumns = (id: RawDatasetId): string[] =>
  (rawDatasets.find((dataset) => dataset.id === id)?.columns ?? [])
    .map(({ name }) => name)
    .filter((name) => !commonColumns.has(name))

/** Returns the dataset with the largest share of its own columns among `columns`; null if no share exceeds one half. */
export function datasetOf(columns: readonly string[]): RawDatasetId | null {
  const share = (id: RawDatasetId) => {
    const ownNames = ownColumns(id)
    return ownNames.filter((name) => columns.includes(name)).length / ownNames.length
  }
  const [best] = rawDatasets.map(({ id }) => ({ id, share: share(id) })).toSorted((a, b) => b.share - a.share)
  return best.share > 0.5 ? best.id : null
}
