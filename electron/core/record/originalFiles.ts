import { statSync } from 'node:fs'
import type { Clock } from '#core/ports.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import type { PartDeps } from './computePart.ts'
import type { ReportFiles } from './sourceFiles.ts'

/** Kept copies of superseded files, by the path of the current file. */
export type OriginalFiles = ReadonlyMap<string, { keptPath: string; sha256: string }>

/** Runs work with services that read the files from which a report was made, not the current ones. */
export type RunOnOriginals = <Result>(
  originals: OriginalFiles,
  work: (services: Pick<PartDeps, 'store' | 'series'>) => Promise<Result>,
) => Promise<Result>

/** Finds the kept copies of all changed files; null if a copy is missing or a changed file is not a cached file. */
export async function originalFiles(
  files: ReportFiles,
  sources: readonly { path: string; sha256: string }[],
  changedSources: readonly { path: string }[],
): Promise<OriginalFiles | null> {
  const found = new Map<string, { keptPath: string; sha256: string }>()
  for (const { path } of changedSources) {
    const sha256 = sources.find((source) => source.path === path)?.sha256 ?? ''
    const keptPath = path.startsWith('files/') ? await files.keptPath(sha256) : null
    const currentPath = files.pathOf(path, '')
    if (keptPath === null || currentPath === null) return null
    found.set(currentPath, { keptPath, sha256 })
  }
  return found
}

/**
 * Creates a function that runs work on the original files of a report. It uses the current index, in which the changed
 * files have the paths and hashes of their kept copies.
 */
export function createOriginalsRunner(store: Store, clock: Clock): RunOnOriginals {
  return async (originals, work) => {
    const originalsStore = storeWithOriginals(store, originals)
    const series = createSeriesService(originalsStore, clock)
    try {
      return await work({ store: originalsStore, series })
    } finally {
      await series.close()
    }
  }
}

function storeWithOriginals(store: Store, originals: OriginalFiles): Store {
  const { files, folder } = store
  const toOriginal = (file: CachedFile): CachedFile => {
    const original = originals.get(folder.pathOf(file.series, file.period))
    if (!original) return file
    const { size, mtimeMs } = statSync(original.keptPath)
    return { ...file, sha256: original.sha256, sizeBytes: size, changedAtMs: mtimeMs }
  }
  return {
    ...store,
    files: {
      ...files,
      ofSeries: (...range) => files.ofSeries(...range).map(toOriginal),
      find: (series, period) => {
        const found = files.find(series, period)
        return found && toOriginal(found)
      },
    },
    folder: {
      ...folder,
      pathOf: (series, period) => {
        const path = folder.pathOf(series, period)
        return originals.get(path)?.keptPath ?? path
      },
    },
  }
}
