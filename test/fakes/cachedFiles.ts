import type { FileFacts } from '#core/store/fileTable.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { periodDays, type Period } from '#shared/time/periods.ts'

export const flowSeries = (overrides: Partial<OwnedSeries> = {}): OwnedSeries => ({
  connectionId: 'sandbox',
  kind: 'metrics',
  dataset: 'flow',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  ...overrides,
})

export function cachedFile(series: OwnedSeries, period: Period, overrides: Partial<CachedFile> = {}): CachedFile {
  const days = periodDays(period)
  if (!days) throw new Error(`not a period: ${period}`)
  return {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: 'final',
    origin: 'service',
    sizeBytes: 1000,
    sha256: 'ab'.repeat(32),
    etag: '"1"',
    fetchedAtMs: 1,
    usedAtMs: 1,
    pinned: false,
    changedUpstreamAtMs: null,
    ...overrides,
  }
}

export const minuteFacts: FileFacts = {
  rows: 1440,
  firstTimeMs: 1_785_542_400_000,
  lastTimeMs: 1_785_628_740_000,
  stepMs: 60_000,
  duplicateTimes: 0,
  columns: [
    { name: 'time', type: 'int64', nulls: 0, min: 1_785_542_400_000, max: 1_785_628_740_000 },
    { name: 'flow_entropy', type: 'double', nulls: 7, min: 0.1, max: 0.69 },
    { name: 'note', type: 'string', nulls: 1440, min: null, max: null },
  ],
}
