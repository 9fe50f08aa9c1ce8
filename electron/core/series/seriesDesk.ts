import type { Clock } from '#core/ports.ts'
import { createSeriesReader } from '#core/readers/seriesReader.ts'
import type { Store } from '#core/store/store.ts'
import { evaluate, statistics } from './evaluate.ts'
import { createKeptSummaries } from './keptSummaries.ts'
import { overview } from './overview.ts'
import { readRows } from './readRows.ts'
import { scan } from './scan.ts'
import type { SeriesFiles } from './seriesFiles.ts'
import { createSummaries } from './summaries.ts'
import type { SeriesParts } from './seriesParts.ts'

type Bound<Work> = Work extends (parts: SeriesParts, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never

/** Series from the files on this machine: rows, overviews and what is computed from them, all on reading threads. */
export interface SeriesDesk {
  read: Bound<typeof readRows>
  overview: Bound<typeof overview>
  evaluate: Bound<typeof evaluate>
  statistics: Bound<typeof statistics>
  scan: Bound<typeof scan>
  /** For what writes rows elsewhere. */
  parts: SeriesParts
  close(): Promise<void>
}

export function createSeriesDesk(store: Store, clock: Clock): SeriesDesk {
  const reader = createSeriesReader()
  const touch = ({ series, stretches }: SeriesFiles) => {
    for (const { file } of stretches) store.files.touch(series, file.period, clock.nowMs())
  }
  const summaries = createSummaries(store)
  const parts: SeriesParts = { store, reader, clock, touch, summaries, keptSummaries: createKeptSummaries() }
  return {
    read: (...rest) => readRows(parts, ...rest),
    overview: (...rest) => overview(parts, ...rest),
    evaluate: (...rest) => evaluate(parts, ...rest),
    statistics: (...rest) => statistics(parts, ...rest),
    scan: (...rest) => scan(parts, ...rest),
    parts,
    async close() {
      await summaries.stop()
      await reader.close()
    },
  }
}
