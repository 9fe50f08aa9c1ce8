import { alignSeries } from './alignSeries.ts'
import { emptySeries, type Series, withRows } from './series.ts'

/** Reductions of rows to one that need no other column. */
export const resampleWays = ['sum', 'mean', 'first', 'last', 'min', 'max'] as const

export type ResampleWay = (typeof resampleWays)[number]

interface Gathered {
  value: number
  weight: number
}

type Step = (gathered: Gathered, value: number, weight: number) => void

const steps: Record<ResampleWay, Step> = {
  sum: (gathered, value) => void (gathered.value += value),
  mean: (gathered, value, weight) => {
    gathered.weight += weight
    if (gathered.weight !== 0) gathered.value += ((value - gathered.value) * weight) / gathered.weight
  },
  first: (gathered, value, weight) => {
    if (gathered.weight === 0) gathered.value = value
    gathered.weight = weight
  },
  last: (gathered, value) => void (gathered.value = value),
  min: (gathered, value) => void (gathered.value = gathered.weight++ === 0 ? value : Math.min(gathered.value, value)),
  max: (gathered, value) => void (gathered.value = gathered.weight++ === 0 ? value : Math.max(gathered.value, value)),
}

/**
 * Rows of a longer interval, of the values that are present in it; missing where none is. A longer interval that the rows
 * do not cover from its start to its end has no row: it is not over yet, or its beginning is not here.
 * With `weights` a mean weighs each row by its own; a row without weight is left out.
 */
export function resampleSeries(series: Series, intervalMs: number, way: ResampleWay, weights?: Series): Series {
  const perRow = intervalMs / series.intervalMs
  const first = Math.ceil(series.firstSlot / perRow)
  const rows = Math.max(0, Math.floor((series.firstSlot + series.values.length) / perRow) - first)
  if (rows === 0) return emptySeries(intervalMs)
  const values = new Float64Array(rows)
  const valid = new Uint8Array(rows)
  const step = steps[way]
  for (let row = 0; row < rows; row++) {
    const from = (first + row) * perRow - series.firstSlot
    const gathered = { value: 0, weight: 0 }
    let count = 0
    for (let at = from; at < from + perRow; at++) {
      if ((series.valid && !series.valid[at]) || (weights?.valid && !weights.valid[at])) continue
      step(gathered, series.values[at], weights ? weights.values[at] : 1)
      count++
    }
    const hasNone = count === 0 || (way === 'mean' && gathered.weight === 0)
    if (hasNone || !Number.isFinite(gathered.value)) continue
    values[row] = gathered.value
    valid[row] = 1
  }
  return { intervalMs, firstSlot: first, values, valid }
}

/** The first over the second; missing where the second is 0. Both have the same interval. */
export function quotientOf(of: Series, by: Series): Series {
  const grid = { intervalMs: of.intervalMs, firstSlot: of.firstSlot, rows: of.values.length }
  const aligned = alignSeries(by, grid)
  const valid = new Uint8Array(grid.rows)
  const values = of.values.map((value, row) => {
    const hasBoth = (!of.valid || of.valid[row]) && (!aligned.valid || aligned.valid[row])
    const quotient = value / aligned.values[row]
    if (!hasBoth || !Number.isFinite(quotient)) return 0
    valid[row] = 1
    return quotient
  })
  return withRows(of, { values, valid })
}
