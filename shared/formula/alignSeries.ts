import { refuseTooManyRows, type Series } from './series.ts'

/** Rows that several series are put on. */
export interface Grid {
  intervalMs: number
  firstSlot: number
  rows: number
}

/**
 * Builds the grid of the series with the shortest interval; for several such series, from the first row of any to the
 * last of any.
 */
export function commonGrid(series: readonly Series[]): Grid {
  const intervalMs = Math.min(...series.map((one) => one.intervalMs))
  const finest = series.filter((one) => one.intervalMs === intervalMs && one.values.length > 0)
  if (finest.length === 0) return { intervalMs, firstSlot: 0, rows: 0 }
  const firstSlot = Math.min(...finest.map((one) => one.firstSlot))
  const endSlot = Math.max(...finest.map((one) => one.firstSlot + one.values.length))
  refuseTooManyRows(endSlot - firstSlot)
  return { intervalMs, firstSlot, rows: endSlot - firstSlot }
}

/**
 * Places a series on the rows of a grid of the same or a shorter interval, without looking ahead. A row of the grid is
 * known at its end. There it sees the longer interval that was the last to end by then, and nothing where that one has
 * no value: an older one does not stand in for it. The longer interval that is still running is never seen.
 */
export function alignSeries(series: Series, grid: Grid): Series {
  const { intervalMs, firstSlot, values, valid } = series
  if (intervalMs === grid.intervalMs) {
    if (firstSlot === grid.firstSlot && values.length === grid.rows) return series
    return moved(series, grid)
  }
  const seen = new Float64Array(grid.rows)
  const present = new Uint8Array(grid.rows)
  for (let row = 0; row < grid.rows; row++) {
    const knownAt = (grid.firstSlot + row + 1) * grid.intervalMs
    const at = Math.floor(knownAt / intervalMs) - 1 - firstSlot
    if (at < 0 || at >= values.length || (valid && !valid[at])) continue
    seen[row] = values[at]
    present[row] = 1
  }
  return { ...grid, values: seen, valid: present }
}

/** Changes the first and last rows of a grid with the same interval. */
function moved({ firstSlot, values, valid }: Series, grid: Grid): Series {
  const onGrid = new Float64Array(grid.rows)
  const present = new Uint8Array(grid.rows)
  const from = Math.max(firstSlot, grid.firstSlot)
  const to = Math.min(firstSlot + values.length, grid.firstSlot + grid.rows)
  if (to > from) {
    onGrid.set(values.subarray(from - firstSlot, to - firstSlot), from - grid.firstSlot)
    if (valid) present.set(valid.subarray(from - firstSlot, to - firstSlot), from - grid.firstSlot)
    else present.fill(1, from - grid.firstSlot, to - grid.firstSlot)
  }
  return { ...grid, values: onGrid, valid: present }
}
