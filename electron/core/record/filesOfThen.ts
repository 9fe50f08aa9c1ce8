import { statSync } from 'node:fs'
import type { Clock } from '#core/ports.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { Store } from '#core/store/store.ts'
import type { AskDeps } from './askPart.ts'
import type { SourceFiles } from './sourceFiles.ts'

/** Kept bytes of superseded files, by the paths of the sources. */
export type FilesOfThen = ReadonlyMap<string, { keptPath: string; sha256: string }>

/** Runs work with services that read the files of a report instead of the present ones. */
export type AskThen = <Result>(
  then: FilesOfThen,
  work: (on: Pick<AskDeps, 'store' | 'series'>) => Promise<Result>,
) => Promise<Result>

/** Finds the kept bytes of all files that changed; null where any of them is gone or is not a file of the cache. */
export async function filesOfThen(
  files: SourceFiles,
  sources: readonly { path: string; sha256: string }[],
  changed: readonly { path: string }[],
): Promise<FilesOfThen | null> {
  const found = new Map<string, { keptPath: string; sha256: string }>()
  for (const { path } of changed) {
    const sha256 = sources.find((source) => source.path === path)?.sha256 ?? ''
    const keptPath = path.startsWith('files/') ? await files.keptPath(sha256) : null
    const now = files.pathOf(path, '')
    if (keptPath === null || now === null) return null
    found.set(now, { keptPath, sha256 })
  }
  return found
}

/** Makes the runner of work on files of then: an index of now with other paths and hashes for the superseded files. */
export function createAskThen(store: Store, clock: Clock): AskThen {
  return async (then, work) => {
    const thenStore = storeOfThen(store, then)
    const series = createSeriesService(thenStore, clock)
    try {
      return await work({ store: thenStore, series })
    } finally {
      await series.close()
    }
  }
}

function storeOfThen(store: Store, then: FilesOfThen): Store {
  const { files, folder } = store
  const replaced = (file: CachedFile): CachedFile => {
    const old = then.get(folder.pathOf(file.series, file.period))
    if (!old) return file
    const { size, mtimeMs } = statSync(old.keptPath)
    return { ...file, sha256: old.sha256, sizeBytes: size, changedAtMs: mtimeMs }
  }
  return {
    ...store,
    files: {
      ...files,
      ofSeries: (...range) => files.ofSeries(...range).map(replaced),
      find: (series, period) => {
        const found = files.find(series, period)
        return found && replaced(found)
      },
    },
    folder: {
      ...folder,
      pathOf: (series, period) => {
        const path = folder.pathOf(series, period)
        return then.get(path)?.keptPath ?? path
      },
    },
  }
}
