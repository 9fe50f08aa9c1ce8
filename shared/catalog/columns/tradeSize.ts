import {
  column,
  max,
  type MetricColumn,
  min,
  needsEvents,
  nullWithoutEvents,
  nullWithoutEventsOrAtZero,
  quotient,
} from '../column.ts'

const classes = [
  ['small', 'Small orders', 'trades with a notional below 100'],
  ['medium', 'Medium orders', 'trades with a notional from 100 to below 1,000'],
  ['large', 'Large orders', 'trades with a notional of 1,000 or more'],
] as const

const nullBelow = (trades: number) => `Null in an interval of fewer than ${trades} trades`
const sizeStatistic = { nullRule: nullWithoutEvents, resample: needsEvents, large: 'high' } as const

export const tradeSizeColumns: MetricColumn[] = [
  ...classes.map(([size, label, trades]) =>
    column(`${size}_order_volume`, `${label}: notional`, 'notional', 'quote', `Summed notional of ${trades}`),
  ),
  ...classes.map(([size, label, trades]) =>
    column(`${size}_order_count`, `${label}: count`, 'count', 'trades', `Number of ${trades}`),
  ),
  column('volume', 'Volume', 'volume', 'amount', 'Summed amount of all trades'),
  column('n_trades', 'Trades', 'count', 'trades', 'Number of trades'),
  ...classes.map(([size, label, trades]) =>
    column(
      `${size}_order_percentage`,
      `${label}: notional per amount`,
      'ratio',
      'quote per amount',
      `Summed notional of ${trades}, over the amount of all trades`,
      {
        nullRule: nullWithoutEventsOrAtZero('the amount'),
        resample: quotient(`${size}_order_volume`, 'volume'),
        large: 'high',
      },
    ),
  ),
  ...classes.map(([size, label, trades]) =>
    column(
      `${size}_order_count_percentage`,
      `${label}: share of count`,
      'fraction',
      'none',
      `Number of ${trades}, over the number of trades`,
      { resample: quotient(`${size}_order_count`, 'n_trades'), large: 'high' },
    ),
  ),
  column('trade_amount_mean', 'Mean amount', 'volume', 'amount', 'Mean amount of a trade', {
    nullRule: nullWithoutEvents,
    resample: quotient('volume', 'n_trades'),
  }),
  column('trade_amount_median', 'Median amount', 'volume', 'amount', 'Median amount of a trade', sizeStatistic),
  column('trade_amount_std', 'Amount std', 'volume', 'amount', 'Sample standard deviation of trade amounts', {
    ...sizeStatistic,
    nullRule: nullBelow(2),
  }),
  column('trade_amount_variance', 'Amount variance', 'statistic', 'amount²', 'Sample variance of trade amounts', {
    nullRule: nullBelow(2),
  }),
  column('trade_amount_skewness', 'Amount skewness', 'statistic', 'none', 'Bias-corrected skewness of trade amounts', {
    nullRule: `${nullBelow(3)} or of equal amounts`,
    large: 'far from 0',
  }),
  column(
    'trade_amount_kurtosis',
    'Amount kurtosis',
    'statistic',
    'none',
    'Bias-corrected excess kurtosis of trade amounts',
    { nullRule: `${nullBelow(4)} or of equal amounts` },
  ),
  column('trade_amount_min', 'Smallest amount', 'volume', 'amount', 'Smallest amount of a trade', {
    nullRule: nullWithoutEvents,
    resample: min,
  }),
  column('trade_amount_max', 'Largest amount', 'volume', 'amount', 'Largest amount of a trade', {
    nullRule: nullWithoutEvents,
    resample: max,
  }),
  column('trade_amount_range_ratio', 'Largest/smallest amount', 'ratio', 'none', 'Largest amount over smallest', {
    nullRule: nullWithoutEventsOrAtZero('the smallest amount'),
    resample: quotient('trade_amount_max', 'trade_amount_min'),
    large: 'high',
  }),
  column('trade_amount_cv', 'Amount variation', 'ratio', 'none', 'Standard deviation over mean of trade amounts', {
    nullRule: `${nullBelow(2)} or where the mean is 0`,
    large: 'high',
  }),
]
