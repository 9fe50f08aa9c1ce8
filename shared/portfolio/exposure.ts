import type { NumberKind } from '#shared/units/numberKinds.ts'
import { finite } from './missingColumn.ts'

/** A number of one day's weights. A null weight is 0; a day without any weight has no value. */
export interface ExposureFigure {
  id: string
  name: string
  unit: NumberKind
  formula: string
  compute(weights: Float64Array): number
}

const sumOf = (weights: Float64Array, part: (weight: number) => number) =>
  weights.reduce((sum, weight) => sum + part(weight), 0)
const gross = (weights: Float64Array) => sumOf(weights, Math.abs)
const squares = (weights: Float64Array) => sumOf(weights, (weight) => weight * weight)
const LARGEST = 5

export const exposureFigures: readonly ExposureFigure[] = [
  { id: 'gross', name: 'Gross', unit: 'share', formula: 'Sum of absolute weights', compute: gross },
  { id: 'net', name: 'Net', unit: 'share', formula: 'Sum of weights', compute: (w) => sumOf(w, (weight) => weight) },
  {
    id: 'long',
    name: 'Long',
    unit: 'share',
    formula: 'Sum of weights above 0',
    compute: (w) => sumOf(w, (weight) => Math.max(weight, 0)),
  },
  {
    id: 'short',
    name: 'Short',
    unit: 'share',
    formula: 'Sum of weights below 0 (negative)',
    compute: (w) => sumOf(w, (weight) => Math.min(weight, 0)),
  },
  {
    id: 'names',
    name: 'Names',
    unit: 'count',
    formula: 'Number of weights other than 0',
    compute: (w) => w.filter((weight) => weight !== 0).length,
  },
  {
    id: 'effectiveNames',
    name: 'Effective number',
    unit: 'ratio',
    formula: 'Gross squared over the sum of squared weights',
    compute: (w) => gross(w) ** 2 / squares(w),
  },
  {
    id: 'herfindahl',
    name: 'Herfindahl',
    unit: 'fraction',
    formula: 'Sum of squared shares of gross: 1 for a single name',
    compute: (w) => squares(w) / gross(w) ** 2,
  },
  {
    id: 'topFive',
    name: 'Five largest',
    unit: 'share',
    formula: 'The five largest absolute weights over gross',
    compute: (w) =>
      w
        .map(Math.abs)
        .sort()
        .slice(-LARGEST)
        .reduce((sum, size) => sum + size, 0) / gross(w),
  },
]

/** The figures of one day's weights (nulls already 0). */
export const exposureValues = (weights: Float64Array): Record<string, number | null> =>
  Object.fromEntries(exposureFigures.map(({ id, compute }) => [id, finite(compute(weights))]))
