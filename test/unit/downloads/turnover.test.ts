import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn } from '#shared/contract/frame.ts'
import { candleGroups, turnoverBySymbol } from '../../../renderer/widgets/turnover.ts'

describe('turnover of cached candles', () => {
  const rows = [
    ['metrics', 'ohlcv', 'a', 'BTC', '1m', 'exchange'],
    ['metrics', 'ohlcv', 'a', 'BTC', '1h', 'exchange'],
    ['metrics', 'ohlcv', 'a', 'ETH', '1h', 'exchange'],
    ['metrics', 'ohlcv', 'a', 'ETH', '4h', 'true'],
    ['metrics', 'ohlcv', 'a', 'BTC', '4h', 'true'],
    ['metrics', 'flow', 'b', 'BTC', '1h', 'exchange'],
    ['raw', 'ohlcv', 'b', 'BTC', '', ''],
  ]
  const names = ['kind', 'dataset', 'exchange', 'symbol', 'interval', 'timestamp']
  const columns = names.map((name, at) =>
    textColumn(
      name,
      rows.map((row) => row[at]),
    ),
  )

  it('is taken from the candles with most symbols, of the longest interval among equals', () => {
    expect(candleGroups({ rows: rows.length, columns }, ['a', 'b'])).toEqual([
      { exchange: 'a', interval: '4h', timestamp: 'true', symbolCount: 2 },
    ])
    expect(candleGroups({ rows: 0, columns: [] }, ['a'])).toEqual([])
  })

  it('is the mean volume times the last price for an hour, where both are known', () => {
    const frame = (values: (number | null)[], symbols = ['BTC', 'ETH', 'SOL']) => ({
      rows: values.length,
      columns: [textColumn('symbol', symbols), numberColumn('value', values)],
    })
    expect(turnoverBySymbol(frame([10, 100, null]), frame([20_000, 1000, 5]), 1800)).toEqual(
      new Map([
        ['BTC', 400_000],
        ['ETH', 200_000],
      ]),
    )
    expect(turnoverBySymbol(frame([1]), frame([1], ['XRP']), 60)).toEqual(new Map())
  })
})
