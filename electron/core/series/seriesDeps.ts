import type { Clock } from '#core/ports.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { Store } from '#core/store/store.ts'
import type { SeriesFiles } from './seriesFiles.ts'
import type { Summaries, SummaryCache } from './summaries.ts'

/** Everything that a request of series needs. */
export interface SeriesDeps {
  store: Store
  reader: SeriesReader
  clock: Clock
  summaries: Summaries
  summaryCache: SummaryCache
  /** Notes that files were used. */
  touch(found: SeriesFiles): void
}
