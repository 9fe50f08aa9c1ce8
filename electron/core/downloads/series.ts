import type { DownloadRequest } from '#shared/contract/areas/downloads.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** The series that a request spans; `connectionId` is the real one here. */
export function* seriesOfRequest(request: DownloadRequest): Generator<OwnedSeries> {
  const { connectionId, kind } = request
  const intervals = kind === 'raw' ? [''] : [...new Set(request.intervals)]
  const timestamps = kind === 'raw' ? [''] : [...new Set(request.timestamps)]
  for (const dataset of new Set(request.datasets))
    for (const exchange of new Set(request.exchanges))
      for (const symbol of new Set(request.symbols))
        for (const interval of intervals)
          for (const timestamp of timestamps)
            yield { connectionId, kind, dataset, exchange, symbol, interval, timestamp }
}
