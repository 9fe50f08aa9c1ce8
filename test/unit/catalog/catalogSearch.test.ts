import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catalogChange } from '#shared/catalog/catalogChange.ts'
import { catalogSearch } from '#shared/catalog/catalogSearch.ts'
import { knownDatasets, type ServiceDatasetFacts } from '#shared/catalog/knownDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { rawSearch } from '#shared/catalog/rawSearch.ts'
import { typoDistance } from '#shared/catalog/rankedEntries.ts'

const serviceFacts = (overrides: Partial<ServiceDatasetFacts> = {}): ServiceDatasetFacts => ({
  id: 'dragon',
  name: '龙 metrics',
  category: '',
  description: 'Ｗｉｄｅ words',
  fields: [{ name: 'fire', label: 'Fire', description: 'Heat per breath' }],
  ...overrides,
})

const search = catalogSearch(knownDatasets([serviceFacts()]))
const placeOf = ({ dataset, column }: ReturnType<typeof search>[number]) =>
  column ? `${dataset.id}.${column.name}` : dataset.id
const first = (query: string) => search(query).map(placeOf).at(0)

describe('search in the catalog', () => {
  test.each([
    ['CVD', 'flow.volume_delta'],
    ['oi', 'open_interest'],
    ['rv', 'returns.realized_vol'],
    ['funding', 'funding.funding_rate'],
    ['toxicity', 'flow.flow_toxicity_score'],
    ['TOXICITY', 'flow.flow_toxicity_score'],
    ['toxcity', 'flow.flow_toxicity_score'],
    ['toxictiy', 'flow.flow_toxicity_score'],
    ['flow_toxicity', 'flow.flow_toxicity_score'],
    ['flow_toxcity', 'flow.flow_toxicity_score'],
    ['toxicity flow', 'flow.flow_toxicity_score'],
    ['slippage', 'slippage'],
    ['slipage', 'slippage'],
    ['vwap', 'vtwap'],
    ['candles close', 'ohlcv.close'],
    ['kyle', 'impact.kyle_like_lambda'],
    ['龙', 'dragon'],
    ['wide', 'dragon'],
    ['breath', 'dragon.fire'],
  ])('%s finds %s first', (query, wanted) => {
    expect(first(query)).toBe(wanted)
  })

  test('finds nothing where a word is nowhere, and nothing for no words', () => {
    expect(search('toxicity zebra')).toEqual([])
    expect(search('   ')).toEqual([])
    expect(search('xq')).toEqual([])
  })

  test('finds every column by its own name', () => {
    for (const dataset of knownDatasets(null))
      for (const { name } of dataset.columns) expect(search(name).map(placeOf), name).toContain(`${dataset.id}.${name}`)
  })
})

test.each([
  ['quotes', 'quotes'],
  ['fundng', 'funding_rate'],
  ['trdaes', 'trades'],
  ['exchange_timestmap', 'trades'],
])('search in the catalog of raw events: %s finds %s', (query, wanted) => {
  expect(rawSearch(rawDatasets)(query).map(({ id }) => id)).toContain(wanted)
  expect(rawSearch(rawDatasets)(`${query} zebra`)).toEqual([])
})

describe('typos', () => {
  test.each([
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['abc', 'abxc', 1],
    ['abcd', 'badc', 2],
    ['', 'ab', 2],
  ])('%s → %s: %i', (from, to, count) => {
    expect(typoDistance(from, to)).toBe(count)
  })

  test('are the same both ways, none for the same word, and at most its length', () => {
    const word = fc.string({ maxLength: 9 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(typoDistance(a, b)).toBe(typoDistance(b, a))
        expect(typoDistance(a, a)).toBe(0)
        expect(typoDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })
})

describe('what the documents and a service say of datasets', () => {
  test('a dataset only the service knows stands beside the others, with what it says', () => {
    const dragon = knownDatasets([serviceFacts()]).at(-1)
    expect(dragon).toMatchObject({ id: 'dragon', name: '龙 metrics', category: 'Other', minTier: null, events: null })
    expect(dragon?.columns).toEqual([
      { name: 'fire', label: 'Fire', formula: 'Heat per breath', meaning: null, served: null, serviceTexts: null },
    ])
  })

  test('other words and columns of the service are kept beside ours', () => {
    const [flow, tradeSize] = knownDatasets([
      serviceFacts({
        id: 'flow',
        name: 'Flows',
        fields: [
          { name: 'volume_delta', label: 'Delta', description: '' },
          { name: 'brand_new', label: '', description: 'Something' },
        ],
      }),
    ])
    expect(flow.serviceTexts).toMatchObject({ name: 'Flows' })
    expect(flow.columns.find(({ name }) => name === 'volume_delta')?.serviceTexts).toEqual({
      label: 'Delta',
      description: '',
    })
    expect(flow.columns.find(({ name }) => name === 'taker_buy_count')?.serviceTexts).toBeNull()
    expect(flow.columns.at(-1)).toMatchObject({ name: 'brand_new', label: 'brand_new', formula: 'Something' })
    expect([flow.isListed, tradeSize.isListed]).toEqual([true, false])
    expect(knownDatasets(null).every(({ isListed }) => isListed)).toBe(true)
  })
})

test('a refreshed catalog tells what is new, gone and said otherwise', () => {
  const before = [serviceFacts(), serviceFacts({ id: 'old', fields: [] })]
  const after = [
    serviceFacts({
      name: 'Dragons',
      fields: [
        { name: 'fire', label: 'Flame', description: 'Heat per breath' },
        { name: 'smoke', label: '', description: '' },
      ],
    }),
  ]
  expect(catalogChange(before, after)).toEqual({
    added: ['dragon · smoke'],
    gone: ['old'],
    reworded: ['dragon', 'dragon · fire'],
  })
  expect(catalogChange(after, after)).toEqual({ added: [], gone: [], reworded: [] })
})

describe('an id as it is printed', () => {
  const search = catalogSearch(knownDatasets(null))

  test.each([
    ['ohlcv.close', 'ohlcv', 'close'],
    ['flow.flow_toxicity_score', 'flow', 'flow_toxicity_score'],
    ['trade_size.n_trades', 'trade_size', 'n_trades'],
  ])('%s finds its column first', (printed, dataset, column) => {
    const [first] = search(printed)
    expect([first?.dataset.id, first?.column?.name]).toEqual([dataset, column])
  })
})
