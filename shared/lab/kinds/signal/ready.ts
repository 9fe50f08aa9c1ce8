import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ source, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'funding-carry',
    name: 'Funding carry',
    description: 'Do perpetuals with low funding outperform those with high funding?',
    document: {
      ...range('1h'),
      kind: 'signal',
      name: 'Funding carry',
      source,
      signal: '-sma(funding.funding_rate, 24)',
      horizons: [8, 24, 72],
    },
  },
  {
    id: 'volume-delta-momentum',
    name: 'Volume delta momentum',
    description: 'Do prices keep rising where takers were buying?',
    document: {
      ...range('1h'),
      kind: 'signal',
      name: 'Volume delta momentum',
      source,
      signal: 'sma(flow.volume_delta, 4) / sma(flow.taker_buy_volume + flow.taker_sell_volume, 4)',
      horizons: [1, 4, 24],
    },
  },
  {
    id: 'open-interest-change',
    name: 'Open-interest change',
    description: 'What follows when open interest grows faster than elsewhere?',
    document: {
      ...range('1h'),
      kind: 'signal',
      name: 'Open-interest change',
      source,
      signal: 'diff(log(open_interest.open_interest), 24)',
      horizons: [4, 24],
    },
  },
  {
    id: 'basis-reversion',
    name: 'Basis reversion',
    description: 'Does a basis far from its own mean predict the return that closes it?',
    document: {
      ...range('1h'),
      kind: 'signal',
      name: 'Basis reversion',
      source,
      signal: '-zscore(basis.basis_bps, 72)',
      horizons: [1, 4, 24],
    },
  },
]
