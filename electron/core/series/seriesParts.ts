import { connectionOfOwner } from '#shared/contract/computedOwner.ts'
import type { SeriesOverview } from '#shared/contract/areas/series.ts'
import type { Clock } from '#core/ports.ts'
import type { SeriesReader } from '#core/series/seriesReader.ts'
import type { UnreadStretch } from '#core/series/readerTask.ts'
import type { Store } from '#core/store/store.ts'
import type { KeptSummaries } from './keptSummaries.ts'
import type { Summaries } from './summaries.ts'
import { coverageOf, type SeriesFiles, sourcesOf, wordsWithoutFolder } from './seriesFiles.ts'

export interface SeriesDeps {
  store: Store
  reader: SeriesReader
  clock: Clock
  summaries: Summaries
  keptSummaries: KeptSummaries
  /** Notes that files were used. */
  touch(found: SeriesFiles): void
}

/** Describes the files that points come from, and the missing parts. */
export function describeFiles(
  { store, clock }: SeriesDeps,
  found: SeriesFiles,
): Pick<SeriesOverview, 'coverage' | 'files'> {
  const { tier } = store.connections.find(connectionOfOwner(found.series.connectionId))
  return {
    coverage: coverageOf(store, clock.nowMs(), found, tier),
    files: sourcesOf(found),
  }
}

export const tellUnread = ({ store }: SeriesDeps, unread: readonly UnreadStretch[]): SeriesOverview['unread'] =>
  unread.map((each) => wordsWithoutFolder(store, each))
