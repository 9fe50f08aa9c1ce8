import { computed, onUnmounted, shallowReactive, watch } from 'vue'
import { cellOf, columnOf, type Frame, type TextColumn } from '#shared/contract/frame.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'
import { useCoverage } from '../stores/coverage.ts'
import { useSeries } from '../stores/series.ts'
import { useDiscovery } from '../stores/discovery.ts'

const SECONDS_PER_HOUR = 3600
/** Number of days to read: many for long intervals, which have few rows per day, and few for short ones. */
const [LONG_INTERVAL_DAYS, SHORT_INTERVAL_DAYS] = [400, 30]

interface CandleGroup {
  exchange: string
  interval: string
  timestamp: 'exchange' | 'true'
  symbolCount: number
}

/** Chooses, for each venue, the cached candles that cover the most symbols; ties go to the longest interval. */
export function candleGroups(cached: Frame, exchanges: readonly string[]): CandleGroup[] {
  const names = ['kind', 'dataset', 'exchange', 'interval', 'timestamp'] as const
  const columns = names.map((name) => columnOf(cached, name))
  const groups = new Map<string, CandleGroup>()
  for (let row = 0; row < cached.rows; row += 1) {
    const [kind, dataset, exchange, interval, timestamp] = columns.map((column) =>
      column ? String(cellOf(column, row) ?? '') : '',
    )
    if (kind !== 'metrics' || dataset !== 'ohlcv' || !exchanges.includes(exchange)) continue
    const key = [exchange, interval, timestamp].join(' ')
    const clock = timestamp === 'true' ? ('true' as const) : ('exchange' as const)
    const group = groups.get(key) ?? { exchange, interval, timestamp: clock, symbolCount: 0 }
    groups.set(key, { ...group, symbolCount: group.symbolCount + 1 })
  }
  const seconds = ({ interval }: CandleGroup) => parseInterval(interval) ?? 0
  const sortedGroups = [...groups.values()].toSorted((a, b) => b.symbolCount - a.symbolCount || seconds(b) - seconds(a))
  return exchanges.flatMap((exchange) => sortedGroups.find((group) => group.exchange === exchange) ?? [])
}

/**
 * Returns the turnover per hour by symbol: mean volume × last price, scaled from the interval to an hour so that
 * different intervals can be compared.
 */
export function turnoverBySymbol(volumes: Frame, prices: Frame, intervalSeconds: number): Map<string, number> {
  const valueBySymbol = (frame: Frame) => {
    const [symbol, value] = [columnOf(frame, 'symbol'), columnOf(frame, 'value')]
    const rows = symbol && value ? frame.rows : 0
    return new Map(
      Array.from({ length: rows }, (_, row) => [String(cellOf(symbol!, row)), cellOf(value!, row)] as const),
    )
  }
  const priceBySymbol = valueBySymbol(prices)
  return new Map(
    [...valueBySymbol(volumes)].flatMap(([symbol, volume]) => {
      const price = priceBySymbol.get(symbol)
      if (typeof volume !== 'number' || typeof price !== 'number') return []
      return [[symbol, (volume * price * SECONDS_PER_HOUR) / intervalSeconds] as const]
    }),
  )
}

/** Orders rows by the values of their texts, the largest first; rows of texts without a value follow as they are. */
export function orderByValue({ values }: TextColumn, valueByCode: readonly number[]): Uint32Array<ArrayBuffer> | null {
  if (valueByCode.every((value) => value === 0)) return null
  const valueOf = (row: number) => valueByCode[values[row]]
  const rows = Array.from(values, (_, row) => row)
  const leading = rows.filter((row) => valueOf(row) > 0).sort((a, b) => valueOf(b) - valueOf(a))
  return Uint32Array.from([...leading, ...rows.filter((row) => valueOf(row) === 0)])
}

/** Provides the turnover of symbols by venue from cached candles, without requests to the service. */
export function useTurnover(exchanges: () => readonly string[]) {
  const coverage = useCoverage()
  const series = useSeries()
  const discovery = useDiscovery()
  const turnoversByExchange = shallowReactive(new Map<string, Map<string, number>>())
  const controller = new AbortController()
  onUnmounted(() => controller.abort())
  /** Turnovers that came while the pointer was over a list; null while it is elsewhere. */
  let waiting: Map<string, Map<string, number>> | null = null
  function release(): void {
    for (const [exchange, turnovers] of waiting ?? []) turnoversByExchange.set(exchange, turnovers)
    waiting = null
  }
  /** Listeners of a sorted list: under the pointer it keeps its order, so that no row moves away from a click. */
  const steadyUnderPointer = { onPointerenter: () => (waiting ??= new Map()), onPointerleave: release }

  watch(
    [exchanges, () => coverage.series.value],
    async ([wanted, cached]) => {
      if (!cached) return
      const missingExchanges = wanted.filter((exchange) => !turnoversByExchange.has(exchange))
      for (const { exchange, interval, timestamp } of candleGroups(cached, missingExchanges)) {
        turnoversByExchange.set(exchange, new Map())
        const seconds = parseInterval(interval) ?? SECONDS_PER_HOUR
        const endMs = Date.now()
        const startMs = endMs - (seconds < SECONDS_PER_HOUR ? SHORT_INTERVAL_DAYS : LONG_INTERVAL_DAYS) * MS_PER_DAY
        const scan = async (column: string, statistic: 'mean' | 'moment') =>
          (
            await series.scan(
              {
                ...{ connectionId: '', dataset: 'ohlcv', exchange, interval, timestamp },
                ...{ column, way: statistic, startMs, endMs, sparkPoints: 0 },
              },
              { signal: controller.signal },
            )
          ).frame
        // If a scan fails, the venue has no turnovers, and its symbols stay in the order of the service.
        const frames = await Promise.all([scan('volume', 'mean'), scan('close', 'moment')]).catch(() => null)
        if (frames) (waiting ?? turnoversByExchange).set(exchange, turnoverBySymbol(...frames, seconds))
      }
    },
    { immediate: true },
  )

  /**
   * Returns the largest turnover of a symbol on any venue; turnovers in contracts count only if no venue has one in
   * base assets.
   */
  function turnover(symbol: string): number {
    const turnovers = exchanges().flatMap((exchange) => {
      const value = turnoversByExchange.get(exchange)?.get(symbol)
      return value === undefined ? [] : [{ value, isBase: discovery.venueFacts.find(exchange).sizes === 'base' }]
    })
    const countedTurnovers = turnovers.some(({ isBase }) => isBase)
      ? turnovers.filter(({ isBase }) => isBase)
      : turnovers
    return Math.max(0, ...countedTurnovers.map(({ value }) => value))
  }

  /** Sorts symbols by turnover, the most traded first; those without turnover follow in their original order. */
  const sortByTurnover = (symbols: readonly string[]) => {
    const bySymbol = new Map(symbols.map((symbol) => [symbol, turnover(symbol)]))
    return symbols.toSorted((a, b) => bySymbol.get(b)! - bySymbol.get(a)!)
  }
  const turnoverByAsset = computed(() => {
    const byAsset = new Map<string, number>()
    for (const exchange of exchanges())
      for (const symbol of turnoversByExchange.get(exchange)?.keys() ?? []) {
        const asset = symbolLabel(symbol)
        byAsset.set(asset, Math.max(byAsset.get(asset) ?? 0, turnover(symbol)))
      }
    return byAsset
  })
  /** Sorts assets, such as BTC, by the turnover of their symbols likewise. */
  const assetsByTurnover = (assets: readonly string[]) =>
    assets.toSorted((a, b) => (turnoverByAsset.value.get(b) ?? 0) - (turnoverByAsset.value.get(a) ?? 0))
  /** Returns the rows of a table by the turnover of their symbols likewise; null if none has any. */
  const orderByTurnover = (symbols: TextColumn) => orderByValue(symbols, symbols.dictionary.map(turnover))
  return { turnover, sortByTurnover, assetsByTurnover, orderByTurnover, steadyUnderPointer }
}
