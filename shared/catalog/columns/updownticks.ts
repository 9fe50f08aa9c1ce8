import {
  approximate,
  column,
  type MetricColumn,
  nullWithoutEventsOrAtZero,
  quotient,
  type Resample,
  share,
  sum,
} from '../column.ts'

/**
 * Classes of trades, their direction, and the largest errors of the resampled amount and of the resampled share, each
 * in per cent on the reference days and on days of uneven activity.
 */
const classes = [
  ['uptick', 'Upticks', 'trades priced above the trade before', 1, [42, 56], [35, 23]],
  ['downtick', 'Downticks', 'trades priced below the trade before', -1, [50, 51], [33, 24]],
  ['unchanged', 'Unchanged', 'trades priced as the trade before', 0, [21, 60], [35, 68]],
] as const

const withoutFirstTrades = (
  rule: Exclude<Resample, { how: 'none' }>,
  [offByPercent, unevenOffByPercent]: readonly [number, number],
) =>
  approximate(rule, {
    reason: 'the first trade of each shorter interval is in no class',
    offByPercent,
    unevenOffByPercent,
  })
const counts = classes.map(([tick]) => `${tick}_count`)
const volumes = classes.map(([tick]) => `${tick}_volume`)

const insideText = 'in the interval (its first trade is in no class)'

export const updownticksColumns: MetricColumn[] = [
  ...classes.map(([tick, label, trades, direction]) =>
    column(`${tick}_count`, `${label}: count`, 'count', 'trades', `Number of ${trades} ${insideText}`, {
      resample: { how: 'ticks', direction },
    }),
  ),
  ...classes.map(([tick, label, trades, , offBy]) =>
    column(`${tick}_volume`, `${label}: amount`, 'volume', 'amount', `Summed amount of ${trades} ${insideText}`, {
      resample: withoutFirstTrades(sum, offBy),
    }),
  ),
  column('uptick_downtick_volume_ratio', 'Up/down amount', 'ratio', 'none', 'Uptick amount over downtick amount', {
    nullRule: nullWithoutEventsOrAtZero('the downtick amount'),
    resample: withoutFirstTrades(quotient('uptick_volume', 'downtick_volume'), [74, 44]),
  }),
  column('uptick_downtick_count_ratio', 'Up/down count', 'ratio', 'none', 'Upticks over downticks', {
    nullRule: nullWithoutEventsOrAtZero('the number of downticks'),
    resample: quotient('uptick_count', 'downtick_count'),
  }),
  ...classes.map(([tick, label, trades]) =>
    column(
      `${tick}_count_percentage`,
      `${label}: share of count`,
      'fraction',
      'none',
      `Number of ${trades}, over the number of trades in the three classes`,
      {
        nullRule: 'Null in an interval of fewer than 2 trades',
        resample: share(`${tick}_count`, counts),
      },
    ),
  ),
  ...classes.map(([tick, label, trades, , , offBy]) =>
    column(
      `${tick}_volume_percentage`,
      `${label}: share of amount`,
      'fraction',
      'none',
      `Summed amount of ${trades}, over the amount in the three classes`,
      {
        nullRule: 'Null in an interval of fewer than 2 trades or where that amount is 0',
        resample: withoutFirstTrades(share(`${tick}_volume`, volumes), offBy),
      },
    ),
  ),
]
