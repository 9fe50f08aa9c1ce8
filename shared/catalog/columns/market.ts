import { column, max, type MetricColumn, min, needsEvents, orZeroDenominator } from '../column.ts'

export const vtwapColumns: MetricColumn[] = [
  column('vwap', 'VWAP', 'price', 'price', 'Summed notional over summed amount of trades', {
    nullRule: orZeroDenominator('the amount'),
    resample: needsEvents,
  }),
  column('twap', 'TWAP', 'price', 'price', 'Mean trade price', { resample: needsEvents }),
]

export const ohlcvColumns: MetricColumn[] = [
  column('open', 'Open', 'price', 'price', 'Price of the first trade', { resample: { how: 'first' } }),
  column('high', 'High', 'price', 'price', 'Highest trade price', { resample: max }),
  column('low', 'Low', 'price', 'price', 'Lowest trade price', { resample: min }),
  column('close', 'Close', 'price', 'price', 'Price of the last trade'),
  column('volume', 'Volume', 'volume', 'amount', 'Summed amount of trades'),
  column('volume_notional', 'Notional', 'notional', 'quote', 'Summed notional of trades'),
]
