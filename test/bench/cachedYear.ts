import { linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import { systemClock } from '../../electron/core/ports.ts'
import { createSeriesService } from '../../electron/core/series/seriesService.ts'
import type { OwnedSeries } from '../../electron/core/store/seriesIndex.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import { cachedFile, flowSeries } from '../fakes/cachedFiles.ts'

/** Links generated files into a cache as if they had been downloaded. */
export function keepFiles(store: Store, series: OwnedSeries, paths: readonly string[]): void {
  for (const path of paths) {
    const period = basename(path, '.parquet')
    const target = store.folder.pathOf(series, period)
    mkdirSync(dirname(target), { recursive: true })
    linkSync(path, target)
    const { sizeBytes, sha256, facts } = validateParquet(target)
    store.files.record([{ file: cachedFile(series, period, { sizeBytes, sha256 }), facts }])
  }
}

/** Opens a cache with the generated year and the series service that reads it. */
export function cachedYear(paths: readonly string[], interval: string) {
  const dataDir = mkdtempSync(join(dirname(dirname(paths[0])), 'cache-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
  const series = flowSeries({ interval })
  keepFiles(store, series, paths)
  const desk = createSeriesService(store, systemClock)
  const close = async () => {
    await desk.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { dataDir, series, desk, close }
}
