import { describe, expect, it } from 'vitest'
import type { MetricColumn } from '#shared/catalog/column.ts'
import { metricDataset, metricDatasets, type MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { resampleRefusal } from '#shared/catalog/column.ts'
import { columnsNeeded, resampleColumn, splitNeeded } from '#shared/formula/resample.ts'
import { evaluateFormula } from '#shared/formula/evaluateFormula.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { type Cells, input } from './formulaInputs.ts'

const hourMs = 3_600_000

function resampleCells(column: SeriesInput, intervalMs = 2 * hourMs): Cells {
  const result = resampleColumn(column, intervalMs)
  if ('refusal' in result) throw new Error(result.refusal)
  return [...result.values].map((value, row) => (result.valid?.[row] === 0 ? null : value))
}

const hours = (cells: Cells, resample: SeriesInput['resample'], companions?: SeriesInput['companions']) =>
  input(cells, hourMs, 0, { resample, companions })

const companion = (cells: Cells, resample: MetricColumn['resample']) => ({ ...input(cells, hourMs), resample })

describe('a column on a longer interval', () => {
  const cells = [1, null, 3, 5, null, null, 9]

  it.each([
    ['sum', [1, 8, null]],
    ['mean', [1, 4, null]],
    ['first', [1, 3, null]],
    ['last', [1, 5, null]],
    ['min', [1, 3, null]],
    ['max', [1, 5, null]],
  ] as const)('by %s, of what is present, without the interval that is not over', (how, expected) => {
    expect(resampleCells(hours(cells, { how }))).toEqual(expected)
  })

  it('by a weighted mean', () => {
    const weights = companion([1, 3, 0, 0], { how: 'sum' })
    const column = hours([10, 20, 30, 40], { how: 'mean', weight: 'w' }, { w: weights })
    expect(resampleCells(column)).toEqual([17.5, null])
  })

  it('by the quotient of two columns after each was summed', () => {
    const companions = { of: companion([1, 2, 3, 4], { how: 'sum' }), by: companion([10, 20, 0, 0], { how: 'sum' }) }
    expect(
      resampleCells(hours([9, 9, 9, 9], { how: 'quotient', numerator: 'of', denominator: 'by' }, companions)),
    ).toEqual([0.1, null])
  })

  it('by a weighted mean without a value where a weight is missing, rather than a wrong one', () => {
    const weights = { ...companion([1, null, 2, 2], { how: 'sum' }) }
    const column = hours([10, 20, 30, 40], { how: 'mean', weight: 'w' }, { w: weights })
    expect(resampleCells(column)).toEqual([null, 35])
  })

  it('by the last row with events, whose value may be missing', () => {
    const column = hours(
      [10, null, 30, null],
      { how: 'last', where: 'w' },
      { w: companion([1, 1, 1, null], { how: 'last' }) },
    )
    expect(resampleCells(column)).toEqual([null, 30])
  })

  it('by columns of another dataset with times of their own', () => {
    const weights = { ...input([4, 1, 3], hourMs, hourMs), resample: { how: 'sum' } as const }
    const column = hours([10, 20, 30, 50], { how: 'mean', weight: 'x.w' }, { 'x.w': weights })
    expect(resampleCells(column)).toEqual([null, 45])
  })

  it('by counts of ticks with the first trades of the rows', () => {
    const prices = {
      'ohlcv.open': companion([5, 6, null, 4], { how: 'first' }),
      'ohlcv.close': companion([5, 7, null, 4], { how: 'last' }),
    }
    const ticks = (direction: 1 | 0 | -1) =>
      resampleCells(hours([0, 1, 0, 0], { how: 'ticks', direction }, prices), 4 * hourMs)
    expect([ticks(1), ticks(-1), ticks(0)]).toEqual([[2], [2], [1]])
  })

  it('says where a rule only comes near, and where it is not the column’s own', () => {
    const rule = {
      how: 'max',
      approximation: { reason: 'runs are cut', offByPercent: 50, unevenOffByPercent: 70 },
    } as const
    const a = { ...hours([1, 2, 3, 4], rule) }
    const notes = (formula: string) => evaluateFormula(formula, new Map([['a', a]])).notes
    expect(notes("resample(a, '2h')")).toEqual([
      'resampled to 2h: approximation (off by up to 50 % on reference days, 70 % on uneven days): runs are cut',
    ])
    expect(notes("resample(a, '2h', 'mean')")).toEqual([
      expect.stringMatching(
        /^resampled to 2h by 'mean', not by the column’s own rule \(Maximum of the rows; approximation/,
      ),
    ])
  })

  it('is refused with the reason', () => {
    const refusal = (column: SeriesInput, intervalMs: number) => resampleColumn(column, intervalMs)
    expect(refusal(hours([1], { how: 'none', reason: 'It is a median' }), 2 * hourMs)).toEqual({
      refusal: 'It is a median',
    })
    expect(refusal(hours([1], { how: 'sum' }), 1.5 * hourMs)).toMatchObject({ refusal: /multiple/ })
    expect(refusal(hours([1], { how: 'mean', weight: 'w' }), 2 * hourMs)).toMatchObject({ refusal: /column w/ })
  })
})

describe('every column of the catalog', () => {
  const everything = metricDatasets.flatMap(({ id, columns }) => columns.map((column) => ({ id, columns, column })))

  it.each(everything.map((one) => [`${one.id}.${one.column.name}`, one] as const))('%s', (_, { id, column }) => {
    const needed = columnsNeeded(column.resample)
    const columnsBeside: Record<string, NonNullable<SeriesInput['companions']>[string]> = {}
    for (const name of needed) {
      const other = splitNeeded(name)
      const found = metricDataset((other.dataset ?? id) as MetricDatasetId).columns.find(
        (one) => one.name === other.column,
      )
      if (!found) throw new Error(`${column.name} needs ${name}`)
      if (other.dataset === null) needed.push(...columnsNeeded(found.resample))
      columnsBeside[name] = companion([1, 1], found.resample)
    }
    const refusal = resampleRefusal(column.resample)
    const result = resampleColumn(hours([1, 1], column.resample, columnsBeside), 2 * hourMs)
    if (refusal) expect(result).toEqual({ refusal })
    else if (!isTickShare(column.resample))
      expect(result).toMatchObject({ values: Float64Array.of(expectedOf(column.resample)) })
  })
})

/** Returns what a rule must give for two hourly rows in which every column is 1 and prices do not move. */
function expectedOf(rule: MetricColumn['resample']): number {
  if (rule.how === 'sum') return 2
  if (rule.how === 'ticks') return rule.direction === 0 ? 3 : 2
  if (rule.how === 'share') return 1 / rule.among.length
  return rule.how === 'entropy' ? Math.LN2 : 1
}

/**
 * Tells whether a rule is a share or quotient of tick counts, which the conformance test compares with events instead.
 */
const isTickShare = (rule: MetricColumn['resample']): boolean =>
  columnsNeeded(rule).some((name) => /^(up|down)tick_count$|^unchanged_count$/.test(name))

it('the ticks of a longer interval need the first and the last price of each row', () => {
  expect(columnsNeeded({ how: 'ticks', direction: 1 })).toEqual(['ohlcv.open', 'ohlcv.close'])
})
