import type { Clock } from '#core/ports.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { ReusableThreads } from '#core/threads/reusableThreads.ts'
import type { Store } from '#core/store/store.ts'
import type { FormulaCosts } from './formulaCosts.ts'
import type { SeriesFiles } from './seriesFiles.ts'
import type { Summaries, SummaryCache } from './summaries.ts'

/** Everything that requests for series need. */
export interface SeriesDeps {
  store: Store
  reader: SeriesReader
  clock: Clock
  costs: FormulaCosts
  summaries: Summaries
  summaryCache: SummaryCache
  /** Threads that exports use. */
  threads: ReusableThreads
  /** Records that files were used, so that files used less recently are evicted first. */
  touch(found: SeriesFiles): void
}
