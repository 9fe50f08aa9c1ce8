import { describe, expect, it } from 'vitest'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { fieldsWithin, type WrittenStudy } from '#shared/lab/kinds/field.ts'
import { finiteNumber, repeatableListOf } from '#shared/lab/kinds/fieldTypes.ts'
import { kindFacts } from '#shared/lab/kinds.ts'
import { checkDocument } from '../../renderer/stores/lab.ts'
import { shownFields, withField, withKind, withPlaceholders, withValueAt } from '../../renderer/views/lab/editStudy.ts'
import { defaultText, fieldValue } from '../../renderer/views/lab/fieldText.ts'

const test = { version: 1, kind: 'portfolio', interval: '1d' }

describe('the form of a portfolio test', () => {
  it('changes a nested field, and takes an empty group away', () => {
    const capped = withValueAt(test, 'weights.cap', 0.1)
    expect(capped).toEqual({ ...test, weights: { cap: 0.1 } })
    expect(withValueAt(capped, 'weights.cap', undefined)).toEqual(test)
  })

  it('makes a grid of the placeholders of the signal, and remembers their numbers', () => {
    const known = new Map<string, unknown>()
    const named = withPlaceholders({ ...test, signal: 'sma(a, {n})' }, known)
    expect(named).not.toHaveProperty('parameters')
    const grid = withPlaceholders(withValueAt(named, 'parameters.n', [5, 10]), known)
    expect(grid).toMatchObject({ parameters: { n: [5, 10] }, walkForward: {} })
    const broken = withPlaceholders({ ...grid, signal: 'sma(a, {n' }, known)
    expect(broken).not.toHaveProperty('walkForward')
    expect(withPlaceholders({ ...broken, signal: 'sma(a, {n})' }, known)).toMatchObject({ parameters: { n: [5, 10] } })
  })

  it('shows only the fields that apply', () => {
    const paths = (group: 'weights' | 'costs' | 'grid', study: WrittenStudy) =>
      shownFields('portfolio', group, study).map(({ path }) => path)
    expect(paths('weights', test)).not.toContain('weights.quantiles')
    expect(paths('weights', { ...test, weights: { rule: 'quantile' } })).toContain('weights.quantiles')
    expect(paths('costs', test)).toContain('costs.slippage.bps')
    expect(paths('costs', { ...test, costs: { slippage: { k: 1 } } })).not.toContain('costs.slippage.bps')
    expect(paths('grid', test)).toEqual([])
    expect(paths('grid', { ...test, signal: 'sma(a, {n})' })).toContain('walkForward.folds')
  })

  it('shows the default of every field, and that of the rows', () => {
    const placed = fieldsWithin(kindFacts('portfolio').fields)
    const shown = (path: string, isCached: boolean) =>
      defaultText(
        placed.find((each) => each.path === path)!,
        isCached,
      )
    expect([shown('price', false), shown('price', true)]).toEqual(['close', 'ohlcv.close'])
    expect([shown('costs.slippage.bps', true), shown('weights.rule', true)]).toEqual(['0', 'Rank'])
    expect([shown('weights.longOnly', true), shown('costs.volume', true)]).toEqual(['no', ''])
  })

  it('takes numbers as people write them, with the unit of their field', () => {
    const number = { type: finiteNumber }
    expect(['1 000 000', '1,000,000', '250k', '1e6'].map((typed) => fieldValue(number, typed))).toEqual([
      1e6, 1e6, 250_000, 1e6,
    ])
    expect(fieldValue({ ...number, unit: 'fraction' }, '4 %')).toBe(0.04)
    expect(fieldValue({ ...number, unit: 'bps' }, '5 bps')).toBe(5)
    // A percentage in a field of basis points is ambiguous, so it is not converted.
    expect(fieldValue({ ...number, unit: 'bps' }, '5 %')).toBe('5 %')
    expect(fieldValue(number, '0,5')).toBe('0,5')
    const numbers = { type: repeatableListOf(finiteNumber) }
    expect(fieldValue(numbers, '6, 12; 24')).toEqual([6, 12, 24])
    expect(fieldValue(numbers, '6 12 24')).toEqual([6, 12, 24])
    expect(fieldValue(numbers, '100 000, 1 000 000, 10M')).toEqual([1e5, 1e6, 1e7])
    expect(fieldValue(numbers, '1, two')).toEqual([1, 'two'])
  })

  it('names other fields by their labels', () => {
    const problemOf = (fields: object) =>
      checkDocument({
        version: 1,
        study: { ...test, signal: 'a', ...fields },
        panel: { path: '/a.csv', against: null },
      })
    expect(problemOf({ rebalance: { every: '1d', offset: '2d' } })).toEqual({
      problem: { field: 'rebalance.offset', message: 'must be shorter than “Rebalance”.' },
    })
    expect(problemOf({ start: '2026-02-01', end: '2026-01-01' })).toEqual({
      problem: { field: 'end', message: 'must be after “From”.' },
    })
  })

  it('keeps a number as a number where a formula may stand, and scales exposure by the value of an overlay', () => {
    const spread = shownFields('portfolio', 'costs', test).find(({ path }) => path === 'costs.spreadBps')!
    expect(fieldValue(spread, '2.5')).toBe(2.5)
    expect(fieldValue(spread, 'spread_bps')).toBe('spread_bps')
    const scaled = withField({ ...test, source: { exchanges: [] } }, 'source.exposureBy.overlay', 'risk')
    expect(scaled.source).toEqual({ exchanges: [], exposureBy: { scale: 'value', overlay: 'risk' } })
    expect(withField(scaled, 'source.exposureBy.overlay', undefined).source).toEqual({ exchanges: [] })
  })
})

describe('the kind of a study', () => {
  const source = { exchanges: ['venuea-futures'], timestamp: 'exchange', against: 'local', by: { regime: null } }
  const signal: LabDocument = {
    version: 1,
    study: { version: 1, kind: 'signal', interval: '1h', signal: 'a / b', price: 'mid', quantiles: 4, source },
    panel: null,
  }

  it('keeps what both kinds have when it changes', () => {
    const traded = withKind(signal, 'portfolio')
    expect(traded.study).toMatchObject({ kind: 'portfolio', interval: '1h', signal: 'a / b', price: 'mid' })
    expect(traded.study).not.toHaveProperty('quantiles')
    const weighted = { ...traded, study: { ...traded.study, band: 0.1 } }
    expect(withKind(weighted, 'signal').study).toMatchObject({ kind: 'signal', signal: 'a / b', price: 'mid' })
    expect(withKind(signal, 'events').study).toMatchObject({ price: 'mid' })
    const leading = { ...signal, study: { version: 1, kind: 'leadlag', interval: '1h', value: 'a' } }
    expect(withKind(leading, 'seasonality').study).toEqual({ ...leading.study, kind: 'seasonality' })
  })

  it('drops what the new kind would reject', () => {
    expect(withKind(signal, 'events').study).toEqual({
      version: 1,
      kind: 'events',
      interval: '1h',
      price: 'mid',
      source: { exchanges: ['venuea-futures'], timestamp: 'exchange', against: null },
    })
    const traded = withKind(signal, 'portfolio')
    const funded = { ...traded, study: { ...traded.study, source: { ...source, fundingEvery: '8h' } } }
    expect(withKind(funded, 'seasonality').study.source).not.toHaveProperty('fundingEvery')
    expect(withKind(funded, 'portfolio').study.source).toHaveProperty('fundingEvery')
    const onFiles = { ...signal, panel: { path: '/a.csv', against: '/b.csv' } }
    expect(withKind(onFiles, 'events').panel).toEqual({ path: '/a.csv', against: null })
  })
})
