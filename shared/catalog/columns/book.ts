import {
  approximate,
  column,
  last,
  lastWhere,
  mean,
  type MetricColumn,
  nullWithoutEvents,
  orZeroDenominator,
  type Resample,
} from '../column.ts'

/** Numbers of levels of each side that the l2 columns sum over. */
export const bookDepths = [5, 10, 20, 25] as const

const overSnapshots = 'Mean over the interval’s snapshots of'
const plainMean = approximate(mean, 'how many snapshots each row has is not stored, so that rows weigh the same', null)
const noAverage = 'Null where no snapshot of the interval has a value'

function imbalanceColumns(depth: number): MetricColumn[] {
  const difference = `bid amount minus ask amount of the top ${depth} levels`
  const signed = { nullRule: nullWithoutEvents, large: 'far from 0' } as const
  return [
    column(`imbalance_${depth}`, `Imbalance, ${depth} levels`, 'volume', 'amount', `Last ${difference}`, {
      ...signed,
      resample: last,
    }),
    column(
      `imbalance_ratio_${depth}`,
      `Imbalance ratio, ${depth} levels`,
      'ratio',
      'none',
      `Last ${difference}, over their sum`,
      {
        nullRule: orZeroDenominator('their sum'),
        resample: lastWhere(`imbalance_${depth}`),
        large: 'far from 0',
      },
    ),
    column(
      `bid_ask_ratio_${depth}`,
      `Bid/ask amount, ${depth} levels`,
      'ratio',
      'none',
      `Last bid amount over ask amount of the top ${depth} levels`,
      {
        nullRule: orZeroDenominator('the ask amount'),
        resample: lastWhere(`imbalance_${depth}`),
      },
    ),
    column(
      `imbalance_${depth}_avg`,
      `Mean imbalance, ${depth} levels`,
      'volume',
      'amount',
      `${overSnapshots} ${difference}`,
      {
        ...signed,
        resample: plainMean,
      },
    ),
    column(
      `imbalance_ratio_${depth}_avg`,
      `Mean imbalance ratio, ${depth} levels`,
      'ratio',
      'none',
      `${overSnapshots} ${difference}, over their sum`,
      {
        nullRule: noAverage,
        resample: plainMean,
        large: 'far from 0',
      },
    ),
    column(
      `bid_ask_ratio_${depth}_avg`,
      `Mean bid/ask amount, ${depth} levels`,
      'ratio',
      'none',
      `${overSnapshots} bid amount over ask amount of the top ${depth} levels`,
      {
        nullRule: noAverage,
        resample: plainMean,
      },
    ),
  ]
}

function depthColumns(depth: number): MetricColumn[] {
  const sum = (side: string) => `${side} amount of the top ${depth} levels`
  const ofSide = (side: 'ask' | 'bid', suffix: string, label: string, description: string, resample: Resample) =>
    column(
      `${side}_agg_${depth}${suffix}`,
      `${label}, ${depth} levels`,
      'volume',
      'amount',
      `${description} ${sum(side)}`,
      {
        nullRule: nullWithoutEvents,
        resample,
      },
    )
  return [
    ofSide('ask', '', 'Ask depth', 'Last', last),
    ofSide('bid', '', 'Bid depth', 'Last', last),
    ofSide('ask', '_avg', 'Mean ask depth', overSnapshots, plainMean),
    ofSide('bid', '_avg', 'Mean bid depth', overSnapshots, plainMean),
  ]
}

export const l2ImbalanceColumns: MetricColumn[] = bookDepths.flatMap(imbalanceColumns)

export const l2LiquidityColumns: MetricColumn[] = bookDepths.flatMap(depthColumns)
