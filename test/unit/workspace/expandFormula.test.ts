import { describe, expect, it } from 'vitest'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { checkEntryFormula as checkFormula } from '#shared/workspace/checkEntryFormula.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { columnsBehind, expandEntry, hasFileRows } from '#shared/workspace/expandFormula.ts'
import { eventStudyOf, spellsStudyOf } from '#shared/workspace/chartStudies.ts'
import { addSeries, changeSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'
import { transformsOf } from '#shared/workspace/chartStyle.ts'
import type { ColumnSource, SeriesSource } from '#shared/workspace/workspaceSchema.ts'
import { cpuMsOf } from '../../fakes/cpuTime.ts'

type FormulaSource = Extract<SeriesSource, { kind: 'formula' }>

const checkEntryFormula = (formula: string, name: string, all: Parameters<typeof checkFormula>[2]) =>
  checkFormula(formula, name, all, { contractSizes: () => [], venues: venuesOfDocuments })
const volume: ColumnSource = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'volume',
  exchange: 'v',
  symbol: 's',
  interval: '1m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}
/** Returns the series `a` (a column) and one series for each formula: `b`, `c`, … */
const seriesOf = (...formulas: string[]) =>
  allSeries(
    formulas.reduce(
      (document, formula) => addSeries(document, null, { source: { kind: 'formula', formula } }).document,
      addSeries(emptyDocument(), null, { source: volume }).document,
    ),
  )
const expand = (name: string, ...formulas: string[]) => {
  const all = seriesOf(...formulas)
  return expandEntry(
    all.find((entry) => entry.name === name)!,
    all,
  )
}

describe('a formula over series of the workspace', () => {
  it('is written out over columns', () => {
    expect(expand('c', 'sma(a, 5)', 'b * 2 + a')).toEqual({
      formula: 'sma(a, 5) * 2 + a',
      columns: { a: volume },
      named: ['a', 'b'],
    })
  })

  it('names other columns of the dataset behind a series', () => {
    const range = expand('b', 'a.high - a.low')
    expect(range).toMatchObject({ columns: { 'a.high': { column: 'high' }, 'a.low': { column: 'low' } } })
    const all = seriesOf('a.high - a.low')
    expect(columnsBehind(all[1], all)).toEqual([all[0]])
    expect(checkEntryFormula('a.high - a.low', 'b', all)).toMatchObject({ unit: 'price', intervalMs: 60_000 })
    expect(expand('b', 'a.nothing')).toMatchObject({ problem: { message: expect.stringContaining('no series') } })
  })

  it('has the rows of longer intervals and transforms that its series show', () => {
    const { document } = addSeries(emptyDocument(), null, { source: { ...volume, resampleTo: '1h' } })
    const [entry] = allSeries(changeSeries(document, 's1', { transform: 'cumulative' }))
    expect(expandEntry(entry, [entry])).toMatchObject({ formula: "cumsum(resample(a, '1h'))" })
  })

  it('pays funding by its periods, and adds up what was paid, whatever unit the rate is shown in', () => {
    const rate = { ...volume, dataset: 'funding', column: 'funding_rate' }
    const { document } = addSeries(emptyDocument(), null, { source: rate })
    const formulaOf = (patch: Parameters<typeof changeSeries>[2]) => {
      const [entry] = allSeries(changeSeries(document, 's1', patch))
      return (expandEntry(entry, [entry]) as { formula: string }).formula
    }
    expect(formulaOf({ transform: 'settled' })).toBe('settled(a)')
    expect(formulaOf({ transform: 'settledSum', unit: 'annual' })).toBe('ffill(cumsum(settled(a)))')
    expect(formulaOf({ transform: 'cumulative', unit: 'annual' })).toBe('cumsum(annual(a))')
    expect(transformsOf('rate')).toContain('settledSum')
    expect(transformsOf('price')).not.toContain('settled')
  })

  it.each([
    ['b + 1', 'b', 'refers back to this series', 0],
    ['2 * c', 'b', 'In c: b refers back to this series.', 4],
    ['1 + a.hgh', 'b', 'There is no series a.hgh. Did you mean a.high?', 4],
    ['a + bogus', 'b', 'There is no series bogus.', 4],
    ['resample(a, "4h")', 'b', 'There is no series "4h". Intervals and methods go in single quotes: \'4h\'.', 12],
  ])('%s is refused where it is wrong', (formula, name, message, start) => {
    expect(expand(name, formula, 'b + a')).toEqual({
      problem: expect.objectContaining({ message: expect.stringContaining(message) as string, start }) as object,
    })
  })

  it('is refused at once where 41 formulas are each twice the one before', () => {
    const doubling = (count: number) =>
      Array.from({ length: count }, (_, at) => (at === 0 ? 'a + a' : `f${at} + f${at}`)).map((formula, at) => ({
        ...seriesOf('a')[1],
        id: `i${at}`,
        name: `f${at + 1}`,
        source: { kind: 'formula' as const, formula },
      }))
    const all = [...seriesOf(), ...doubling(41)]
    const expandAll = () => {
      for (const entry of all) {
        expandEntry(entry, all)
        checkEntryFormula(entry.source.kind === 'formula' ? entry.source.formula : 'a', entry.name, all)
      }
    }
    expect(cpuMsOf(expandAll)).toBeLessThan(1000)
    expect(expandEntry(all[41], all)).toMatchObject({
      problem: { message: expect.stringContaining('too long') as string },
    })
    expect(expandEntry(all[5], all)).toMatchObject({ columns: { a: volume } })
  })

  it('is refused at once where formulas name each other in a deep chain', () => {
    const nested = (name: string) => '-'.repeat(150) + name
    const chain = Array.from({ length: 1000 }, (_, at) => ({
      ...seriesOf('a')[1],
      id: `i${at}`,
      name: `f${at}`,
      source: { kind: 'formula' as const, formula: at === 0 ? nested('a') : nested(`f${at - 1}`) },
    }))
    const all = [...seriesOf(), ...chain]
    const sum = chain.map(({ name }) => name).join(' + ')
    for (const formula of ['f999', sum, 'f0 + f1'])
      expect(checkEntryFormula(formula, 'z', all)).toMatchObject({
        problem: { message: expect.stringContaining('nested operations') as string },
      })
  })

  it('cannot grow without end by naming others', () => {
    const long = `a ${'+ a '.repeat(150)}`
    expect(expand('e', long, `b + b ${'+ b '.repeat(8)}`, `c ${'+ c '.repeat(8)}`, 'd + d')).toMatchObject({
      problem: { message: expect.stringMatching(/too long|More than/) as string },
    })
  })
})

it('checks a formula with the intervals, units and rules of its columns', () => {
  const all = seriesOf()
  expect(checkEntryFormula('a * 2', 'z', all)).toEqual({
    intervalMs: 60_000,
    unit: 'amount on v (unit not known)',
    unitWarnings: [],
    notes: [],
  })
  expect(checkEntryFormula("resample(a, '1h')", 'z', all)).toEqual({
    intervalMs: 3_600_000,
    unit: 'amount on v (unit not known)',
    unitWarnings: [],
    notes: [],
  })
  expect(checkEntryFormula(`a${' + a'.repeat(4000)}`, 'z', all)).toMatchObject({
    problem: { start: 10_000, message: expect.stringContaining('at most 10000') as string },
  })
  const close = addSeries(emptyDocument(), null, {
    source: { ...volume, dataset: 'trade_size', column: 'trade_amount_std' },
  })
  expect(checkEntryFormula("resample(a, '1h')", 'z', allSeries(close.document))).toMatchObject({
    problem: { message: expect.stringContaining('cannot be resampled') as string },
  })
})

describe('a formula that names columns of an instrument', () => {
  const on = { exchange: 'v', symbol: 's', interval: '5m', timestamp: 'exchange' as const }
  const workspaceOf = (...sources: FormulaSource[]) =>
    allSeries(
      sources.reduce(
        (document, formula) => addSeries(document, null, { source: formula }).document,
        addSeries(emptyDocument(), null, { source: volume }).document,
      ),
    )
  const formulaOf = (formula: string, of = on): FormulaSource => ({ kind: 'formula', formula, on: of })

  it('reads them beside the series of the workspace', () => {
    const all = workspaceOf(formulaOf('funding.funding_rate > 0.0001 and a > 5'))
    const rate = {
      ...on,
      kind: 'column',
      dataset: 'funding',
      column: 'funding_rate',
      resampleTo: '',
      origin: 'service',
    }
    expect(expandEntry(all[1], all)).toMatchObject({
      columns: { 'funding.funding_rate s v 5m exchange': rate, a: volume },
    })
    // The coverage of such a column is that of the formula, whose id it has.
    expect(columnsBehind(all[1], all).map(({ id, name }) => [id, name])).toEqual([
      ['s1', 'a'],
      ['s2', 'funding.funding_rate s v 5m exchange'],
    ])
    const facts = { contractSizes: () => [], venues: venuesOfDocuments }
    expect(checkFormula('funding.funding_rate', 'b', all, facts, on)).toMatchObject({ intervalMs: 300_000 })
    expect(checkFormula('funding.funding_rate', 'b', all, facts)).toMatchObject({
      problem: expect.anything() as object,
    })
  })

  it('reads the same name of two instruments apart', () => {
    const all = workspaceOf(
      formulaOf('funding.funding_rate'),
      formulaOf('b + funding.funding_rate', { ...on, symbol: 'other' }),
    )
    const { columns } = expandEntry(all[2], all) as Exclude<ReturnType<typeof expandEntry>, { problem: unknown }>
    expect(Object.values(columns).map(({ symbol }) => symbol)).toEqual(['s', 'other'])
  })
})

describe('a series that shades the panes', () => {
  const all = allSeries(
    addSeries(addSeries(emptyDocument(), null, { source: volume }).document, null, {
      source: { kind: 'formula', formula: 'a - 5' },
      style: 'shade',
    }).document,
  )

  it('is a state: 1 where it is not 0', () => {
    expect(expandEntry(all[1], all)).toMatchObject({ formula: 'a - 5 != 0' })
    const column = { ...all[0], style: 'shade' as const }
    expect(expandEntry(column, [column])).toMatchObject({ formula: 'a != 0' })
    expect(hasFileRows(column)).toBe(false)
    // A formula over the state reads its values, however it is drawn.
    const sum = { ...all[1], name: 'c', source: { kind: 'formula' as const, formula: 'b * 2' }, style: 'line' as const }
    expect(expandEntry(sum, [...all, sum])).toMatchObject({ formula: '(a - 5) * 2' })
  })

  it('is studied by its spells, with the names of columns that studies have', () => {
    const range = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 0, 3) }
    const study = spellsStudyOf(all[1], all, { name: 'Busy', range })
    expect(study).toMatchObject({ when: 'ohlcv.volume - 5', start: '2026-01-01', end: '2026-01-02', interval: '1m' })
    expect(parseStudy(study, { fromCache: true })).toMatchObject({ kind: 'spells', when: 'ohlcv.volume - 5' })
    const events = eventStudyOf(all[0], all, { name: 'Busy', range }, { side: '>=', value: 12.5 })
    expect(parseStudy(events, { fromCache: true })).toMatchObject({
      ...{ kind: 'events', interval: '1m', when: 'ohlcv.volume >= 12.5' },
      source: { exchanges: [volume.exchange], symbols: [volume.symbol] },
    })
    const two = { ...all[0], id: 's9', name: 'z', source: { ...volume, symbol: 'other' } }
    const both = { ...all[1], source: { kind: 'formula' as const, formula: 'a > z' } }
    expect(spellsStudyOf(both, [...all, two], { name: '', range })).toMatchObject({
      problem: expect.stringContaining('one symbol') as string,
    })
  })
})
