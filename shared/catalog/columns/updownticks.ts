import { column, type MetricColumn, orZeroDenominator, quotient } from '../column.ts'

const classes = [
  ['uptick', 'Upticks', 'trades priced above the trade before'],
  ['downtick', 'Downticks', 'trades priced below the trade before'],
  ['unchanged', 'Unchanged', 'trades priced as the trade before'],
] as const

const inside = 'in the interval (its first trade is in no class)'

export const updownticksColumns: MetricColumn[] = [
  ...classes.map(([tick, label, trades]) =>
    column(`${tick}_count`, `${label}: count`, 'count', 'trades', `Number of ${trades} ${inside}`),
  ),
  ...classes.map(([tick, label, trades]) =>
    column(`${tick}_volume`, `${label}: amount`, 'volume', 'amount', `Summed amount of ${trades} ${inside}`),
  ),
  column('uptick_downtick_volume_ratio', 'Up/down amount', 'ratio', 'none', 'Uptick amount over downtick amount', {
    nullRule: orZeroDenominator('the downtick amount'),
    resample: quotient('uptick_volume', 'downtick_volume'),
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
      { nullRule: 'Null in an interval of fewer than 2 trades' },
    ),
  ),
  ...classes.map(([tick, label, trades]) =>
    column(
      `${tick}_volume_percentage`,
      `${label}: share of amount`,
      'fraction',
      'none',
      `Summed amount of ${trades}, over the amount in the three classes`,
      { nullRule: 'Null in an interval of fewer than 2 trades or where that amount is 0' },
    ),
  ),
]
