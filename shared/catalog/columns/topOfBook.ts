import {
  approximate,
  column,
  type ColumnKind,
  type ColumnUnit,
  last,
  lastWhere,
  weighted,
  type MetricColumn,
  needsEvents,
  nullWithoutEvents,
  nullWithoutEventsOrAtZero,
} from '../column.ts'

const lastRowTraits = { nullRule: nullWithoutEvents, resample: last } as const
/** Number of quotes, the weight for averages over quotes; only `l1_price` has this column. */
const quoteCount = 'quote_update_frequency'
const weightedByQuotes = weighted(`l1_price.${quoteCount}`)
const averagedTraits = { resample: weightedByQuotes, nullRule: nullWithoutEvents } as const
/**
 * Declares a mean weighted by the number of all quotes, including quotes that lack the value, with its largest error,
 * in per cent, on days of uneven activity.
 */
const weightedByAllQuotes = (
  unevenOffByPercent: number,
  weight = `l1_price.${quoteCount}`,
  isRelativeToMean?: boolean,
) =>
  approximate(weighted(weight), {
    reason: 'quotes that lack the value count in the weight too',
    offByPercent: 0,
    unevenOffByPercent,
    ...(isRelativeToMean && { isRelativeToMean }),
  })
const noPrice = 'Null without quotes in the interval, or where the last quote lacks the price'
const noAverage = 'Null where no quote of the interval has a value'
const lastQuoteTraits = { nullRule: noPrice, resample: lastWhere('ask_amount') } as const
const meanPriceTraits = { nullRule: noAverage, resample: weightedByAllQuotes(1, quoteCount) } as const
const weightedPriceTraits = { nullRule: noAverage, resample: needsEvents } as const
const meanShareTraits = { nullRule: noAverage, resample: weightedByAllQuotes(1) } as const
const overQuotes = 'Mean over the interval’s quotes of'

export const l1PriceColumns: MetricColumn[] = [
  column('ask_price', 'Ask', 'price', 'price', 'Last best ask price', lastQuoteTraits),
  column('bid_price', 'Bid', 'price', 'price', 'Last best bid price', lastQuoteTraits),
  column('ask_amount', 'Ask amount', 'volume', 'amount', 'Last quantity at the best ask', lastRowTraits),
  column('bid_amount', 'Bid amount', 'volume', 'amount', 'Last quantity at the best bid', lastRowTraits),
  column('quote_update_frequency', 'Quote updates', 'count', 'events', 'Number of top-of-book updates'),
  column(
    'avg_update_interval',
    'Time between quotes',
    'duration',
    'ms',
    'Mean milliseconds between consecutive quotes of the interval',
    { nullRule: 'Null with fewer than 2 quotes in the interval' },
  ),
  column('midprice', 'Mid price', 'price', 'price', 'Mean of the last bid and ask price', lastQuoteTraits),
  column(
    'weighted_midprice',
    'Weighted mid price',
    'price',
    'price',
    'Last ask price times bid amount plus bid price times ask amount, over the summed amounts',
    { nullRule: `${noPrice} or amounts`, resample: lastWhere('ask_amount') },
  ),
  column('bid_price_twap', 'Mean bid', 'price', 'price', `${overQuotes} the bid price`, meanPriceTraits),
  column('ask_price_twap', 'Mean ask', 'price', 'price', `${overQuotes} the ask price`, meanPriceTraits),
  column(
    'bid_price_vwap',
    'Weighted mean bid',
    'price',
    'price',
    `${overQuotes} the bid price, weighted by amount`,
    weightedPriceTraits,
  ),
  column(
    'ask_price_vwap',
    'Weighted mean ask',
    'price',
    'price',
    `${overQuotes} the ask price, weighted by amount`,
    weightedPriceTraits,
  ),
]

const imbalance = 'best-bid amount minus best-ask amount'
const nullAtZeroDepth = nullWithoutEventsOrAtZero('the summed amount')
const lastDepthTraits = { nullRule: nullAtZeroDepth, resample: lastWhere('imbalance') } as const

export const l1ImbalanceColumns: MetricColumn[] = [
  column('imbalance', 'Imbalance', 'volume', 'amount', `Last ${imbalance}`, { ...lastRowTraits, large: 'far from 0' }),
  column('imbalance_ratio', 'Imbalance ratio', 'ratio', 'none', `Last ${imbalance}, over their sum`, {
    ...lastDepthTraits,
    large: 'far from 0',
  }),
  column('bid_ask_ratio', 'Bid/ask amount', 'ratio', 'none', 'Last best-bid amount over best-ask amount', {
    nullRule: nullWithoutEventsOrAtZero('the ask amount'),
    resample: lastWhere('imbalance'),
  }),
  column(
    'bid_percentage',
    'Bid share',
    'fraction',
    'none',
    'Last best-bid amount over the summed amount',
    lastDepthTraits,
  ),
  column(
    'ask_percentage',
    'Ask share',
    'fraction',
    'none',
    'Last best-ask amount over the summed amount',
    lastDepthTraits,
  ),
  column('imbalance_avg', 'Mean imbalance', 'volume', 'amount', `${overQuotes} ${imbalance}`, {
    ...averagedTraits,
    large: 'far from 0',
  }),
  column('imbalance_ratio_avg', 'Mean imbalance ratio', 'ratio', 'none', `${overQuotes} the imbalance ratio`, {
    nullRule: noAverage,
    resample: weightedByAllQuotes(2, undefined, true),
    large: 'far from 0',
  }),
  column('bid_ask_ratio_avg', 'Mean bid/ask amount', 'ratio', 'none', `${overQuotes} bid over ask amount`, {
    nullRule: noAverage,
    resample: weightedByAllQuotes(3),
  }),
  column('bid_percentage_avg', 'Mean bid share', 'fraction', 'none', `${overQuotes} the bid share`, meanShareTraits),
  column('ask_percentage_avg', 'Mean ask share', 'fraction', 'none', `${overQuotes} the ask share`, meanShareTraits),
]

/**
 * A quantity from which two columns are declared: its last value and its mean. The last entry is the largest error,
 * in per cent, of the resampled mean on days of uneven activity, or null if this mean is exact.
 */
type LiquidityMeasure = [
  name: string,
  label: string,
  kind: ColumnKind,
  unit: ColumnUnit,
  description: string,
  nullRule: string,
  unevenOffByPercent: number | null,
]

const liquidity: LiquidityMeasure[] = [
  ['spread', 'Spread', 'price', 'price', 'absolute difference of ask and bid price', noPrice, 1],
  ['spread_bps', 'Spread', 'bps', 'bps', 'spread in basis points of the mid price', noPrice, 1],
  [
    'spread_depth_ratio',
    'Spread per depth',
    'ratio',
    'price per amount',
    'spread over total depth',
    `${noPrice}, or depth`,
    7,
  ],
  ['total_depth', 'Depth', 'volume', 'amount', 'best-bid plus best-ask amount', nullWithoutEvents, null],
  ['dollar_depth_bid', 'Bid notional', 'notional', 'quote', 'bid price times bid amount', noPrice, 3],
  ['dollar_depth_ask', 'Ask notional', 'notional', 'quote', 'ask price times ask amount', noPrice, 4],
  ['total_dollar_depth', 'Notional depth', 'notional', 'quote', 'bid notional plus ask notional', noPrice, 5],
]

export const l1LiquidityColumns: MetricColumn[] = [
  ...liquidity.map(([name, label, kind, unit, description, nullRule]) =>
    column(name, label, kind, unit, `Last ${description}`, {
      nullRule,
      resample: name === 'total_depth' ? last : lastWhere('total_depth'),
      large: 'high',
    }),
  ),
  ...liquidity.map(([name, label, kind, unit, description, , unevenOffByPercent]) =>
    column(`${name}_avg`, `Mean ${label.toLowerCase()}`, kind, unit, `${overQuotes} ${description}`, {
      nullRule: noAverage,
      resample: unevenOffByPercent === null ? weightedByQuotes : weightedByAllQuotes(unevenOffByPercent),
      large: 'high',
    }),
  ),
]
