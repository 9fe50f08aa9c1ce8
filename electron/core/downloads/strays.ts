import type { Period } from '#shared/time/periods.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/**
 * Files that came to their place just before a program ended, and so may lack their row. Each folder is looked through
 * once: from then on this process alone adds to it.
 */
export interface Strays {
  has(series: OwnedSeries, period: Period): boolean
  forget(): void
}

export function createStrays(folder: CacheFolder): Strays {
  const seen = new Map<string, ReadonlySet<Period>>()
  return {
    has(series, period) {
      const key = Object.values(series).join('\n')
      const periods = seen.get(key) ?? folder.periodsOf(series)
      seen.set(key, periods)
      // It may have been removed since.
      return periods.has(period) && folder.sizeOf(series, period) !== null
    },
    forget: () => seen.clear(),
  }
}
