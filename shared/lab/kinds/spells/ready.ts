import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'
import { CROWDING } from '../series/ready.ts'

export const ready = ({ sourceOf, leader, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'crowded-spells',
    name: 'Crowded spells',
    description: 'When is the market crowded, and what do prices do when it begins and ends?',
    document: {
      ...range('5m'),
      kind: 'spells',
      name: 'Crowded spells',
      source: sourceOf([leader]),
      when: `${CROWDING} > 0.8`,
      fill: 3,
      minBars: 6,
      signal: CROWDING,
    },
  },
]
