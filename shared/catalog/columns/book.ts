import {
  approximate,
  column,
  last,
  lastWhere,
  mean,
  type MetricColumn,
  nullWithoutEvents,
  nullWithoutEventsOrAtZero,
  type Resample,
} from '../column.ts'

/** Depths, in levels per side, that the l2 columns sum over. */
export const bookDepths = [5, 10, 20, 25] as const
type BookDepth = (typeof bookDepths)[number]

const overSnapshots = 'Mean over the interval’s snapshots of'
/** Declares an unweighted mean over rows, with its largest error, in per cent, on days of uneven activity. */
const plainMean = (unevenOffByPercent: number, isRelativeToMean?: boolean) =>
  approximate(mean, {
    reason: 'the number of snapshots in each row is not stored, so all rows have the same weight',
    offByPercent: 1,
    unevenOffByPercent,
    ...(isRelativeToMean && { isRelativeToMean }),
  })

/** Largest errors of resampled means on days of uneven activity, in per cent, by number of levels. */
const unevenOffByPercent = {
  imbalance: { 5: 33, 10: 38, 20: 42, 25: 37 },
  imbalanceRatio: { 5: 39, 10: 37, 20: 40, 25: 44 },
  bidAskRatio: { 5: 8, 10: 5, 20: 5, 25: 5 },
  ask: { 5: 128, 10: 133, 20: 129, 25: 129 },
  bid: { 5: 131, 10: 130, 20: 129, 25: 128 },
} as const
const noAverage = 'Null where no snapshot of the interval has a value'

function imbalanceColumns(depth: BookDepth): MetricColumn[] {
  const difference = `bid amount minus ask amount of the top ${depth} levels`
  const signedTraits = { nullRule: nullWithoutEvents, large: 'far from 0' } as const
  return [
    column(`imbalance_${depth}`, `Imbalance, ${depth} levels`, 'volume', 'amount', `Last ${difference}`, {
      ...signedTraits,
      resample: last,
    }),
    column(
      `imbalance_ratio_${depth}`,
      `Imbalance ratio, ${depth} levels`,
      'ratio',
      'none',
      `Last ${difference}, over their sum`,
      {
        nullRule: nullWithoutEventsOrAtZero('their sum'),
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
        nullRule: nullWithoutEventsOrAtZero('the ask amount'),
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
        ...signedTraits,
        resample: plainMean(unevenOffByPercent.imbalance[depth], true),
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
        resample: plainMean(unevenOffByPercent.imbalanceRatio[depth], true),
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
        resample: plainMean(unevenOffByPercent.bidAskRatio[depth]),
      },
    ),
  ]
}

function depthColumns(depth: BookDepth): MetricColumn[] {
  const sideAmount = (side: string) => `${side} amount of the top ${depth} levels`
  const sideColumn = (side: 'ask' | 'bid', suffix: string, label: string, description: string, resample: Resample) =>
    column(
      `${side}_agg_${depth}${suffix}`,
      `${label}, ${depth} levels`,
      'volume',
      'amount',
      `${description} ${sideAmount(side)}`,
      {
        nullRule: nullWithoutEvents,
        resample,
      },
    )
  return [
    sideColumn('ask', '', 'Ask depth', 'Last', last),
    sideColumn('bid', '', 'Bid depth', 'Last', last),
    sideColumn('ask', '_avg', 'Mean ask depth', overSnapshots, plainMean(unevenOffByPercent.ask[depth])),
    sideColumn('bid', '_avg', 'Mean bid depth', overSnapshots, plainMean(unevenOffByPercent.bid[depth])),
  ]
}

export const l2ImbalanceColumns: MetricColumn[] = bookDepths.flatMap(imbalanceColumns)

export const l2LiquidityColumns: MetricColumn[] = bookDepths.flatMap(depthColumns)
