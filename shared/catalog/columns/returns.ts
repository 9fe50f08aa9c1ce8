import { column, type MetricColumn } from '../column.ts'

const nullBelow = (returns: number) => `Null with fewer than ${returns} trade returns in the interval`

export const returnsColumns: MetricColumn[] = [
  column('logret_var', 'Return variance', 'statistic', 'log return²', 'Sample variance of log trade returns', {
    nullRule: nullBelow(2),
  }),
  column(
    'realized_vol',
    'Realised volatility',
    'return',
    'log return',
    'Square root of the sum of squared log trade returns',
    {
      nullRule: nullBelow(1),
      large: 'high',
    },
  ),
  column(
    'bipower_variation',
    'Bipower variation',
    'statistic',
    'log return²',
    'π/2 times the sum of products of adjacent absolute log trade returns: variance without jumps',
    { nullRule: nullBelow(2) },
  ),
  column(
    'jump_ratio',
    'Jump share',
    'fraction',
    'none',
    'Sum of squared log trade returns minus bipower variation, over that sum; may be below 0',
    { nullRule: `${nullBelow(2)} or where all are 0`, large: 'high' },
  ),
  column(
    'ret_autocorr_lag1',
    'Return autocorrelation',
    'ratio',
    'none',
    'Correlation of each log trade return with the one before; below 0 mean-reverting, above 0 trending',
    {
      nullRule: 'Null with fewer than 2 pairs of returns or where either side of the pairs is constant',
      large: 'far from 0',
    },
  ),
  column(
    'trendiness',
    'Trendiness',
    'fraction',
    'none',
    'Absolute sum of log trade returns over the sum of their absolute values: 1 trending, 0 mean-reverting',
    { nullRule: `${nullBelow(1)} or where all are 0`, large: 'high' },
  ),
]
