import { parseSymbol } from '#shared/catalog/symbols.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { findFiles, rowTaskOf } from '#core/series/seriesFiles.ts'
import type { SeriesDeps } from '#core/series/seriesDeps.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** Days at the end of a cached series in which the last spread is looked for, the fewest first. */
const DAYS = [2, 60, 4000]

/** Half the last cached spread of each ticker in basis points; a ticker without one is left out. */
export async function halfSpreads(
  { store, reader }: Pick<SeriesDeps, 'store' | 'reader'>,
  connectionId: string,
  tickers: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const wanted = new Set(tickers)
  const byTicker = new Map<string, { series: OwnedSeries; endDay: number }>()
  for (const { series } of store.cacheIndex.series(connectionId)) {
    if (series.kind !== 'metrics' || series.dataset !== 'l1_liquidity') continue
    const ticker = [series.symbol, parseSymbol(series.symbol)?.base].find((name) => name && wanted.has(name))
    const endDay = store.files.ranges(series, -200_000, 200_000).at(-1)?.endDay
    if (ticker === undefined || endDay === undefined) continue
    const known = byTicker.get(ticker)
    if (!known || endDay > known.endDay) byTicker.set(ticker, { series, endDay })
  }
  const lastSpread = async (series: OwnedSeries, endDay: number): Promise<number | null> => {
    const timestamp = series.timestamp === 'true' ? ('true' as const) : ('exchange' as const)
    for (const days of DAYS) {
      const range = { startMs: (endDay - days) * MS_PER_DAY, endMs: endDay * MS_PER_DAY }
      const task = rowTaskOf(store, findFiles(store, { series, timestamp }, range))
      const { frame } = await reader.run('rows', { ...task, columns: ['spread_bps'] }, signal)
      const column = frame && columnOf(frame, 'spread_bps')
      if (column?.kind !== 'number') continue
      const { values, valid } = column
      const row = values.findLastIndex((value, at) => (!valid || valid[at] === 1) && Number.isFinite(value))
      if (row >= 0) return values[row]
    }
    return null
  }
  const spreads = await Promise.all(
    [...byTicker].map(async ([ticker, { series, endDay }]) => [ticker, await lastSpread(series, endDay)] as const),
  )
  return new Map(spreads.flatMap(([ticker, spread]) => (spread === null ? [] : [[ticker, spread / 2] as const])))
}
