import { describe, expect, test } from 'vitest'
import { evaluateFormula, evaluateTree } from '#shared/formula/evaluateFormula.ts'
import { isSettled, inputReach } from '#shared/formula/inputReach.ts'
import { parseFormula } from '#shared/formula/parseFormula.ts'
import { seriesOf, type SeriesFunding } from '#shared/formula/series.ts'
import type { FundingStretch } from '#shared/funding/fundingPeriods.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'
import { cellsOf, input, inputs } from './formulaInputs.ts'

const every = (hours: number, more: Partial<FundingStretch> = {}): FundingStretch => ({
  startMs: -Infinity,
  endMs: Infinity,
  everyMs: hours * MS_PER_HOUR,
  offsetMs: 0,
  ratePerMs: hours * MS_PER_HOUR,
  basis: 'announced',
  ...more,
})
const alpha = (...periods: FundingStretch[]): SeriesFunding => ({ exchange: 'alpha-futures', symbol: 'BTC', periods })
const beta = (...periods: FundingStretch[]): SeriesFunding => ({ exchange: 'beta-perps', symbol: 'ETH', periods })

const hourly = (cells: readonly (number | null)[], funding: SeriesFunding) =>
  input(cells, MS_PER_HOUR, 0, { unit: 'none', funding })
const rates = Array.from({ length: 10 }, (_, row) => row + 1)

describe('fundinghours', () => {
  const periods = [every(8, { endMs: 2 * MS_PER_HOUR }), every(1, { startMs: 3 * MS_PER_HOUR })]

  test('is the period at the time of each row, missing where it is not known', () => {
    const a = hourly([1, 2, 3, 4], alpha(...periods))
    expect(cellsOf('fundinghours() + 0 * a', { a })).toEqual([8, 8, null, 1])
    expect(cellsOf('fundinghours(a)', { a })).toEqual([8, 8, null, 1])
    const { unit, notes, unknownFunding } = evaluateFormula('a / fundinghours()', inputs({ a }))
    expect(unit).toBe('1/hours')
    expect(notes).toEqual([
      'the funding period of BTC on alpha-futures is not known in part of the range, where values are missing',
    ])
    expect(unknownFunding).toEqual([{ exchange: 'alpha-futures', symbol: 'BTC' }])
  })

  test('has the rows of the shortest of the formula’s intervals', () => {
    const [a, day] = [
      hourly([1, 2], alpha(every(4))),
      input([5], MS_PER_DAY, -MS_PER_DAY, { funding: alpha(every(4)) }),
    ]
    expect(cellsOf('fundinghours() * a + day', { a, day })).toEqual([9, 13])
  })

  test('is no constant', () => {
    const a = hourly([1, 2], alpha(every(4)))
    expect(() => evaluateFormula('sma(a, fundinghours())', inputs({ a }))).toThrow('A constant is needed here')
    expect(cellsOf('a ^ fundinghours()', { a })).toEqual([1, 16])
  })

  test('needs a series', () => {
    expect(() => evaluateFormula('fundinghours()', new Map())).toThrow('fundinghours needs a series')
  })

  test('is refused for instruments whose periods differ, unless one is named', () => {
    const two = { a: hourly([1], alpha(every(8))), b: hourly([1], beta(every(1))) }
    expect(() => evaluateFormula('(a + b) * fundinghours()', inputs(two))).toThrow(
      'The funding periods of BTC on alpha-futures and ETH on beta-perps differ: call fundinghours for the series of one of them.',
    )
    expect(cellsOf('fundinghours(a) - fundinghours(b)', two)).toEqual([7])
    const same = { a: hourly([1], alpha(every(8))), b: hourly([1], beta(every(8, { basis: 'asked' }))) }
    expect(cellsOf('annual(a + b)', same)).toEqual([2 * 1095])
  })

  test('is refused where the periods of instruments are not known at all', () => {
    const a = seriesOf(hourly([1], alpha()))
    const source = { series: () => a, missing: () => '', column: () => null }
    expect(() => evaluateTree(parseFormula('annual(a)'), source)).toThrow(
      'The funding periods of instruments are not known here, which annual needs.',
    )
  })
})

describe('annual', () => {
  test('goes by the hours that the rate refers to, not by how often it is paid', () => {
    const a = hourly([0.0001, null], alpha(every(1, { ratePerMs: 8 * MS_PER_HOUR })))
    expect(cellsOf('annual(a)', { a })).toEqual([0.0001 * 1095, null])
    const { unit, notes, unknownFunding } = evaluateFormula('annual(a)', inputs({ a }))
    expect([unit, notes, unknownFunding]).toEqual(['1/year', [], []])
  })
})

describe('settled', () => {
  test('stands at the row that holds the funding time, with the last rate since the time before', () => {
    const a = hourly([1, 2, 3, null, 5, 6, null, null, 9, 10], alpha(every(4)))
    expect(cellsOf('settled(a)', { a })).toEqual([null, null, null, 3, null, null, null, 6, null, null])
    expect(cellsOf('cumsum(-settled(a))', { a })).toEqual([null, null, null, -3, null, null, null, -9, null, null])
  })

  test('counts the part of a rate that is paid at once', () => {
    const a = hourly(rates, alpha(every(4, { ratePerMs: 8 * MS_PER_HOUR })))
    expect(cellsOf('settled(a)', { a })).toEqual([null, null, null, 2, null, null, null, 4, null, null])
  })

  test('is missing without a rate since the time before, and where the period is not known', () => {
    const a = hourly([1, null, null, 4, null, null], alpha(every(2, { endMs: 4 * MS_PER_HOUR })))
    expect(cellsOf('settled(a)', { a })).toEqual([null, 1, null, 4, null, null])
    const gap = hourly([1, 2, null, null], alpha(every(2)))
    expect(cellsOf('settled(a)', { a: gap })).toEqual([null, 2, null, null])
  })

  test('says which rates a row with several funding times needs', () => {
    const a = input([1, 2], MS_PER_DAY, 0, { funding: alpha(every(8)) })
    expect(cellsOf('settled(a)', { a })).toEqual([null, null])
    expect(evaluateFormula('settled(a)', inputs({ a })).notes).toEqual([
      'settled: a row of 1d holds several funding times; take rates of 8h or shorter',
    ])
  })

  test('reads the rates of a day before, the longest period', () => {
    const reach = inputReach('settled(a)', new Map([['a', MS_PER_HOUR]]))
    expect(reach.get('a')).toMatchObject({ backMs: MS_PER_DAY, fromOrigin: false })
    const a = hourly(rates, alpha(every(4)))
    expect(isSettled('ema(settled(a), 2)', inputs({ a }), 5 * MS_PER_HOUR)).toBe(false)
  })
})
