import { columnOf, type Frame, type NumberColumn } from '#shared/contract/frame.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'

export interface ExplainFigure {
  name: string
  kind: NumberKind
  formula: string
  value: number | null
}

/** Computes how well weights and prices explain the days of a frame of `dayFrame`. */
export function explainFigures(frame: Frame): ExplainFigure[] {
  const column = (name: string) => columnOf(frame, name) as NumberColumn
  const [served, explained, residual, cost, unpriced] = ['served', 'explained', 'residual', 'cost', 'unpriced'].map(
    column,
  )
  const residuals = present(residual)
  const sizes = residuals.map(Math.abs)
  const pairs = pairMomentsOf(served.values, served.valid, explained.values, explained.valid)
  const figure = (name: string, kind: NumberKind, formula: string, value: number | null) => ({
    name,
    kind,
    formula,
    value,
  })
  return [
    figure('Days explained', 'count', 'Days that have a served and an explained return', residuals.length),
    figure(
      'Served',
      'share',
      'Product of (1 + served return), minus 1, over days that have one',
      compounded(present(served)),
    ),
    figure(
      'Explained',
      'share',
      'Product of (1 + explained return), minus 1, over days that have one',
      compounded(present(explained)),
    ),
    figure('Cost', 'share', 'Sum of the days’ costs', sum(present(cost))),
    figure('Mean residual', 'bps', 'Mean of served minus explained', scaled(mean(residuals))),
    figure('Mean absolute', 'bps', 'Mean absolute residual', scaled(mean(sizes))),
    figure(
      'Largest residual',
      'bps',
      'Largest absolute residual of a day',
      sizes.length ? scaled(Math.max(...sizes)) : null,
    ),
    figure('Correlation', 'ratio', 'Pearson correlation of served and explained returns', correlationOf(pairs)),
    figure(
      'Unpriced days',
      'count',
      'Days on which something was held without both prices',
      present(unpriced).filter((weight) => weight > 0).length,
    ),
  ]
}

const present = ({ values, valid }: NumberColumn) => [...values].filter((_, row) => !valid || valid[row] === 1)
const sum = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values)! / values.length)
const scaled = (value: number | null) => (value === null ? null : value * 1e4)
const compounded = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((growth, value) => growth * (1 + value), 1) - 1
