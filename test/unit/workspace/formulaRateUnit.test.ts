import { expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { formulaRateUnit } from '#shared/workspace/formulaRateUnit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'

const instrument = {
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
} as const
const columnOf = (dataset: string, column: string) => ({
  ...({ kind: 'column', dataset, column, ...instrument, resampleTo: '', origin: 'service' } as const),
})

it.each([
  ['settled(a)', 'bps'],
  ['ffill(cumsum(settled(a)))', 'bps'],
  ['sma(a, 24) - a', 'bps'],
  ['a - funding.funding_rate', 'bps'],
  ['c - a', 'bps'],
  ['annual(a)', 'annual'],
  // Formulas that convert by themselves, or that keep no rate, are shown as they are computed.
  ['a * 10000', undefined],
  ['annual(a) * 100', undefined],
  ['zscore(a, 24)', undefined],
  ['a / c', undefined],
  ['a > 0', undefined],
  ['b * 2 - b', undefined],
  ['a * b', undefined],
  ['a +', undefined],
] as const)('shows %s over funding in %s', (formula, unit) => {
  let { document } = addSeries(emptyDocument(), null, { source: columnOf('funding', 'funding_rate') })
  document = addSeries(document, null, { source: columnOf('ohlcv', 'close') }).document
  document = addSeries(document, null, { source: { kind: 'formula', formula: 'settled(a)' } }).document
  const source = { kind: 'formula', formula, on: instrument } as const
  expect(formulaRateUnit({ name: 'd', source }, allSeries(document))).toBe(unit)
})
