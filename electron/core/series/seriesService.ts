import type { Clock } from '#core/ports.ts'
import type { ChangedFiles } from './changedFiles.ts'
import { createSeriesReader } from './seriesReader.ts'
import { createReusableThreads } from '#core/threads/reusableThreads.ts'
import type { Store } from '#core/store/store.ts'
import { computeDistribution } from './distribution.ts'
import { evaluate, computeStatistics } from './evaluate.ts'
import { createFormulaCosts } from './formulaCosts.ts'
import { createSummaryCache, createSummaries } from './summaries.ts'
import { computeOverview } from './overview.ts'
import { readRows } from './readRows.ts'
import { computeRelationships } from './relationships.ts'
import { scan } from './scan.ts'
import type { SeriesFiles } from './seriesFiles.ts'
import type { SeriesDeps } from './seriesDeps.ts'

/** Reads series from the cached files: rows, overviews and everything computed from them, all on reading threads. */
export interface SeriesService {
  read: Bound<typeof readRows>
  overview: Bound<typeof computeOverview>
  evaluate: Bound<typeof evaluate>
  statistics: Bound<typeof computeStatistics>
  distribution: Bound<typeof computeDistribution>
  relationships: Bound<typeof computeRelationships>
  scan: Bound<typeof scan>
  /** Dependencies shared with the exports, which read the same series. */
  deps: SeriesDeps
  close(): Promise<void>
}

/** A function on series without its first parameter, the dependencies. */
type Bound<Work> = Work extends (deps: SeriesDeps, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

/** @param changedFiles detects files changed outside the app; null to trust the cache folder */
export function createSeriesService(
  store: Store,
  clock: Clock,
  changedFiles: ChangedFiles | null = null,
): SeriesService {
  const reader = createSeriesReader(changedFiles)
  const touch = ({ series, slices }: SeriesFiles) => {
    for (const { file } of slices) store.files.touch(series, file.period, clock.nowMs())
  }
  const summaries = createSummaries(store, changedFiles)
  const threads = createReusableThreads()
  const deps: SeriesDeps = {
    store,
    reader,
    clock,
    touch,
    summaries,
    summaryCache: createSummaryCache(),
    threads,
    costs: createFormulaCosts(),
  }
  return {
    read: (...rest) => readRows(deps, ...rest),
    overview: (...rest) => computeOverview(deps, ...rest),
    evaluate: (...rest) => evaluate(deps, ...rest),
    statistics: (...rest) => computeStatistics(deps, ...rest),
    distribution: (...rest) => computeDistribution(deps, ...rest),
    relationships: (...rest) => computeRelationships(deps, ...rest),
    scan: (...rest) => scan(deps, ...rest),
    deps,
    async close() {
      await summaries.stop()
      await Promise.all([reader.close(), threads.close()])
    },
  }
}
