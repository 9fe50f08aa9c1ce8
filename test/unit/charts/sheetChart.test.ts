import { expect, it } from 'vitest'
import { frameCsv } from '../../../renderer/export/csv.ts'
import { chartStepMs } from '../../../renderer/charts/model.ts'
import { reduceRows } from '../../../renderer/charts/reduce.ts'
import { chartModel, heatCells } from '../../../renderer/charts/sheetChart.ts'
import { sheetFigure } from '../../../renderer/charts/sheetFigure.ts'
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

it('draws points of equal values beside each other, so that none hides another', () => {
  const line = (label: string) => ({
    ...{ id: label, label, kind: 'share' as const, valid: null, style: 'bar' as const },
    ...{ x: Float64Array.of(0), values: Float64Array.of(0.1) },
  })
  const head = { kind: 'chart' as const, id: 'weights', title: 'Weights', style: 'bars' as const, names: ['A'] }
  const offsets = (labels: string[]) =>
    sheetFigure({ ...head, series: labels.map(line) })?.marks.map(({ kind, offset = 0 }) => [kind, offset])
  expect(offsets(['Before', 'Target'])).toEqual([
    ['bars', 0],
    ['points', 0],
  ])
  const [bars, target, after] = offsets(['Before', 'Target', 'After'])!
  expect([bars, target[0], after[0]]).toEqual([['bars', 0], 'points', 'points'])
  expect(Number(after[1]) - Number(target[1])).toBeGreaterThan(0.2)
})
