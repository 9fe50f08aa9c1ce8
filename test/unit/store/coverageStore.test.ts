import { expect, test } from 'vitest'
import type { RawCoverageRow, StoredDocument } from '#core/store/coverageStore.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const document = (name: string, connectionId = 'c'): StoredDocument => ({
  connectionId,
  name,
  body: '{}',
  fetchedAtMs: 5,
  generatedAtMs: null,
  source: 'https://catalog.example',
})

const row = (symbol: string, overrides: Partial<RawCoverageRow> = {}): RawCoverageRow => ({
  dataset: 'trades',
  exchange: 'venuea-futures',
  symbol,
  firstDay: 20_000,
  lastDay: 20_100,
  days: 99,
  missing: null,
  sizeBytes: null,
  ...overrides,
})

test('a new coverage index replaces the old one and says what is new, gone and longer', () => {
  const { coverage } = openTestStore()
  const first = coverage.replaceCoverage(document('raw-catalog'), [row('A'), row('B'), row('C')])
  expect(first).toMatchObject({ added: 3, gone: 0, longer: 0 })
  coverage.replaceCoverage(document('raw-catalog', 'other'), [row('Z')])
  const change = coverage.replaceCoverage(document('raw-catalog'), [row('A'), row('B', { lastDay: 20_101 }), row('D')])
  expect(change).toEqual({
    added: 1,
    gone: 1,
    longer: 1,
    examples: {
      added: ['trades · venuea-futures · D'],
      gone: ['trades · venuea-futures · C'],
      longer: ['trades · venuea-futures · B'],
    },
  })
  expect(coverage.coverage('c', { symbol: 'B' })).toEqual([row('B', { lastDay: 20_101 })])
  expect(coverage.coverage('c', { dataset: 'quotes' })).toEqual([])
  expect(coverage.coverage('c', {})).toHaveLength(3)
  expect(coverage.document('c', 'raw-catalog')).toEqual(document('raw-catalog'))
  expect(coverage.document('c', 'metrics-catalog')).toBeUndefined()
})

test('an import that fails half-way leaves the index as it was', () => {
  const { coverage } = openTestStore()
  coverage.replaceCoverage(document('raw-catalog'), [row('A')])
  const broken = row('B', { days: 1.5 })
  expect(() => coverage.replaceCoverage(document('raw-catalog'), [row('C'), broken])).toThrow()
  expect(coverage.coverage('c', {})).toEqual([row('A')])
})

test('symbols are found in any script, form and case, the closest first', () => {
  const { coverage } = openTestStore()
  const symbols = [
    'perpetual-BTC-USDT:USDT',
    'perpetual-龙-USDT:USDT',
    'perpetual-1000BTC-USDT:USDT',
    'perpetual-ABTC-USD:USDT',
  ]
  expect(coverage.replaceSymbols(document('symbols/venuea-futures'), 'venuea-futures', symbols)).toMatchObject({
    added: 4,
  })
  const found = (text: string) => coverage.searchSymbols('c', text, 10).map(({ symbol }) => symbol)
  expect(found('btc')).toEqual([symbols[0], symbols[3], symbols[2]])
  expect(found('ＢＴＣ-ｕｓｄｔ')).toEqual([symbols[0], symbols[2]])
  expect(found('龙')).toEqual([symbols[1]])
  expect(found('btc perp')).toEqual([symbols[0], symbols[3], symbols[2]])
  expect(found('BTC/USDT@venuea')).toEqual([symbols[0], symbols[2]])
  expect(found('btcusd')).toEqual([symbols[0], symbols[3], symbols[2]])
  expect(found('btc@elsewhere')).toEqual([])
  expect(found('%')).toEqual([])
  expect(coverage.symbols('c', 'venuea-futures')).toEqual([...symbols].sort())
  expect(coverage.replaceSymbols(document('symbols/venuea-futures'), 'venuea-futures', symbols.slice(1))).toMatchObject(
    { added: 0, gone: 1 },
  )
})
