import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

export const ready = ({ source, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'funding-hours',
    name: 'Funding hours',
    description: 'Do the returns of some hours before funding differ from the mean of the last eight hours?',
    planted: 'The sandbox contains an artificial rise of 0.2 % two hours before, which then reverses.',
    document: {
      ...range('1h'),
      kind: 'seasonality',
      name: 'Funding hours',
      source,
      value: 'diff(log(ohlcv.close)) - sma(diff(log(ohlcv.close)), 8)',
      by: 'minutesToFunding',
    },
  },
]
