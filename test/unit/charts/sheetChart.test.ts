import { expect, it } from 'vitest'
import { frameCsv } from '../../../renderer/export/csv.ts'
import { chartStepMs } from '../../../renderer/charts/model.ts'
import { reduceRows } from '../../../renderer/charts/reduce.ts'
import { chartModel, heatCells } from '../../../renderer/charts/sheetChart.ts'
import { namedFrame, type SheetSeries } from '../../../shared/sheet/sheet.ts'

/** Times of which most are a minute apart, and two far from each other. */
const x = Float64Array.of(0, 1, 2, 3, 4, 5, 500, 501).map((minute) => minute * 60_000)

function drawnValues(style: SheetSeries['style']) {
  const series: SheetSeries = {
    ...{ id: 'state', label: 'State', kind: 'count', style, valid: null, x },
    values: Float64Array.of(0, 1, 0, 1, 0, 1, 0, 1),
  }
  const chart = { kind: 'chart' as const, id: 'state', title: 'State', style: 'line' as const, names: null }
  const [{ series: shown }] = chartModel('State', [{ ...chart, series: [series] }]).panes
  const range = { startMs: 0, endMs: x[x.length - 1] }
  return Array.from(reduceRows(shown[0], range, chartStepMs(shown[0]), 100).values)
}

it('draws a state that is constant for long without a gap', () => {
  expect(drawnValues('step')).toEqual([0, 1, 0, 1, 0, 1, 0, 1])
})

it('draws a gap into a line of which rows are missing', () => {
  expect(drawnValues('line')).toEqual([0, 1, 0, 1, 0, 1, NaN, 0, 1])
})

it('writes the cells of a heat map with the same decimals', () => {
  const head = {
    kind: 'heat' as const,
    id: 'z',
    title: 'z',
    rowsTitle: 'Column',
    rows: ['a', 'b'],
    columns: ['x', 'y'],
  }
  const values = Float64Array.of(3.42473, 0.067646, NaN, 1.16584)
  const cells = heatCells({ ...head, values, valueKind: 'statistic' })
  expect(cells.flat().map(({ text }) => text)).toEqual(['3.4247', '0.0676', '–', '1.1658'])
})

it('exports the ends of intervals with the values of a chart over names', async () => {
  const median = {
    ...{ id: 'Median', label: 'Median', kind: 'bps' as const, x: Float64Array.of(0, 1), values: Float64Array.of(2, 3) },
    ...{ valid: null, interval: { low: Float64Array.of(1, NaN), high: Float64Array.of(4, 5) } },
  }
  const head = { kind: 'chart' as const, id: 'bySize', title: 'Cost by size', style: 'bars' as const }
  const frame = namedFrame({ ...head, names: ['1\u202f000', 'all'], series: [median] })
  expect((await frameCsv(frame, 'guarded')).split(/\r?\n/)).toEqual([
    'name,Median,Median low,Median high',
    '1000,2,1,4',
    'all,3,,5',
    '',
  ])
})
