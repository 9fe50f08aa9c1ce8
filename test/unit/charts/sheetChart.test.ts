import { expect, it } from 'vitest'
import { chartStepMs } from '../../../renderer/charts/model.ts'
import { reduceRows } from '../../../renderer/charts/reduce.ts'
import { chartModel } from '../../../renderer/charts/sheetChart.ts'
import type { SheetSeries } from '../../../shared/sheet/sheet.ts'

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
