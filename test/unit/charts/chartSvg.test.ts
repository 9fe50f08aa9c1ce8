import { describe, expect, it } from 'vitest'
import { exportedChartSvg, type ChartPicture } from '../../../renderer/export/chartSvg.ts'
import { escapeXml } from '../../../renderer/export/svgWriter.ts'
import { emptyModel, type ChartSeries } from '../../../renderer/charts/model.ts'
import { greyColours } from './chartColours.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const svgOf = (series: ChartSeries[], title = 'T', changed: Partial<ChartPicture> = {}) =>
  exportedChartSvg({
    model: { ...emptyModel('m'), panes: [{ id: 'p', title: 'Pane', series, scale: 'linear' }] },
    range: seconds(0, 10),
    colours: greyColours,
    title,
    provenance: 'flow · binance · fetched 2026-08-02',
    widthPx: 800,
    heightPx: 400,
    ...changed,
  })

describe('a chart as SVG', () => {
  it('says what, when, in which zone, and where from', () => {
    const svg = svgOf([secondsSeries([1, 2, 3])])
    for (const part of [
      '1970-01-01 00:00 – 1970-01-01 00:00 UTC',
      'flow · binance',
      'Pane',
      '>A<',
      'viewBox="0 0 800 400"',
    ])
      expect(svg).toContain(part)
  })

  it('lifts the pen at a gap', () => {
    const [, path] = /stroke="#47cbff"[^>]*stroke-linejoin="round" d="([^"]+)"/.exec(
      svgOf([secondsSeries([1, 2, null, 3, 4])]),
    )!
    expect(path.match(/M/g)).toHaveLength(2)
  })

  it('draws twelve series without dashes, in the chart and in its legend', () => {
    const twelve = Array.from({ length: 12 }, (_, colour) =>
      secondsSeries([1, 2, colour], { id: `s${colour}`, colour }),
    )
    expect(svgOf(twelve)).not.toContain('stroke-dasharray="')
  })

  it('takes no orders from a name', () => {
    const svg = svgOf([secondsSeries([1], { label: '<script>alert("x")</script>\u0000\ud800' })], 'a & b <c>')
    expect(svg).not.toContain('<script')
    expect(svg).toContain('a &amp; b &lt;c&gt;')
    expect(escapeXml('\u0007龙')).toBe('龙')
  })

  it.for([1, 7, 29, 45, 90, 300])('cuts no time off at its edges in %i days', (days) => {
    for (let startHour = 0; startHour < 24; startHour += 1) {
      const startMs = Date.UTC(2026, 4, 1, startHour)
      const range = { startMs, endMs: startMs + days * 86_400_000 }
      const rows = { times: Float64Array.of(range.startMs, range.endMs), values: Float64Array.of(1, 2) }
      const series = { ...secondsSeries([1, 2]), ...rows }
      const widthPx = 520
      const svg = svgOf([series], 'T', { range, widthPx })
      const times = [...svg.matchAll(/<text x="([\d.]+)"[^>]*text-anchor="middle"[^>]*>([^<]+)</g)]
      expect(times.length).toBeGreaterThan(1)
      for (const [, x, text] of times) {
        expect(Number(x) + text.length * 3).toBeLessThan(widthPx)
        expect(Number(x) - text.length * 3).toBeGreaterThan(0)
      }
    }
  })

  it('of nothing is a picture too', () => {
    expect(svgOf([])).toMatch(/^<svg .*<\/svg>$/)
  })
})

it('shades where a condition holds and says how often, once for the whole chart', () => {
  const spans = { from: Float64Array.of(2000), to: Float64Array.of(4000), level: Uint8Array.of(4) }
  const shades = [{ id: 's', label: 'busy', colour: 1, spans, share: 0.25, spells: 3 }]
  const pane = (id: string) => ({ id, title: '', series: [secondsSeries([1, 2, 3])], scale: 'linear' as const })
  const model = { ...emptyModel('m'), panes: [pane('p'), pane('q')], shades }
  const svg = svgOf([], 'T', { model })
  expect(svg.match(/busy, 25.0 % of the time, 3 spells/g)).toHaveLength(1)
  const [, tint] = /fill="(#\w{8})" d="M/.exec(svg)!
  expect(svg.split(tint)).toHaveLength(3)
})

it('fills a line by sign, and to another line only on the same axis', () => {
  const filledTo = (fill: ChartSeries['fill'], otherUnit: string) =>
    svgOf([
      secondsSeries([1, -1, 1], { fill }),
      secondsSeries([0, 1, 0], { id: 'b', colour: 1, unit: otherUnit }),
    ]).match(/fill="#\w{6}38"/g)?.length ?? 0
  expect(filledTo({ to: 'zero' }, 'bps')).toBe(2)
  expect(filledTo({ to: 'series', series: 'b' }, 'price')).toBe(2)
  expect(filledTo({ to: 'series', series: 'b' }, 'bps')).toBe(0)
  expect(filledTo({ to: 'level', value: 0, unit: 'price' }, 'price')).toBe(2)
  expect(filledTo({ to: 'level', value: 0, unit: 'bps' }, 'price')).toBe(0)
  expect(filledTo(undefined, 'price')).toBe(0)
})
