import { column, type MetricColumn, nullWithoutEventsOrAtZero } from '../column.ts'

export const impactColumns: MetricColumn[] = [
  column(
    'amihud_like',
    'Illiquidity (Amihud)',
    'statistic',
    'return per quote',
    'Absolute return from first to last trade, over the traded notional',
    { nullRule: nullWithoutEventsOrAtZero('the notional') },
  ),
  column(
    'kyle_like_lambda',
    'Price impact (Kyle)',
    'statistic',
    'return per amount',
    'Covariance of trade returns and signed amounts over the variance of signed amounts (buys +, sells −, unknown 0)',
    { nullRule: 'Null with fewer than 2 trade returns or where the signed amounts are all equal', large: 'far from 0' },
  ),
  column(
    'impact_per_notional',
    'Impact per net notional',
    'statistic',
    'return per quote',
    'Absolute return from first to last trade, over the absolute difference of buy and sell notional',
    { nullRule: nullWithoutEventsOrAtZero('that difference') },
  ),
  column(
    'large_trade_reversal',
    'Return after large trades',
    'return',
    'return',
    'Mean return from a trade to the fifth trade after it, over trades in the interval’s top tenth by notional',
    { nullRule: 'Null where no such trade has a fifth trade after it in the interval' },
  ),
  column(
    'directional_impact_asymmetry',
    'Impact asymmetry',
    'return',
    'return',
    'Mean trade return at buys minus mean negated trade return at sells',
    { nullRule: 'Null unless both a buy and a sell follow another trade in the interval' },
  ),
]
