import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ source, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'funding-carry-tested',
    name: 'Funding carry, tested',
    description: 'What is left of the funding carry after fees, spread and slippage?',
    document: {
      ...range('1h'),
      kind: 'portfolio',
      name: 'Funding carry, tested',
      source,
      signal: '-sma(funding.funding_rate, 24)',
      weights: { cap: 0.1 },
      costs: {
        feeBps: 5,
        spreadBps: 'l1_liquidity.spread_bps_avg',
        slippage: { k: 1, sigma: 'returns.realized_vol' },
        volume: 'ohlcv.volume_notional',
      },
      capacity: { levels: [100_000, 1_000_000, 10_000_000] },
    },
  },
]
