import { column, max, type MetricColumn, min, nullWithoutEventsOrAtZero, weighted } from '../column.ts'

export const vtwapColumns: MetricColumn[] = [
  column('vwap', 'VWAP', 'price', 'price', 'Summed notional over summed amount of trades', {
    nullRule: nullWithoutEventsOrAtZero('the amount'),
    resample: weighted('ohlcv.volume'),
  }),
  column('twap', 'TWAP', 'price', 'price', 'Mean trade price', { resample: weighted('trade_size.n_trades') }),
]

export const ohlcvColumns: MetricColumn[] = [
  column('open', 'Open', 'price', 'price', 'Price of the first trade', { resample: { how: 'first' } }),
  column('high', 'High', 'price', 'price', 'Highest trade price', { resample: max }),
  column('low', 'Low', 'price', 'price', 'Lowest trade price', { resample: min }),
  column('close', 'Close', 'price', 'price', 'Price of the last trade'),
  column('volume', 'Volume', 'volume', 'amount', 'Summed amount of trades'),
  column('volume_notional', 'Notional', 'notional', 'quote', 'Summed notional of trades'),
]
