import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ sourceOf, symbols, venue, leader, leaderName, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'btc-leads-alts',
    name: `${leaderName} leads the others`,
    description: `Do returns of ${leaderName} predict those of smaller symbols some hours later?`,
    document: {
      ...range('1h'),
      kind: 'leadlag',
      name: `${leaderName} leads the others`,
      source: sourceOf([leader, ...symbols]),
      value: 'diff(log(ohlcv.close))',
      reference: `${venue ?? ''}/${leader}`,
    },
  },
]
