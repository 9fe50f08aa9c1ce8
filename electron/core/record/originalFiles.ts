import { existsSync, statSync } from 'node:fs'
import { servedQuantities } from '#shared/catalog/servedUnits.ts'
import { ownDatasetId } from '#shared/formula/ownData.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import { type OwnPart, type OwnVersion, unitsOfOwn, withVersions } from '#core/store/ownDataStore.ts'
import { withOwnFiles } from '#core/store/ownFiles.ts'
import type { Store } from '#core/store/store.ts'
import type { PartDeps } from './computePart.ts'
import { isAnswerPath, ownPartOf, type ReportFiles } from './sourceFiles.ts'

/** Files from which a report was made, where they differ from the current ones. */
export interface OriginalFiles {
  /** Kept copies of superseded files, by the path of the current file. */
  kept: ReadonlyMap<string, { keptPath: string; sha256: string }>
  /** Own datasets as they were when the report was made. */
  own: readonly OwnVersion[]
  /** Paths of files that were cached after the report was made. */
  later: ReadonlySet<string>
}

/** Services that read cached files. */
type ReadingServices = Pick<PartDeps, 'series' | 'lab' | 'sql'>

/** Runs work with services that read the files from which a report was made, not the current ones. */
export type RunOnOriginals = <Result>(
  originals: OriginalFiles,
  work: (services: Pick<PartDeps, 'store'> & ReadingServices) => Promise<Result>,
) => Promise<Result>

/**
 * Finds the kept copies of all changed files; null if a copy is missing or a changed file is not a cached file.
 * @param later paths of files that the report does not name, relative to the data folder
 */
export async function originalFiles(
  { files, keptFiles }: { files: ReportFiles; keptFiles: Store['kept'] },
  sources: readonly { path: string; sha256: string }[],
  changed: readonly { path: string }[],
  later: readonly string[],
): Promise<OriginalFiles | null> {
  const kept = new Map<string, { keptPath: string; sha256: string }>()
  const own = new Map<string, OwnVersion>()
  for (const { path } of changed) {
    const sha256 = sources.find((source) => source.path === path)?.sha256 ?? ''
    // The file of a response stays as it was; what changed is the response that is stored now.
    if (isAnswerPath(path) && (await files.stateOf({ path, sha256 }, '')).state === 'same') continue
    const keptPath = path.startsWith('files/') ? await files.keptPath(sha256) : null
    const currentPath = files.pathOf(path, '')
    if (keptPath === null || currentPath === null) return null
    if (ownPartOf(path)) {
      const version = earlierVersion(keptFiles, sha256)
      if (!version) return null
      own.set(version.name, version)
    } else kept.set(currentPath, { keptPath, sha256 })
  }
  return { kept, own: [...own.values()], later: new Set(later.flatMap((path) => files.pathOf(path, '') ?? [])) }
}

/** Reads the own dataset that had some rows; those of its files that have been replaced are where they were kept. */
function earlierVersion(kept: Store['kept'], sha256: string): OwnVersion | null {
  const note = kept.noteOf(sha256)
  if (note === null) return null
  const { parts, ...dataset } = JSON.parse(note) as OwnVersion
  const placed = ({ path: _path, ...part }: OwnPart): OwnPart =>
    existsSync(kept.pathOf(part.sha256)) ? { ...part, path: kept.pathOf(part.sha256) } : part
  return { ...dataset, parts: parts.map(placed) }
}

/**
 * Creates a function that runs work on the original files of a report. It uses the current index, in which the changed
 * files have the paths and hashes of their kept copies, and later files are missing.
 * @param open creates services that read the files of a store
 */
export function createOriginalsRunner(
  store: Store,
  open: (store: Store) => Promise<{ services: ReadingServices; close(): Promise<void> }>,
): RunOnOriginals {
  return async (originals, work) => {
    const originalsStore = storeWithOriginals(store, originals)
    const { services, close } = await open(originalsStore)
    try {
      return await work({ store: originalsStore, ...services })
    } finally {
      await close()
    }
  }
}

function storeWithOriginals(store: Store, { kept, own, later }: OriginalFiles): Store {
  const { folder, funding, queryRows, venues } = store
  const ownData = withVersions(store.ownData, own)
  const files = withOwnFiles(store.files, ownData, folder.root)
  const isOriginal = (file: CachedFile) => file.own !== undefined || !later.has(folder.pathOf(file.series, file.period))
  const toOriginal = (file: CachedFile): CachedFile => {
    if (file.own) return file
    const original = kept.get(folder.pathOf(file.series, file.period))
    if (!original) return file
    const { size, mtimeMs } = statSync(original.keptPath)
    return { ...file, sha256: original.sha256, sizeBytes: size, changedAtMs: mtimeMs }
  }
  return {
    ...store,
    ownData,
    venues: {
      ...venues,
      of(owner) {
        const current = venues.of(owner)
        const others = current.servedUnits.filter(
          ({ dataset }) => !own.some(({ name }) => ownDatasetId(name) === dataset),
        )
        const servedUnits = [...others, ...own.flatMap(unitsOfOwn)]
        return { ...current, servedUnits, servedQuantity: servedQuantities(servedUnits) }
      },
    },
    files: {
      ...files,
      ofSeries: (...range) =>
        files
          .ofSeries(...range)
          .filter(isOriginal)
          .map(toOriginal),
      find: (series, period) => {
        const found = files.find(series, period)
        return found && isOriginal(found) ? toOriginal(found) : undefined
      },
      withPanelFacts: (filter) =>
        files.withPanelFacts(filter).flatMap((file) => {
          const { connectionId = '', kind = 'metrics', timestamps = [''] } = filter
          const path = folder.pathOf({ ...file, connectionId, kind, timestamp: timestamps[0] }, file.period)
          if (later.has(path)) return []
          const original = kept.get(path)
          if (!original) return [file]
          const { size, mtimeMs } = statSync(original.keptPath)
          // The facts about rows in the index are those of the current file, so they do not apply to the kept copy.
          const unknown = { rows: null, firstTimeMs: null, stepMs: null, duplicateTimes: null }
          // These hashes are in upper case, as in the ledger, which would otherwise take the replay for a new trial.
          const sha256 = original.sha256.toUpperCase()
          return [{ ...file, ...unknown, sha256, sizeBytes: size, changedAtMs: mtimeMs }]
        }),
    },
    funding: {
      ...funding,
      series: (filter) =>
        funding.series(filter).map((listed) => ({
          ...listed,
          files: () =>
            listed.files().flatMap((file) => {
              const path = folder.pathOf(listed.series, file.period)
              if (later.has(path)) return []
              const original = kept.get(path)
              if (!original) return [file]
              const { size, mtimeMs } = statSync(original.keptPath)
              return [
                { ...file, evidence: null, unread: { sha256: original.sha256, sizeBytes: size, changedAtMs: mtimeMs } },
              ]
            }),
        })),
    },
    queryRows: {
      ...queryRows,
      files: (filter) =>
        queryRows.files(filter).flatMap((file) => {
          const path = folder.pathOf(file, file.period)
          if (later.has(path)) return []
          const original = kept.get(path)
          // Without a modification time, the kept copy counts as changed, so its columns are read from the copy itself.
          return [original ? { ...file, sha256: original.sha256, changedAtMs: NaN } : file]
        }),
    },
    folder: {
      ...folder,
      pathOf: (series, period) => {
        const path = folder.pathOf(series, period)
        return kept.get(path)?.keptPath ?? path
      },
    },
  }
}
