import { expect, it } from 'vitest'
import type { Distribution } from '#shared/contract/areas/series.ts'
import { chartHtml } from '#shared/report/chartHtml.ts'
import { type DistributedSeries, distributionCharts, distributionTable } from '#shared/report/distributionCharts.ts'
import { figureSvg } from '../../../renderer/export/figureSvg.ts'
import { chartFigure } from '../../../renderer/charts/small/chartFigure.ts'
import { valuesAt } from '../../../renderer/charts/small/figure.ts'
import { greyColours } from '../charts/chartColours.ts'

const described = (name: string, unit: string) => ({
  ...{ name, unit, unitWarnings: [], notes: [], rows: 10, values: 8 },
  quantiles: [0, 1, 2, 3, 4, 5, 6],
})
const shown = (label: string, unit: string, factor = 1): DistributedSeries => ({
  ...{ label, unit, kind: 'price', factor, colour: 0 },
})
const boxOf = (groups: number[]) => {
  const from = (start: number) => Float64Array.from(groups, (_, at) => start + at)
  return {
    ...{ groups: Float64Array.from(groups), counts: from(100) },
    ...{ low: from(1), lower: from(2), median: from(3), upper: from(4), high: from(5) },
  }
}
const boxes = (...all: number[][]): Distribution => ({
  problem: null,
  series: all.map((_, at) => described('ab'[at], 'price')),
  histograms: [],
  boxes: all.map(boxOf),
})

const pictureOf = (chart: ReturnType<typeof distributionCharts>[number]) =>
  figureSvg({
    ...{ figure: chartFigure(chart), title: 'T', provenance: 'P', widthPx: 400, heightPx: 200, colours: greyColours },
  })

it('draws a histogram with its quantiles, in shares of the values, and says what is further out', () => {
  const answer: Distribution = {
    ...{ problem: null, boxes: [], series: [described('a', 'price')] },
    histograms: [{ edges: Float64Array.of(0, 2, 4), counts: Float64Array.of(6, 2), below: 1, above: 1 }],
  }
  const [chart] = distributionCharts('histogram', answer, [shown('A', 'bps', 10)])
  expect(chart).toMatchObject({
    style: 'bars',
    names: ['0', '20'],
    title: 'Distribution of A, bps, 2 values further out',
  })
  expect([...chart.series[0].values]).toEqual([0.75, 0.25])
  // The median 3 is in the middle of the second bar, whose middle is at 1.
  expect(chart.flags).toMatchObject([{ texts: ['5 % 10', 'median 30', '95 % 50'] }])
  expect([...chart.flags![0].times]).toEqual([0, 1, 2])
  expect(chartHtml(chart)).toContain('<title>median 30</title>')
  expect(pictureOf(chart)).toContain('median 30')
})

it('names the groups of boxes and draws them alike in reports, on boards and in the window', () => {
  const titled = (by: 'hours' | 'weekdays' | 'months', groups: number[]) => {
    const [{ title, names }] = distributionCharts(by, boxes(groups), [shown('A', 'price')])
    return [title, names]
  }
  expect(titled('hours', [0, 13])).toEqual(['A by hour (UTC), price', ['00', '13']])
  expect(titled('weekdays', [0, 6])).toEqual(['A by weekday (UTC), price', ['Mon', 'Sun']])
  expect(titled('months', [2026 * 12 + 11, 2027 * 12])).toEqual(['A by month (UTC), price', ['2026-12', '2027-01']])
  const [chart] = distributionCharts('hours', boxes([0, 1]), [shown('A', 'price', 10)])
  // Two boxes, each with an inside.
  expect(chartHtml(chart).match(/<path d="(M[^"]*z){2}" fill="#0c81f9" fill-opacity="0.25"/g)).toHaveLength(1)
  expect(valuesAt(chartFigure(chart), 1)).toEqual([
    { label: 'A (price)', text: '20.00000 · 30.00000 · 40.00000 · 50.00000 · 60.00000' },
  ])
  expect(pictureOf(chart)).toMatch(/fill="#\w{6}40"/)
})

it('puts series of different units on charts of their own, and one unit beside each other', () => {
  const all = boxes([0, 1], [1, 2])
  const together = distributionCharts('hours', all, [shown('A', 'price'), shown('B', 'price')])
  expect(together).toMatchObject([{ names: ['00', '01', '02'], series: [{ label: 'A' }, { label: 'B' }] }])
  expect([...together[0].series[1].x]).toEqual([1, 2])
  expect(distributionCharts('hours', all, [shown('A', 'price'), shown('B', 'bps')])).toHaveLength(2)
  const [bySeries] = distributionCharts('symbols', boxes([0], [0]), [shown('A', 'price'), shown('B', 'price', 2)])
  expect(bySeries).toMatchObject({ names: ['A', 'B'] })
  expect([...bySeries.series[0].values]).toEqual([3, 6])
})

it('takes the fifths of the first series for boxes of the others', () => {
  const answer = { ...boxes([0, 4]), series: [described('a', 'price'), described('b', 'price')] }
  const series = [shown('A', 'bps'), shown('B', 'price')]
  expect(distributionCharts('buckets', answer, series)).toMatchObject([
    { title: 'B by fifths of A, price', names: ['lowest fifth', 'highest fifth'] },
  ])
  const { rows } = distributionTable('Pane 1', 'buckets', answer, series)
  expect(rows.map(([label, group]) => [label, group])).toEqual([
    ['B', 'lowest fifth'],
    ['B', 'highest fifth'],
  ])
})
