import { describe, expect, it } from 'vitest'
import type { MetricColumn } from '#shared/catalog/column.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { columnsNeeded, resampleColumn, resampleRefusal } from '#shared/formula/resample.ts'
import type { SeriesInput } from '#shared/formula/series.ts'
import { type Cells, input } from './formulaInputs.ts'

const hourMs = 3_600_000

function resampled(column: SeriesInput, intervalMs = 2 * hourMs): Cells {
  const result = resampleColumn(column, intervalMs)
  if ('refusal' in result) throw new Error(result.refusal)
  return [...result.values].map((value, row) => (result.valid?.[row] === 0 ? null : value))
}

const hours = (cells: Cells, resample: SeriesInput['resample'], companions?: SeriesInput['companions']) =>
  input(cells, hourMs, 0, { resample, companions })

const beside = (cells: Cells, resample: MetricColumn['resample']) => ({ ...input(cells, hourMs), resample })

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
    expect(resampled(hours(cells, { how }))).toEqual(expected)
  })

  it('by a weighted mean', () => {
    const weights = beside([1, 3, 0, 0], { how: 'sum' })
    const column = hours([10, 20, 30, 40], { how: 'mean', weight: 'w' }, { w: weights })
    expect(resampled(column)).toEqual([17.5, null])
  })

  it('by the quotient of two columns after each was summed', () => {
    const companions = { of: beside([1, 2, 3, 4], { how: 'sum' }), by: beside([10, 20, 0, 0], { how: 'sum' }) }
    expect(resampled(hours([9, 9, 9, 9], { how: 'quotient', of: 'of', by: 'by' }, companions))).toEqual([0.1, null])
  })

  it('is refused with the reason', () => {
    const refusal = (column: SeriesInput, intervalMs: number) => resampleColumn(column, intervalMs)
    expect(refusal(hours([1], { how: 'none', reason: 'It is a median' }), 2 * hourMs)).toEqual({
      refusal: 'It is a median',
    })
    expect(refusal(hours([1], { how: 'sum' }), 1.5 * hourMs)).toMatchObject({ refusal: /whole number/ })
    expect(refusal(hours([1], { how: 'mean', weight: 'w' }), 2 * hourMs)).toMatchObject({ refusal: /column w/ })
  })
})

describe('every column of the catalog', () => {
  const everything = metricDatasets.flatMap(({ id, columns }) => columns.map((column) => ({ id, columns, column })))

  it.each(everything.map((one) => [`${one.id}.${one.column.name}`, one] as const))('%s', (_, { columns, column }) => {
    const needed = columnsNeeded(column.resample)
    const companions = Object.fromEntries(
      needed.map((name) => {
        const found = columns.find((other) => other.name === name)
        if (!found) throw new Error(`${column.name} needs ${name}`)
        return [name, beside([1, 1], found.resample)]
      }),
    )
    const refusal = resampleRefusal(column.resample)
    const result = resampleColumn(hours([1, 1], column.resample, companions), 2 * hourMs)
    if (refusal) expect(result).toEqual({ refusal })
    else expect(result).toMatchObject({ values: Float64Array.of(column.resample.how === 'sum' ? 2 : 1) })
  })
})
