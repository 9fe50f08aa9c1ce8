import { column, type MetricColumn, nullWithoutEvents, nullWithoutEventsOrAtZero, quotient, share } from '../column.ts'

const sides = ['buy', 'sell'] as const
const sizes = ['small', 'medium', 'large'] as const
const notionalRange = { small: 'below 100', medium: 'from 100 to below 1,000', large: 'of 1,000 or more' }

const capitalised = (word: string) => word[0].toUpperCase() + word.slice(1)

function sizeClassColumns(side: (typeof sides)[number], size: (typeof sizes)[number]): MetricColumn[] {
  const name = (measure: string) => `taker_${side}_${size}_order_${measure}`
  const label = `${capitalised(size)} ${side} orders`
  const tradesText = `${side} trades with a notional ${notionalRange[size]}`
  return [
    column(name('volume'), `${label}: notional`, 'notional', 'quote', `Summed notional of ${tradesText}`),
    column(name('count'), `${label}: count`, 'count', 'trades', `Number of ${tradesText}`),
    column(
      name('percentage'),
      `${label}: notional per amount`,
      'ratio',
      'quote per amount',
      `Summed notional of ${tradesText}, over the amount of all ${side} trades`,
      {
        nullRule: nullWithoutEventsOrAtZero(`the amount of all ${side} trades`),
        resample: quotient(name('volume'), `taker_${side}_volume`),
        large: 'high',
      },
    ),
    column(
      name('count_percentage'),
      `${label}: share of count`,
      'fraction',
      'none',
      `Number of ${tradesText}, over the number of all ${side} trades`,
      {
        nullRule: nullWithoutEventsOrAtZero(`the number of ${side} trades`),
        resample: quotient(name('count'), `taker_${side}_count`),
        large: 'high',
      },
    ),
  ]
}

export const flowColumns: MetricColumn[] = [
  column('taker_buy_volume', 'Taker buy volume', 'volume', 'amount', 'Summed amount of buy trades'),
  column('taker_sell_volume', 'Taker sell volume', 'volume', 'amount', 'Summed amount of sell trades'),
  column('taker_buy_count', 'Taker buys', 'count', 'trades', 'Number of buy trades'),
  column('taker_sell_count', 'Taker sells', 'count', 'trades', 'Number of sell trades'),
  column('volume_delta', 'Volume delta', 'volume', 'amount', 'Buy amount minus sell amount', { large: 'far from 0' }),
  column('volume_delta_notional', 'Notional delta', 'notional', 'quote', 'Buy notional minus sell notional', {
    large: 'far from 0',
  }),
  column(
    'flow_entropy',
    'Flow entropy',
    'statistic',
    'nats',
    'Entropy of the split of sided amount into buys and sells: minus the sum of w·ln w over both shares w; at most ln 2',
    {
      nullRule: nullWithoutEventsOrAtZero('the sided amount'),
      resample: { how: 'entropy', columns: ['taker_buy_volume', 'taker_sell_volume'] },
    },
  ),
  column(
    'flow_toxicity_score',
    'Flow toxicity',
    'score',
    'none',
    'z-score of signed notional flow times z-score of realised volatility, each against the intervals of the UTC day so far, this one included',
    {
      nullRule: `${nullWithoutEvents}, in a day’s first interval and where either quantity has not varied yet that day`,
    },
  ),
  column('taker_buy_sell_ratio', 'Buy/sell amount', 'ratio', 'none', 'Buy amount over sell amount', {
    nullRule: nullWithoutEventsOrAtZero('the sell amount'),
    resample: quotient('taker_buy_volume', 'taker_sell_volume'),
  }),
  column('taker_buy_sell_count_ratio', 'Buy/sell count', 'ratio', 'none', 'Number of buys over number of sells', {
    nullRule: nullWithoutEventsOrAtZero('the number of sells'),
    resample: quotient('taker_buy_count', 'taker_sell_count'),
  }),
  column(
    'taker_buy_sell_percentage',
    'Buy share of amount',
    'fraction',
    'none',
    'Buy amount over the amount of buys and sells',
    {
      nullRule: nullWithoutEventsOrAtZero('the sided amount'),
      resample: share('taker_buy_volume', ['taker_buy_volume', 'taker_sell_volume']),
    },
  ),
  column(
    'taker_buy_sell_count_percentage',
    'Buy share of count',
    'fraction',
    'none',
    'Number of buys over the number of buys and sells',
    {
      nullRule: nullWithoutEventsOrAtZero('the number of sided trades'),
      resample: share('taker_buy_count', ['taker_buy_count', 'taker_sell_count']),
    },
  ),
  ...sides.flatMap((side) => sizes.flatMap((size) => sizeClassColumns(side, size))),
]
