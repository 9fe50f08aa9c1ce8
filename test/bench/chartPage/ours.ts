import { createApp, h, nextTick, shallowRef } from 'vue'
import ChartPanes from '../../../renderer/charts/ChartPanes.vue'
import { emptyModel, type ChartSeries } from '../../../renderer/charts/model.ts'
import { drawnSeries } from '../../../renderer/views/workbench/chartModel.ts'
import { columnNames, pointsOf } from './columns.ts'
import type { BenchChart } from './peers.ts'

/** Mounts our chart with the points that the core reduced from the whole series, as the workbench does. */
export async function ourChart(element: HTMLElement): Promise<BenchChart> {
  const points = new Map(await Promise.all(columnNames.map(async (name) => [name, await pointsOf(name)] as const)))
  const model = shallowRef(emptyModel('Bench'))
  createApp(() => h(ChartPanes, { model: model.value })).mount(element)

  function seriesOf(column: string): ChartSeries {
    const { rows, moments } = drawnSeries({ ...points.get(column)! }, column, false)
    const looks = { style: 'line', axis: 'auto', transform: 'none', colour: 0 } as const
    return { id: column, label: column, unit: 'price', kind: 'price', ...looks, ...rows, moments }
  }

  return {
    async show(column) {
      const pane = { id: 'pane', title: '', series: [seriesOf(column)], scale: 'linear' as const }
      model.value = { ...model.value, range: null, panes: [pane] }
      await nextTick()
    },
    async zoom(range) {
      model.value = { ...model.value, range }
      await nextTick()
    },
  }
}
