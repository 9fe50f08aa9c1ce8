import { describe, expect, it } from 'vitest'
import type { Drawing } from '#shared/workspace/workspaceSchema.ts'
import { drawingBetween, placedDrawings } from '../../../renderer/charts/drawings.ts'
import { paneView } from '../../../renderer/charts/paneView.ts'
import { emptyModel } from '../../../renderer/charts/model.ts'
import { exportedChartSvg } from '../../../renderer/export/chartSvg.ts'
import { greyColours } from './chartColours.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const locked = { left: { low: 0, high: 100, unit: 'price' } }
const pane = { id: 'p', title: '', scale: 'linear' as const, series: [secondsSeries([1, 50, 99])], locked }
const range = seconds(0, 10)
const view = paneView(pane, range, 1000, 200)
const box = { left: 0, top: 0, width: 1000, height: 200 }
const shared = { id: 'd1', paneId: 'p', label: '', side: 'left', unit: 'price' } as const
const level = (value: number, parts: Partial<Drawing> = {}) =>
  ({ ...shared, kind: 'level', value, ...parts }) as Drawing
const place = (...drawings: Drawing[]) => placedDrawings(view, drawings, range, box)

describe('drawings', () => {
  it('place a level across the plot, with its value and label', () => {
    const [placed] = place(level(25, { label: 'support' }))
    expect(placed.segment).toEqual({ x1: 0, y1: 150, x2: 1000, y2: 150 })
    expect(placed.text).toBe('support · 25')
  })

  it('are left out off the axis, on another pane, and while the axis shows another unit', () => {
    expect(place(level(101), level(25, { paneId: 'q' }), level(25, { unit: '%' } as Partial<Drawing>))).toEqual([])
  })

  it('cut a line at the edges of the plot however far its ends are', () => {
    const far = { ...shared, kind: 'line', startMs: -1e12, endMs: 1e12 + 10_000, startValue: 50, endValue: 50 } as const
    expect(place(far)[0].segment).toEqual({ x1: 0, y1: 100, x2: 1000, y2: 100 })
    const steep = { ...shared, kind: 'line', ...seconds(4, 6), startValue: -1e9, endValue: 1e9 } as const
    const { segment } = place(steep)[0]
    expect(segment!.y1).toBeCloseTo(200)
    expect(segment!.y2).toBeCloseTo(0)
    expect(segment!.x1).toBeCloseTo(500)
    const extreme = place({ ...steep, startValue: -1e300, endValue: 1e300 })[0].segment!
    for (const y of [extreme.y1, extreme.y2]) expect(Math.abs(y - 100)).toBeLessThanOrEqual(100)
  })

  it('show a range in every pane, and its length in its own', () => {
    const marked: Drawing = { kind: 'range', id: 'd', paneId: 'p', label: '', ...seconds(2, 4) }
    const [own] = place(marked)
    expect(own.extent).toEqual({ leftPx: 200, widthPx: 200 })
    expect(own.text).not.toBe('')
    expect(place({ ...marked, paneId: 'other' })[0].text).toBe('')
    expect(place({ ...marked, ...seconds(20, 40) })).toEqual([])
  })

  it('are made of two points in either order, and of none that are one', () => {
    const [a, b] = [
      { timeMs: 8000, yPx: 0 },
      { timeMs: 2000, yPx: 200 },
    ]
    const line = drawingBetween('line', view, box, [a, b])
    expect(line).toMatchObject({ startMs: 2000, endMs: 8000, startValue: 0, endValue: 100, unit: 'price' })
    expect(drawingBetween('line', view, box, [a, a])).toBeNull()
    expect(drawingBetween('level', view, box, [b, a])).toMatchObject({ value: 100 })
    expect(drawingBetween('range', view, box, [a, b])).toEqual({
      kind: 'range',
      paneId: 'p',
      label: '',
      ...seconds(2, 8),
    })
  })

  it('stand in the exported picture', () => {
    const model = { ...emptyModel('m'), panes: [pane], drawings: [level(25, { label: 'support <1>' })] }
    const texts = { title: 'T', provenance: '', widthPx: 800, heightPx: 400 }
    const svg = exportedChartSvg({ model, range, colours: greyColours, ...texts })
    expect(svg).toContain('support &lt;1&gt; · 25')
    expect(svg).toMatch(/<line [^>]*stroke="#888888"/)
  })
})
