import { approximate, column, type MetricColumn, orZeroDenominator, quotient, share, sum } from '../column.ts'

/** Classes of trades, their direction, and how far off the resampled amount and its share are, in per cent. */
const classes = [
  ['uptick', 'Upticks', 'trades priced above the trade before', 1, 42, 35],
  ['downtick', 'Downticks', 'trades priced below the trade before', -1, 50, 33],
  ['unchanged', 'Unchanged', 'trades priced as the trade before', 0, 21, 35],
] as const

const firstTrades = 'the first trade of each shorter interval is in no class'
const counts = classes.map(([tick]) => `${tick}_count`)
const volumes = classes.map(([tick]) => `${tick}_volume`)

const inside = 'in the interval (its first trade is in no class)'

export const updownticksColumns: MetricColumn[] = [
  ...classes.map(([tick, label, trades, direction]) =>
    column(`${tick}_count`, `${label}: count`, 'count', 'trades', `Number of ${trades} ${inside}`, {
      resample: { how: 'ticks', direction },
    }),
  ),
  ...classes.map(([tick, label, trades, , offByPercent]) =>
    column(`${tick}_volume`, `${label}: amount`, 'volume', 'amount', `Summed amount of ${trades} ${inside}`, {
      resample: approximate(sum, firstTrades, offByPercent),
    }),
  ),
  column('uptick_downtick_volume_ratio', 'Up/down amount', 'ratio', 'none', 'Uptick amount over downtick amount', {
    nullRule: orZeroDenominator('the downtick amount'),
    resample: approximate(quotient('uptick_volume', 'downtick_volume'), firstTrades, 74),
  }),
  column('uptick_downtick_count_ratio', 'Up/down count', 'ratio', 'none', 'Upticks over downticks', {
    nullRule: orZeroDenominator('the number of downticks'),
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
  ...classes.map(([tick, label, trades, , , offByPercent]) =>
    column(
      `${tick}_volume_percentage`,
      `${label}: share of amount`,
      'fraction',
      'none',
      `Summed amount of ${trades}, over the amount in the three classes`,
      {
        nullRule: 'Null in an interval of fewer than 2 trades or where that amount is 0',
        resample: approximate(share(`${tick}_volume`, volumes), firstTrades, offByPercent),
      },
    ),
  ),
]
