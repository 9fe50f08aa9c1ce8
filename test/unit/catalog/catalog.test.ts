import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { column } from '#shared/catalog/column.ts'
import { metricDatasets, metricDataset, servedColumns } from '#shared/catalog/metricDatasets.ts'
import { rawColumns, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { decodeSymbol, encodeSymbol, formatSymbol, parseSymbol } from '#shared/catalog/symbols.ts'

describe('metric datasets', () => {
  it('are the eighteen of the service with as many columns as it documents', () => {
    const widths = Object.fromEntries(metricDatasets.map((dataset) => [dataset.id, servedColumns(dataset).length]))
    expect(widths).toEqual({
      flow: 36,
      trade_size: 24,
      range: 10,
      impact: 5,
      updownticks: 14,
      run_structure: 7,
      returns: 6,
      slippage: 10,
      vtwap: 2,
      ohlcv: 6,
      basis: 8,
      funding: 3,
      open_interest: 4,
      l1_price: 12,
      l1_imbalance: 10,
      l1_liquidity: 14,
      l2_imbalance: 24,
      l2_liquidity: 16,
    })
  })

  it('are not claimed to be served if only this machine computes them', () => {
    const [flow, ours] = [
      column('buy_volume', 'Bought', 'volume', 'amount', 'Sum of bought amounts'),
      column('buy_share', 'Share bought', 'fraction', 'none', 'Bought over all', { origin: 'local' }),
    ]
    expect(servedColumns({ columns: [flow, ours] })).toEqual([flow])
  })

  it('have the columns of the service first, as its files have them', () => {
    for (const dataset of metricDatasets) {
      const served = servedColumns(dataset)
      expect(dataset.columns.slice(0, served.length), dataset.id).toEqual(served)
    }
  })

  /** Tells whether a weight is a column of the same dataset or, as in `ohlcv.volume`, of another one. */
  const isColumn = (weight: string, ownNames: string[]) => {
    const [dataset, column] = weight.split('.')
    const others = metricDatasets.find(({ id }) => id === dataset)?.columns.map(({ name }) => name)
    return column ? others?.includes(column) : ownNames.includes(weight)
  }

  it.each(metricDatasets.map((dataset) => [dataset.id, dataset] as const))(
    '%s says each column once, in full',
    (_id, { columns }) => {
      const names = columns.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names).not.toContain('time')
      for (const { name, label, formula, nullRule, resample } of columns) {
        expect(
          [label, formula, nullRule].every((text) => text.length > 2),
          name,
        ).toBe(true)
        if (resample.how === 'quotient')
          expect(names).toEqual(expect.arrayContaining([resample.numerator, resample.denominator]))
        if (resample.how === 'mean' && resample.weight) expect(isColumn(resample.weight, names), name).toBe(true)
      }
    },
  )

  it('know what is 0 in an interval without events', () => {
    const zeros = (id: Parameters<typeof metricDataset>[0]) =>
      metricDataset(id).columns.flatMap(({ name, zeroWhenEmpty }) => (zeroWhenEmpty ? [name] : []))
    expect(zeros('l1_price')).toEqual(['quote_update_frequency'])
    expect(zeros('funding')).toEqual(['funding_rate_update_frequency'])
    expect(zeros('ohlcv')).toEqual(['volume', 'volume_notional'])
    expect(zeros('returns')).toEqual([])
    expect(zeros('flow').filter((name) => !/_(volume|count)$/.test(name))).toEqual([
      'volume_delta',
      'volume_delta_notional',
    ])
  })
})

describe('raw datasets', () => {
  it('have the kind of exchange time right after it where a venue has none', () => {
    const names = rawColumns('mark_price', true).map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['exchange_timestamp', 'exchange_timestamp_kind', 'local_timestamp'])
    expect(rawColumns('mark_price', false).map(({ name }) => name)).not.toContain('exchange_timestamp_kind')
    expect(rawDatasets).toHaveLength(6)
  })
})

describe('symbols', () => {
  const asset = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .filter((text) => /^[^\s\p{C}/\\:-]+$/u.test(text))

  it('come back from their parts and from their folder name', () => {
    fc.assert(
      fc.property(asset, asset, asset, (base, quote, settle) => {
        const symbol = formatSymbol({ base, quote, settle })
        expect(parseSymbol(symbol)).toEqual({ base, quote, settle })
        expect(decodeSymbol(encodeSymbol(symbol))).toBe(symbol)
      }),
    )
  })

  it.each([
    '',
    'BTC',
    'perpetual-BTC',
    'perpetual-BTC-USDT',
    'perpetual-:USDT',
    'perpetual-a/b-USDT:USDT',
    'perpetual-..\\a-b:c',
    'perpetual-a b-c:d',
    'perpetual-\ud800-c:d',
  ])('does not take %j for one', (text) => expect(parseSymbol(text)).toBeNull())

  it('keep hyphens in the base', () => {
    expect(parseSymbol('perpetual-A-B-USDT:USDC')).toEqual({ base: 'A-B', quote: 'USDT', settle: 'USDC' })
  })
})
