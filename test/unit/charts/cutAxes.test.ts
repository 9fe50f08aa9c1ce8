import { describe, expect, it } from 'vitest'
import { exportedChartSvg } from '../../../renderer/export/chartSvg.ts'
import { emptyModel, type Pane } from '../../../renderer/charts/model.ts'
import { paneView } from '../../../renderer/charts/paneView.ts'
import { greyColours } from './chartColours.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

/** Values from 0 to 299, one of them replaced by a million. */
const cells = Array.from({ length: 300 }, (_, row) => (row === 150 ? 1e6 : row))
const pane = (parts: Partial<Pane> = {}): Pane => ({
  id: 'p',
  title: '',
  scale: 'linear',
  series: [secondsSeries(cells)],
  ...parts,
})
const viewOf = (parts: Partial<Pane> = {}) => paneView(pane(parts), seconds(0, 300), 2000, 300)

describe('a robust axis', () => {
  it('reaches from the 1st to the 99th percentile, and says so', () => {
    expect(viewOf().axes.left!.bounds[1]).toBeGreaterThan(1e6)
    const { axes, badges } = viewOf({ robust: true })
    expect(axes.left!.bounds[0]).toBeGreaterThan(-20)
    expect(axes.left!.bounds[0]).toBeLessThan(3)
    expect(axes.left!.bounds[1]).toBeGreaterThan(290)
    expect(axes.left!.bounds[1]).toBeLessThan(330)
    expect(badges).toEqual(['p1–p99 of drawn values'])
  })

  it('leaves out nothing of a hundred values or fewer', () => {
    const few = pane({ robust: true, series: [secondsSeries([1, 2, 1000, 3])] })
    const { axes, badges } = paneView(few, seconds(0, 10), 800, 300)
    expect(axes.left!.bounds[1]).toBeGreaterThan(1000)
    expect(badges).toEqual([])
  })

  it('still starts at 0 below bars', () => {
    const bars = pane({
      robust: true,
      series: [
        secondsSeries(
          cells.map((cell) => cell + 50),
          { style: 'bar' },
        ),
      ],
    })
    expect(paneView(bars, seconds(0, 300), 2000, 300).axes.left!.bounds[0]).toBe(0)
  })
})

describe('a locked axis', () => {
  const locked = { left: { low: 10, high: 20, unit: 'price' } }

  it('keeps its bounds whatever is in view, also where nothing is', () => {
    expect(viewOf({ locked }).axes.left!.bounds).toEqual([10, 20])
    expect(paneView(pane({ locked }), seconds(1000, 2000), 800, 300).axes.left!.bounds).toEqual([10, 20])
    expect(viewOf({ locked, robust: true }).badges).toEqual(['locked left axis'])
  })

  it('follows its values again while it shows another unit, or cannot place the bounds', () => {
    const asIndex = pane({ locked, series: [secondsSeries(cells, { transform: 'zscore' })] })
    expect(paneView(asIndex, seconds(0, 300), 800, 300).axes.left!.bounds).not.toEqual([10, 20])
    const negative = { left: { low: -1, high: 20, unit: 'price' } }
    expect(viewOf({ locked: negative, scale: 'log' }).axes.left!.bounds).not.toEqual([-1, 20])
    const turned = { left: { low: 20, high: 10, unit: 'price' } }
    expect(viewOf({ locked: turned }).axes.left!.bounds).not.toEqual([20, 10])
  })

  it('marks what lies beyond it at its edge, in the exported picture too', () => {
    const svgOf = (parts: Partial<Pane>) =>
      exportedChartSvg({
        model: { ...emptyModel('m'), panes: [pane(parts)] },
        range: seconds(0, 300),
        colours: greyColours,
        title: 'T',
        provenance: '',
        widthPx: 800,
        heightPx: 400,
      })
    const filledPaths = (svg: string) => [...svg.matchAll(/<path fill="#47cbff" d="([^"]+)"/g)].map(([, path]) => path)
    expect(filledPaths(svgOf({}))).toEqual([])
    const [marks] = filledPaths(svgOf({ locked: { left: { low: -100, high: 400, unit: 'price' } } }))
    expect(marks.match(/M/g)).toHaveLength(1)
  })
})
