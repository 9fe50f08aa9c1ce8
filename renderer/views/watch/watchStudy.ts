import type { LabDocument } from '#shared/contract/areas/lab.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { dayOf, MS_PER_DAY } from '#shared/time.ts'

const DAYS = 90

/** Begins a signal study of these pairs over the last weeks; its signal is one that any candles answer. */
export function studyOfPairs(pairs: readonly ListedPair[], nowMs: number): LabDocument['study'] {
  const once = (values: readonly string[]) => [...new Set(values)]
  return {
    version: 1,
    kind: 'signal',
    interval: '1h',
    start: dayOf(nowMs - DAYS * MS_PER_DAY),
    end: dayOf(nowMs - MS_PER_DAY),
    source: {
      exchanges: once(pairs.map(({ exchange }) => exchange)),
      symbols: once(pairs.map(({ symbol }) => symbol)),
      universe: null,
      timestamp: 'exchange',
      against: null,
    },
    signal: '-pct(ohlcv.close, 24)',
    horizons: [1, 4, 24],
  }
}
