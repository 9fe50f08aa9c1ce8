import { column, type MetricColumn, needsEvents } from '../column.ts'

const slippage = 'slippage (paid beyond the prevailing quote; negative is price improvement)'
const nullRule = 'Null without a sided trade that has a quote before it'

export const slippageColumns: MetricColumn[] = [
  column(
    'slippage_mean',
    'Mean slippage',
    'price',
    'price',
    'Mean of trade price minus ask for buys and bid minus trade price for sells',
    { nullRule, resample: needsEvents, large: 'far from 0' },
  ),
  column('slippage_bps_mean', 'Mean slippage', 'bps', 'bps', `Mean ${slippage} in basis points of the mid price`, {
    nullRule,
  }),
  column('slippage_bps_std', 'Slippage std', 'bps', 'bps', `Sample standard deviation of ${slippage}`, {
    nullRule: 'Null with fewer than 2 such trades',
    large: 'high',
  }),
  column('slippage_bps_median', 'Median slippage', 'bps', 'bps', `Median ${slippage}`, { nullRule }),
  column('slippage_bps_p95', 'Slippage, 95th percentile', 'bps', 'bps', `95th percentile of ${slippage}`, { nullRule }),
  column('slippage_bps_vwap', 'Size-weighted slippage', 'bps', 'bps', `Mean ${slippage}, weighted by amount`, {
    nullRule: `${nullRule} or where their amount is 0`,
  }),
  column('slippage_bps_buy_mean', 'Buy slippage', 'bps', 'bps', `Mean ${slippage} of buy trades`, {
    nullRule: 'Null without a buy trade that has a quote before it',
  }),
  column('slippage_bps_sell_mean', 'Sell slippage', 'bps', 'bps', `Mean ${slippage} of sell trades`, {
    nullRule: 'Null without a sell trade that has a quote before it',
  }),
  column('slippage_bps_buy_sell_ratio', 'Buy/sell slippage', 'ratio', 'none', 'Buy mean over sell mean', {
    nullRule: 'Null unless both sides have a mean and the sell mean is not 0',
  }),
  column('slippage_bps_sell_buy_ratio', 'Sell/buy slippage', 'ratio', 'none', 'Sell mean over buy mean', {
    nullRule: 'Null unless both sides have a mean and the buy mean is not 0',
  }),
]
