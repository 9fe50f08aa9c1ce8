import type { SeriesKey } from '#shared/catalog/seriesKey.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'
import { abortable } from '#core/abortable.ts'
import { seriesFolder } from '#core/store/partitions.ts'
import type { StoredObject, StoreFiles } from './storeFiles.ts'
import { type Manifest, parseContentName, readManifests } from './storeManifest.ts'

/** A file of a store that may be the one looked for; only reading it shows whether it is valid. */
export interface StoreCopy {
  path: string
  sizeBytes: number
  /** SHA-256 of the content, or its first digits; null if the store does not state it. */
  sha256: string | null
}

/** Finds files in a store. */
export interface StoreCatalog {
  /** Returns the files of a period, the most trustworthy first. */
  find(series: SeriesKey, period: Period, signal: AbortSignal): Promise<StoreCopy[]>
}

/** The objects and manifests in the folder of a series. */
interface Folder {
  path: string
  objects: ReadonlyMap<string, StoredObject>
  manifests: readonly Manifest[]
}

interface Listing {
  atMs: number
  folder: Promise<Folder>
  /** Number of jobs that wait for the listing. */
  waitingJobs: number
  controller: AbortController
}

/** Lifetime of a listing, since consecutive jobs are often for the same series. */
const LISTING_LIFETIME_MS = 30_000
const MOST_LISTINGS = 200

/** Returns the folder of a series in a store; the path leaves out the kind, as in an export. */
export const storeFolder = (series: SeriesKey) => seriesFolder(series).slice(series.kind.length + 1)

export function createStoreCatalog(files: StoreFiles, nowMs: () => number): StoreCatalog {
  const listings = new Map<string, Listing>()

  async function readFolder(path: string, signal: AbortSignal): Promise<Folder> {
    const listed = await files.list(path, signal)
    const manifests = await readManifests(files, path, listed, signal)
    return { path, objects: new Map(listed.map((object) => [object.name, object])), manifests }
  }

  function startListing(path: string): Listing {
    const controller = new AbortController()
    const listing: Listing = { atMs: nowMs(), folder: readFolder(path, controller.signal), waitingJobs: 0, controller }
    listings.delete(path)
    listings.set(path, listing)
    listing.folder.catch(() => listings.get(path) === listing && listings.delete(path))
    if (listings.size > MOST_LISTINGS) listings.delete(listings.keys().next().value!)
    return listing
  }

  async function folderOf(path: string, signal: AbortSignal): Promise<Folder> {
    const found = listings.get(path)
    const ageMs = found ? nowMs() - found.atMs : Infinity
    const isUsable = found && ageMs >= 0 && ageMs < LISTING_LIFETIME_MS && !found.controller.signal.aborted
    const listing = isUsable ? found : startListing(path)
    listing.waitingJobs++
    try {
      return await abortable(listing.folder, signal)
    } finally {
      // Jobs share a listing: a cancelled job stops waiting, and the last one to do so cancels the listing.
      if (--listing.waitingJobs === 0 && signal.aborted) listing.controller.abort()
    }
  }

  return {
    async find(series, period, signal) {
      const copies: StoreCopy[] = []
      for (const path of possibleFolders(series)) copies.push(...copiesIn(await folderOf(path, signal), period))
      return copies
    },
  }
}

/**
 * Lists the folders where a store may have a series: the store may be an export, or a connection's cache folder, whose
 * paths begin with the kind.
 */
function possibleFolders(series: SeriesKey): string[] {
  const ourFolder = storeFolder(series)
  // Other programs encode a symbol as in a URL, which differs from our encoding mostly for lower-case letters.
  const encoded = ourFolder.replace(/(?<=\/symbol=)[^/]*/, encodeURIComponent(series.symbol))
  return [...new Set([ourFolder, encoded, `${series.kind}/${ourFolder}`])]
}

function copiesIn({ path, objects, manifests }: Folder, period: Period): StoreCopy[] {
  const entries = manifests.flatMap(({ files }) => files).filter((entry) => entry.period === period)
  const fromManifests = entries
    .filter(({ state, origin, name }) => state === 'final' && origin === 'service' && objects.has(name))
    .sort((a, b) => b.fetchedAtMs - a.fetchedAtMs)
    .map(({ name, sizeBytes, sha256 }) => ({ path: `${path}/${name}`, sizeBytes, sha256 }))
  const listed = new Set(entries.map(({ name }) => name))
  const withoutManifest = [...objects.values()]
    .filter(
      ({ name, changedAtMs }) =>
        !listed.has(name) && isFileOfPeriod(name, period) && wasWrittenLater(period, changedAtMs),
    )
    .sort((a, b) => b.changedAtMs - a.changedAtMs)
    .map(({ name, sizeBytes }) => ({
      path: `${path}/${name}`,
      sizeBytes,
      sha256: parseContentName(name)?.hashStart ?? null,
    }))
  const seen = new Set<string>()
  return [...fromManifests, ...withoutManifest].filter((copy) => !seen.has(copy.path) && seen.add(copy.path))
}

const isFileOfPeriod = (name: string, period: Period) =>
  name === `${period}.parquet` || parseContentName(name)?.period === period

/**
 * Tells whether a file without a manifest counts as complete. The rows do not show whether it is, so it must have been
 * written at least a day after the end of its period.
 */
const wasWrittenLater = (period: Period, changedAtMs: number) =>
  changedAtMs >= (periodDays(period)!.end + 1) * MS_PER_DAY
