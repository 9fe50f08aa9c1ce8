import { expect, it } from 'vitest'
import { documentDifferences } from '#shared/lab/documentDifferences.ts'
import { documentTemplate } from '#shared/lab/describeFields.ts'
import { fieldsWithin } from '#shared/lab/kinds/field.ts'
import { kindFacts, labKinds } from '#shared/lab/kinds.ts'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { recipeSentences, sentenceText } from '#shared/lab/recipe.ts'

const { studies, test } = readyStudiesOn({ venue: 'venuea-futures', nowMs: Date.UTC(2026, 7, 15) })
const ready = [...studies, test].map(({ document }) => document)
const textsOf = (document: Record<string, unknown>) =>
  recipeSentences(document)
    .filter(({ parts }) => parts.length > 0)
    .map((sentence) => sentenceText(sentence, (text) => `*${text}*`))

it('says what a tested portfolio does, and what of it is not usual', () => {
  expect(textsOf(test.document)).toEqual([
    'Go *long low, short high* *sma(funding.funding_rate, 24)* over *42 symbols* of *venuea-futures*, on bars of *1h*, weighted by *rank*, rebalanced *daily*, *1 bar* later, with a fee of *5 bps* and half of a spread of *l1_liquidity.spread_bps_avg*, from *2026-05-01* to *2026-07-31*.',
    'Costs: Impact coefficient *1*, Volatility *returns.realized_vol*, Volume *ohlcv.volume_notional*, Capital levels *100 000, 1 000 000, 10 000 000*.',
    'Advanced: Cap *10 %*.',
  ])
})

it('sets the thousands of large numbers apart, wherever a recipe says a number, and writes tiny ones as a power', () => {
  const costs = { feeBps: 12_500, slippage: { perNotional: 0.000_000_02 } }
  const [lead, ...rest] = textsOf({ ...test.document, settleAfterBars: 20_000, costs })
  expect(lead).toContain('a fee of *12 500 bps*')
  expect(rest.join(' ')).toContain('Settle after *20 000 bars*')
  expect(rest.join(' ')).toMatch(/\*2\.0×10⁻⁸\*/)
})

it('names the symbol of reference without what all symbols of a study share', () => {
  const reference = 'wren-futures/perpetual-BTC-USDT:USDT'
  const said = (exchanges: string[]) => {
    const source = { exchanges, symbols: ['perpetual-ETH-USDT:USDT'] }
    const { parts } = recipeSentences({ ...documentTemplate('leadlag', exchanges), source, reference })[0]
    return parts.find(({ field }) => field === 'reference')?.text
  }
  expect(said(['wren-futures'])).toBe('BTC-USDT:USDT with every other')
  expect(said(['wren-futures', 'heron-perps'])).toBe('wren-futures/BTC-USDT:USDT with every other')
})

it('says of every ready-made study which field each bold phrase is, and nothing as unsaid', () => {
  for (const document of ready) {
    const sentences = recipeSentences(document)
    const paths = new Set(fieldsWithin(kindFacts(document.kind as 'signal').fields).map(({ path }) => path))
    for (const { field, text } of sentences.flatMap(({ parts }) => parts)) {
      if (field !== undefined && field !== 'split') expect(paths).toContain(field)
      expect(text).not.toMatch(/…|undefined|\[object|\{/)
    }
  }
})

it('has every field of a kind in its sentence or in one further line, except those that say nothing', () => {
  for (const kind of labKinds) {
    const fields = recipeSentences(documentTemplate(kind, ['venuea-futures'])).flatMap((line) => line.fields)
    const paths = fieldsWithin(kindFacts(kind).fields).map(({ path }) => path)
    const left = paths.filter((path) => !fields.some((each) => path === each || path.startsWith(`${each}.`)))
    expect(left).toEqual(['version', 'kind', 'name'])
  }
})

it('says an instant as a time in UTC', () => {
  const ends = { start: '2026-05-01', end: '2026-07-31T06:00:00Z' }
  expect(textsOf({ ...test.document, ...ends })[0]).toMatch(/from \*2026-05-01\* to \*2026-07-31 06:00 UTC\*\.$/)
})

it('shows what is missing or wrong without failing', () => {
  expect(textsOf({ kind: 'signal', horizons: 'x' })[0]).toContain('Rank *the rows of a panel* by *…*')
  expect(recipeSentences({ kind: 'nothing' })).toEqual([])
  expect(textsOf({ kind: 'blend', components: [{}, 7] })[0]).toContain('Blend *…, …*')
})

it('lists where two documents differ, by their labels, with what is left out as its default', () => {
  expect(documentDifferences(test.document, { ...test.document, name: 'Other', band: 0.02, costs: {} })).toEqual([
    { field: 'band', label: 'No-trade band', before: '0 %', after: '2 %' },
    { field: 'costs.spreadBps', label: 'Spread', before: 'l1_liquidity.spread_bps_avg', after: '0 bps' },
    { field: 'costs.slippage.bps', label: 'Slippage', before: null, after: '0 bps' },
    { field: 'costs.slippage.k', label: 'Impact coefficient', before: '1', after: null },
    { field: 'costs.slippage.sigma', label: 'Volatility', before: 'returns.realized_vol', after: null },
    { field: 'costs.volume', label: 'Volume', before: 'ohlcv.volume_notional', after: 'none' },
  ])
  expect(documentDifferences(test.document, { ...test.document, band: 0 })).toEqual([])
  const signal = { kind: 'portfolio', signal: 'carry' }
  expect(documentDifferences(signal, { ...signal, signal: '-carry' })).toEqual([
    { field: 'signal', label: 'Signal', before: 'carry', after: '-carry' },
  ])
  expect(documentDifferences({ ...signal, signal: '-carry' }, { ...signal, signal: 'trend' })).toEqual([
    { field: 'signal', label: 'Signal', before: '-carry', after: 'trend' },
  ])
})
