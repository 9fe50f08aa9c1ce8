import type { Panel, PanelColumn } from '#shared/lab/panel.ts'
import type { Study } from '#shared/lab/kinds.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { DailyMarket } from '../../electron/sandbox/market/daily.ts'
import { RandomStream } from '../../electron/sandbox/market/random.ts'
import { HOUR_MS } from './panelWorld.ts'

const HOURS = 24
/** Deviation of the basis around its mean, in basis points. */
const BASIS_BPS = 1.2
/** Deviation that the draw of single trades adds to the flow of an hour. */
const FLOW_NOISE = 0.05

type HourlyColumns = Record<(typeof columnNames)[number], (hour: number) => number>
const columnNames = [
  'ohlcv.close',
  'flow.volume_delta',
  'flow.taker_buy_volume',
  'flow.taker_sell_volume',
  'flow.flow_toxicity_score',
  'trade_size.large_order_volume',
  'open_interest.open_interest',
  'funding.funding_rate',
  'basis.basis_bps',
  'wide',
] as const

/** Draws the columns of one symbol and day from the market, as the metrics of its trades would be on average. */
function hourlyColumns(market: DailyMarket, base: string, day: number): HourlyColumns {
  const random = new RandomStream(market.seed, 'test panel', base, day)
  const prices = market.hourPrices(base, day)
  const close = (hour: number) => prices[hour + 1]
  const flows = market.hourFlows(base, day).map((flow) => flow + FLOW_NOISE * random.normal())
  const notional = market.dayNotional(base, day) / HOURS
  const volume = (hour: number) => notional / close(hour)
  const rates = [-1, 0, 1, 2].map((slot) => market.fundingRate(base, slot < 0 ? day - 1 : day, (slot + 3) % 3))
  const wideHour = market.wideHour(base, day)
  return {
    'ohlcv.close': close,
    'flow.volume_delta': (hour) => flows[hour] * volume(hour),
    'flow.taker_buy_volume': (hour) => (0.5 + flows[hour] / 2) * volume(hour),
    'flow.taker_sell_volume': (hour) => (0.5 - flows[hour] / 2) * volume(hour),
    'flow.flow_toxicity_score': (hour) => Math.abs(flows[hour]) + 0.1 * random.exponential(),
    'trade_size.large_order_volume': (hour) => volume(hour) * (0.5 + random.pareto(2.1)),
    'open_interest.open_interest': (hour) =>
      market.openInterestAt(base, day, (hour + 1) / HOURS, close(hour)) / close(hour),
    'funding.funding_rate': (hour) => {
      const [before, after] = [rates[Math.floor(hour / 8)], rates[Math.floor(hour / 8) + 1]]
      return (Number.isNaN(before) ? after : before) + ((after - before) * ((hour % 8) + 1)) / 8
    },
    'basis.basis_bps': () => BASIS_BPS * random.normal(),
    wide: (hour) => Number(hour === wideHour),
  }
}

const baseOf = (symbol: string) => symbol.slice('perpetual-'.length, symbol.indexOf('-USDT'))

/**
 * Builds the hourly panel of a study's symbols from the market itself, without its trades, because those take minutes.
 */
export function sandboxPanel(market: DailyMarket, study: Study): Panel {
  const { startMs, endMs, intervalMs } = studyRange(study)
  const [venue] = study.source?.exchanges ?? []
  const symbols = [...(study.source?.symbols ?? [])].sort()
  const timeCount = (endMs - startMs) / HOUR_MS
  const cells = timeCount * symbols.length
  const columns = new Map(
    columnNames.map((name): [string, PanelColumn] => [
      name,
      { values: new Float64Array(cells), valid: new Uint8Array(cells) },
    ]),
  )
  const hasRow = new Uint8Array(cells)
  symbols.forEach((name, symbol) => {
    for (let day = startMs / MS_PER_DAY; day < endMs / MS_PER_DAY; day++) {
      if (Number.isNaN(market.dayClose(baseOf(name), day))) continue
      const hourly = hourlyColumns(market, baseOf(name), day)
      const first = (day * MS_PER_DAY - startMs) / HOUR_MS
      for (const [column, { values, valid }] of columns) {
        const valueOf = hourly[column as keyof HourlyColumns]
        for (let hour = 0; hour < HOURS; hour++) {
          const cell = symbol * timeCount + first + hour
          values[cell] = valueOf(hour)
          valid[cell] = 1
        }
      }
      for (let hour = 0; hour < HOURS; hour++) hasRow[(first + hour) * symbols.length + symbol] = 1
    }
  })
  return {
    intervalMs,
    firstSlot: startMs / intervalMs,
    timeCount,
    symbols: symbols.map((name) => `${venue}/${name}`),
    columns,
    hasRow,
    member: null,
    otherColumns: [],
    columnNames: [...columnNames],
    rows: cells,
    duplicates: 0,
  }
}
