import { useRouter } from 'vue-router'
import { parseInterval } from '#shared/time.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { useLab } from '../../stores/lab.ts'
import type { RowAction } from '../../tables/rowActions.ts'
import { placeActions } from '../../widgets/placeActions.ts'
import { pairsOf } from '#shared/lab/symbolNames.ts'

const BARS_AROUND = 100

/** Computes the range that the rows and charts of a symbol show: a number of bars before and after a time. */
export function rangeAround(timeMs: number, interval: string | undefined): TimeRange {
  const aroundMs = (parseInterval(interval ?? '1h') ?? 3600) * 1000 * BARS_AROUND
  return { startMs: timeMs - aroundMs, endMs: timeMs + aroundMs }
}

/**
 * Returns a function that builds the menu commands for symbols of the study; symbols of a panel have none, because they
 * are not in the cache.
 */
export function useSymbolActions(): (names: readonly string[], timeMs?: number) => RowAction[] {
  const lab = useLab()
  const router = useRouter()
  return (names, timeMs) => {
    const study = lab.answer?.result.study
    if (!study || study.kind === 'blend' || !study.source || lab.answer?.document.panel) return []
    const { interval } = study
    const { timestamp } = study.source
    const places = pairsOf(names).map((pair) => ({ dataset: 'ohlcv', ...pair }))
    const series = places.map((place) => ({
      ...place,
      interval,
      timestamp,
      ...(places.length > 1 && { column: 'close' }),
    }))
    const range = timeMs === undefined ? undefined : rangeAround(timeMs, interval)
    return placeActions(router, { places, series, range, files: { interval, timestamp } })
  }
}
