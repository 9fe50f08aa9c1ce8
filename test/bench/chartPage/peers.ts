import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { TimeRange } from '../../../shared/time/ranges.ts'
import { allRows, columnNames, type Columns } from './columns.ts'

/** Chart under test; both functions resolve once no painting is left for a later frame. */
export interface BenchChart {
  show(column: string): Promise<void> | void
  zoom?(range: TimeRange): Promise<void> | void
}

const WIDTH_PX = 1280
const HEIGHT_PX = 380
const STROKE = '#47cbff'

/** Converts the columns into a chart's input format beforehand, because the conversion is not measured. */
async function shapeColumns<Shape>(shape: (columns: Columns) => Shape): Promise<(column: string) => Shape> {
  const made = new Map<string, Shape>()
  for (const name of columnNames) made.set(name, shape(await allRows(name)))
  return (column) => made.get(column)!
}

async function plainUplot(element: HTMLElement): Promise<BenchChart> {
  const data = await shapeColumns(({ times, values }): uPlot.AlignedData => [times, values])
  const series = [{}, { stroke: STROKE, width: 1.4 }]
  const plot = new uPlot({ width: WIDTH_PX, height: HEIGHT_PX, ms: 1, series }, [[], []], element)
  // uPlot paints in a microtask, which runs before the caller continues.
  return {
    show: (column) => plot.setData(data(column)),
    zoom: ({ startMs: min, endMs: max }) => plot.setScale('x', { min, max }),
  }
}

/** Parts of the peers' scripts that this page uses; the benchmark adds the scripts to the page. */
interface Scripts {
  echarts: {
    init(element: HTMLElement): {
      setOption(option: object): void
      getZr(): { flush(): void }
    }
  }
  LightweightCharts: {
    LineSeries: object
    createChart(
      element: HTMLElement,
      options: object,
    ): {
      addSeries(kind: object, options: object): { setData(rows: { time: number; value: number }[]): void }
      timeScale(): { fitContent(): void }
    }
  }
}
const scripts = () => window as unknown as Scripts

async function echarts(element: HTMLElement, sampling: 'lttb' | 'minmax'): Promise<BenchChart> {
  const data = await shapeColumns(({ times, values }) => {
    const flat = new Float64Array(times.length * 2)
    for (let row = 0; row < times.length; row += 1) {
      flat[row * 2] = times[row]
      flat[row * 2 + 1] = values[row]
    }
    return flat
  })
  const chart = scripts().echarts.init(element)
  const line = { id: 'line', type: 'line', showSymbol: false, sampling, lineStyle: { width: 1.4, color: STROKE } }
  chart.setOption({
    animation: false,
    grid: { left: 60, right: 10, top: 10, bottom: 30 },
    xAxis: { type: 'time' },
    yAxis: { type: 'value', scale: true },
    series: [{ ...line, data: [] }],
  })
  return {
    show(column) {
      chart.setOption({ series: [{ ...line, dimensions: ['time', 'value'], data: data(column) }] })
      chart.getZr().flush()
    },
  }
}

async function lightweightCharts(element: HTMLElement): Promise<BenchChart> {
  const data = await shapeColumns(({ times, values }) =>
    Array.from(times, (timeMs, row) => ({ time: timeMs / 1000, value: values[row] })),
  )
  const { createChart, LineSeries } = scripts().LightweightCharts
  const chart = createChart(element, {
    width: WIDTH_PX,
    height: HEIGHT_PX,
    // The whole year must fit on the screen, and points that cannot be told apart need not be drawn.
    timeScale: { minBarSpacing: 1e-6, enableConflation: true },
  })
  const series = chart.addSeries(LineSeries, { color: STROKE, lineWidth: 1 })
  return {
    async show(column) {
      series.setData(data(column))
      chart.timeScale().fitContent()
      // The chart paints in the next frame, before later callbacks of that frame.
      await new Promise((resolve) => requestAnimationFrame(resolve))
    },
  }
}

export const peers: Record<string, (element: HTMLElement) => Promise<BenchChart>> = {
  uplot: plainUplot,
  echartsLttb: (element) => echarts(element, 'lttb'),
  echartsMinmax: (element) => echarts(element, 'minmax'),
  lightweightCharts,
}
