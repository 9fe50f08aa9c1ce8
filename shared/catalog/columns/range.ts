import { column, type MetricColumn, needsEvents, weighted } from '../column.ts'

const nullBelow = (trades: number) => `Null in an interval of fewer than ${trades} trades`

export const rangeColumns: MetricColumn[] = [
  column('range', 'Price range', 'price', 'price', 'Highest minus lowest trade price', { resample: needsEvents }),
  column(
    'range_bps',
    'Price range',
    'bps',
    'bps',
    'Highest minus lowest trade price, over the close, in basis points',
    {
      large: 'high',
    },
  ),
  column('price_mean', 'Mean price', 'price', 'price', 'Mean trade price', {
    resample: weighted('trade_size.n_trades'),
  }),
  column('price_median', 'Median price', 'price', 'price', 'Median trade price', { resample: needsEvents }),
  column('price_std', 'Price std', 'price', 'price', 'Sample standard deviation of trade prices', {
    nullRule: nullBelow(2),
    resample: needsEvents,
  }),
  column('price_variance', 'Price variance', 'statistic', 'price²', 'Sample variance of trade prices', {
    nullRule: nullBelow(2),
  }),
  column('price_skewness', 'Price skewness', 'statistic', 'none', 'Bias-corrected skewness of trade prices', {
    nullRule: `${nullBelow(3)} or of equal prices`,
    large: 'far from 0',
  }),
  column('price_kurtosis', 'Price kurtosis', 'statistic', 'none', 'Bias-corrected excess kurtosis of trade prices', {
    nullRule: `${nullBelow(4)} or of equal prices`,
  }),
  column('price_range_ratio', 'Highest/lowest price', 'ratio', 'none', 'Highest over lowest trade price'),
  column('price_cv', 'Price variation', 'ratio', 'none', 'Standard deviation over mean of trade prices', {
    nullRule: nullBelow(2),
    large: 'high',
  }),
]
