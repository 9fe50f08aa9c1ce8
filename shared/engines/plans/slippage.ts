import {
  add,
  all,
  centre,
  choose,
  count,
  define,
  differs,
  keep,
  mean,
  multiply,
  quantile,
  ratio,
  sqrt,
  subtract,
  total,
  value,
  variance,
} from '../expressions.ts'
import type { MetricPlan } from '../plan.ts'
import { isBuy, meansBySide, tradesPart } from './trades.ts'

export const slippagePlan: MetricPlan = {
  parts: [
    tradesPart({ reads: ['price'], steps: [], values: { trades: count() } }),
    {
      name: 'quoted',
      source: 'trades',
      reads: ['price', 'amount', 'sign'],
      asOf: [{ source: 'quotes', columns: { quote_bid: 'bid_price', quote_ask: 'ask_price' } }],
      steps: [
        keep(
          'Sided trades whose latest quote has both prices; 0 is a missing one',
          all(differs('sign', 0), differs('quote_bid', 0), differs('quote_ask', 0)),
        ),
        define('Part of the price beyond the best quote', {
          beyond: choose(isBuy, subtract('price', 'quote_ask'), subtract('quote_bid', 'price')),
          quote_mid: ratio(add('quote_bid', 'quote_ask'), 2),
        }),
        define('The same in basis points of the mid price', { bps: multiply(ratio('beyond', 'quote_mid'), 10_000) }),
        ...centre('bps'),
      ],
      values: {
        beyond_mean: mean('beyond'),
        bps_mean: mean('bps'),
        bps_variance: variance('bps_distance'),
        bps_middle: quantile('bps', 1, 2),
        bps_high: quantile('bps', 19, 20),
        bps_weighted: total(multiply('amount', 'bps')),
        bps_weight: total('amount'),
        ...meansBySide('bps', 'bps'),
      },
    },
  ],
  afterFill: [],
  columns: {
    slippage_mean: value('beyond_mean'),
    slippage_bps_mean: value('bps_mean'),
    slippage_bps_std: sqrt('bps_variance'),
    slippage_bps_median: value('bps_middle'),
    slippage_bps_p95: value('bps_high'),
    slippage_bps_vwap: ratio('bps_weighted', 'bps_weight'),
    slippage_bps_buy_mean: value('buy_bps_mean'),
    slippage_bps_sell_mean: value('sell_bps_mean'),
    slippage_bps_buy_sell_ratio: ratio('buy_bps_mean', 'sell_bps_mean'),
    slippage_bps_sell_buy_ratio: ratio('sell_bps_mean', 'buy_bps_mean'),
  },
}
