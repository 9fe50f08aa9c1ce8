import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

/** Columns of trades, quotes and prices, from which a few files are enough to see what the clock changes. */
const columns = [
  'ohlcv.close',
  'ohlcv.volume',
  'flow.volume_delta',
  'flow.taker_buy_volume',
  'flow.taker_sell_volume',
  'flow.flow_toxicity_score',
  'l1_liquidity.spread_bps',
]

export const ready = ({ sourceOf, leader, leaderName, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'arrival-clock',
    name: 'Arrival clock',
    description: `Which columns of ${leaderName} change most if events are sorted by their arrival instead of the exchange’s time?`,
    document: {
      ...range('5m'),
      kind: 'clocks',
      name: 'Arrival clock',
      source: sourceOf([leader]),
      columns,
    },
  },
]
