import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ChartTable from '../../renderer/charts/ChartTable.vue'
import { alignedRows, usePaneHeights } from '../../renderer/charts/layout.ts'
import { paneView } from '../../renderer/charts/paneView.ts'
import { seconds, secondsSeries } from '../unit/charts/chartSeries.ts'

const viewOf = (values: number[], id: string) =>
  paneView(
    { id, title: id, scale: 'linear', series: [secondsSeries(values, { id, label: id })] },
    seconds(0, 400),
    800,
    200,
  )
const cells = (html: ReturnType<typeof mount>) =>
  html.findAll('tbody tr').map((row) => row.findAll('td').map((cell) => cell.text()))

it('lists the values in view by time, the newest first, empty where a series has no row at the instant', () => {
  const views = [viewOf([1, 2, 3], 'a'), viewOf([5, 6], 'b')]
  const table = mount(ChartTable, { props: { views, range: seconds(1, 3), zone: 'utc', stepMs: 1000 } })
  expect(table.findAll('thead th').map((head) => head.text())).toEqual(['Time', 'a', 'b'])
  expect(cells(table)).toEqual([
    ['3.000000', ''],
    ['2.000000', '6.000000'],
  ])
  expect(table.text()).toMatch(/2.rows, newest first/)
})

it('names the transform of a series with its head, as the legend does', () => {
  const { pane } = viewOf([1, 2, 4], 'a')
  const standardised = pane.series.map((series) => ({ ...series, transform: 'zscore' as const }))
  const views = [paneView({ ...pane, series: standardised }, seconds(0, 400), 800, 200)]
  const table = mount(ChartTable, { props: { views, range: seconds(0, 3), zone: 'utc', stepMs: 1000 } })
  expect(table.find('thead').text()).toContain(views[0].series[0].badges[0])
  expect(views[0].series[0].badges).toHaveLength(1)
})

it('says how many rows it leaves out', () => {
  const views = [
    viewOf(
      Array.from({ length: 350 }, (_, at) => at),
      'a',
    ),
  ]
  const table = mount(ChartTable, { props: { views, range: seconds(0, 400), zone: 'utc', stepMs: 1000 } })
  expect(cells(table)).toHaveLength(300)
  expect(cells(table)[0]).toEqual(['349.0000'])
  expect(table.text()).toMatch(/The last 300 of 350.rows/)
})

it('keeps panes in a row of a grid level, whatever their legends need and wherever a divider is moved', () => {
  const row = (key: string, legendPx: number) => ({ key, legendPx })
  const rows = alignedRows([[row('a', 24), row('c', 24)], [row('b', 48)]], 2)
  expect(rows.map(({ legendPx }) => legendPx)).toEqual([48, 24])
  const heights = usePaneHeights(
    () => rows,
    () => 679,
  )
  expect(rows.map(({ key }) => heights.plotPx(key))).toEqual([300, 300])
  heights.move(rows[0].key, rows[1].key, 50)
  expect(rows.map(({ key }) => heights.plotPx(key))).toEqual([350, 250])
})
