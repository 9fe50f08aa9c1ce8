import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ sourceOf, leader, leaderName, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'liquidity-by-hour',
    name: 'Liquidity by hour',
    description: `At which hours is the spread of ${leaderName} low, and do those hours stay cheap?`,
    document: {
      ...range('5m'),
      kind: 'schedule',
      name: 'Liquidity by hour',
      source: sourceOf([leader]),
      value: 'l1_liquidity.spread_bps',
      second: 'l1_liquidity.total_dollar_depth',
    },
  },
]
