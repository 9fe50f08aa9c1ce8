import { refuseTooManyRows, type Series } from './series.ts'

/** Common rows of several series. */
export interface Grid {
  intervalMs: number
  firstSlot: number
  rows: number
}

/** Builds the grid of the shortest interval, from the first to the last row of the series with this interval. */
export function commonGrid(series: readonly Series[]): Grid {
  const intervalMs = Math.min(...series.map((one) => one.intervalMs))
  const finestSeries = series.filter((one) => one.intervalMs === intervalMs && one.values.length > 0)
  if (finestSeries.length === 0) return { intervalMs, firstSlot: 0, rows: 0 }
  const firstSlot = Math.min(...finestSeries.map((one) => one.firstSlot))
  const endSlot = Math.max(...finestSeries.map((one) => one.firstSlot + one.values.length))
  refuseTooManyRows(endSlot - firstSlot)
  return { intervalMs, firstSlot, rows: endSlot - firstSlot }
}

/**
 * Aligns a series to a grid of the same or a shorter interval, without look-ahead. A grid row is known at its end, and
 * gets the value of the last longer interval that ended by then; if that value is missing, an older one does not
 * replace it. A longer interval that is still running is never used.
 */
export function alignSeries(series: Series, grid: Grid): Series {
  const { intervalMs, firstSlot, values, valid } = series
  if (intervalMs === grid.intervalMs) {
    if (firstSlot === grid.firstSlot && values.length === grid.rows) return series
    return fitToRows(series, grid)
  }
  const alignedValues = new Float64Array(grid.rows)
  const present = new Uint8Array(grid.rows)
  for (let row = 0; row < grid.rows; row++) {
    const knownAt = (grid.firstSlot + row + 1) * grid.intervalMs
    const at = Math.floor(knownAt / intervalMs) - 1 - firstSlot
    if (at < 0 || at >= values.length || (valid && !valid[at])) continue
    alignedValues[row] = values[at]
    present[row] = 1
  }
  return { ...grid, values: alignedValues, valid: present }
}

/** Cuts or extends a series to the rows of a grid of the same interval; added rows are missing. */
function fitToRows({ firstSlot, values, valid }: Series, grid: Grid): Series {
  const gridValues = new Float64Array(grid.rows)
  const present = new Uint8Array(grid.rows)
  const from = Math.max(firstSlot, grid.firstSlot)
  const to = Math.min(firstSlot + values.length, grid.firstSlot + grid.rows)
  if (to > from) {
    gridValues.set(values.subarray(from - firstSlot, to - firstSlot), from - grid.firstSlot)
    if (valid) present.set(valid.subarray(from - firstSlot, to - firstSlot), from - grid.firstSlot)
    else present.fill(1, from - grid.firstSlot, to - grid.firstSlot)
  }
  return { ...grid, values: gridValues, valid: present }
}
