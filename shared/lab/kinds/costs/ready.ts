import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ sourceOf, leader, leaderName, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'slippage-model',
    name: 'Slippage model',
    description: `What does a trade in ${leaderName} cost by its size and hour, and does the model agree with what trades paid?`,
    document: {
      ...range('5m'),
      kind: 'costs',
      name: 'Slippage model',
      source: sourceOf([leader]),
    },
  },
]
