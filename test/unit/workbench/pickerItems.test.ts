import { describe, expect, it } from 'vitest'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import { cachedRows, columnItems, splitColumnText, symbolItems } from '../../../renderer/views/workbench/pickerItems.ts'

describe('columns to pick from', () => {
  const all = columnItems(knownDatasets(null), '')

  it('are told apart within their dataset by what is read first', () => {
    const seen = all.map(({ id, title }) => `${id.slice(0, id.lastIndexOf('/'))} ${title}`)
    expect(seen.filter((each, at) => seen.indexOf(each) !== at)).toEqual([])
    expect(all.filter(({ id }) => /^basis\/basis(_bps)?$/.test(id)).map(({ title }) => title)).toEqual([
      'Basis, price',
      'Basis, bps',
    ])
  })

  it('are found by words of their name, their dataset and their label', () => {
    expect(columnItems(knownDatasets(null), 'flow toxicity').map(({ hint }) => hint)).toEqual([
      'flow.flow_toxicity_score',
    ])
  })
})

it('a symbol typed among the words of a column is told from them', () => {
  const symbols = ['BTC-USDT:USDT', 'SOL-USDT:USDT', 'WBTC-USDT:USDT'].map((pair) => `perpetual-${pair}`)
  const split = (text: string) => Object.values(splitColumnText(knownDatasets(null), symbols, text))
  expect(split('funding btc')).toEqual(['funding', 'btc'])
  expect(split('sol@heron flow toxicity')).toEqual(['flow toxicity', 'sol@heron'])
  expect(split('flow toxicity')).toEqual(['flow toxicity', ''])
  expect(split('btc')).toEqual(['btc', ''])
  expect(split('funding doge')).toEqual(['funding doge', ''])
  expect(split('nothing btc')).toEqual(['nothing btc', ''])
})

it('symbols are found as people write them', () => {
  const symbols = ['BTC-USDC:USDC', 'BTC-USDT:USDT', 'ETH-USDT:USDT'].map((pair) => `perpetual-${pair}`)
  const found = (text: string) => symbolItems(symbols, new Set(), text).map(({ id }) => id)
  for (const text of ['btc', 'BTC perp', 'btc@heron', 'btc-perp @ her'])
    expect(found(text), text).toEqual([symbols[1], symbols[0]])
  for (const text of ['btcusdt', 'BTC/USDT', 'btc-usdt:usdt']) expect(found(text), text).toEqual([symbols[1]])
  expect(found('sol')).toEqual([])
})

it('the rows of a series that is here are drawn in place of some that are not', () => {
  const rows = (interval: string, timestamp = 'exchange') => ({
    ...{ dataset: 'ohlcv', exchange: 'heron', symbol: 'perpetual-BTC-USDT:USDT' },
    interval,
    timestamp,
  })
  const wanted = { interval: '1m', timestamp: 'exchange' }
  expect(cachedRows([rows('1d'), rows('1h'), rows('1m', 'true')], wanted)).toMatchObject({ interval: '1h' })
  expect(cachedRows([rows('5m', 'true')], wanted)).toMatchObject({ interval: '5m', timestamp: 'true' })
  expect(cachedRows([rows('15s'), rows('1m')], wanted)).toBe(wanted)
  expect(cachedRows([], wanted)).toBe(wanted)
})
