import { describe, expect, it } from 'vitest'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import { cachedRows, columnItems } from '../../../renderer/views/workbench/pickerItems.ts'

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
