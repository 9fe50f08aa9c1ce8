import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ source, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'toxicity-after-large-trades',
    name: 'Toxicity after large trades',
    description: 'Where do prices go after an hour of large trades with toxic flow?',
    document: {
      ...range('1h'),
      kind: 'events',
      name: 'Toxicity after large trades',
      source,
      when: 'zscore(trade_size.large_order_volume, 168, 100) > 3 and zscore(flow.flow_toxicity_score, 168, 100) > 1',
      price: 'ohlcv.close',
      cooldownBars: 12,
      adjust: 'market',
    },
  },
  {
    id: 'spread-widening',
    name: 'Spread widening',
    description: 'Where do prices go after the spread has widened far beyond its mean?',
    planted: 'The sandbox contains an artificial fall of 0.6 % over six hours.',
    document: {
      ...range('1h'),
      kind: 'events',
      name: 'Spread widening',
      source,
      when: 'zscore(l1_liquidity.spread_bps_avg, 168, 48) > 5',
      price: 'ohlcv.close',
      cooldownBars: 12,
      adjust: 'market',
    },
  },
]
