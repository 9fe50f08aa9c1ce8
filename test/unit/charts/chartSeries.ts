import type { ChartSeries } from '../../../renderer/charts/model.ts'

/** Creates a series with one row per second; null means missing. */
export function secondsSeries(cells: readonly (number | null)[], parts: Partial<ChartSeries> = {}): ChartSeries {
  return {
    id: 'a',
    label: 'A',
    unit: 'price',
    kind: 'price',
    times: Float64Array.from(cells, (_, row) => row * 1000),
    values: Float64Array.from(cells, (cell) => cell ?? 0),
    valid: cells.includes(null) ? Uint8Array.from(cells, (cell) => (cell === null ? 0 : 1)) : null,
    style: 'line',
    axis: 'auto',
    transform: 'none',
    colour: 0,
    ...parts,
  }
}

export const seconds = (from: number, to: number) => ({ startMs: from * 1000, endMs: to * 1000 })
