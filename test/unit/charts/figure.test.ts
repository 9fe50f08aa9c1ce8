import { describe, expect, it } from 'vitest'
import { tokens } from '../../../renderer/theme/tokens.ts'
import {
  type Figure,
  figureFrame,
  figurePlot,
  nearestPlace,
  placesOf,
  placeText,
  valuesAt,
} from '../../../renderer/charts/small/figure.ts'
import { figureSvg } from '../../../renderer/export/figureSvg.ts'

const floats = (...values: number[]) => Float64Array.from(values)
const size = { widthPx: 400, heightPx: 200 }

const decay: Figure = {
  axis: { kind: 'names', labels: ['1', '4', '24'], title: 'Horizon' },
  kind: 'ratio',
  baseline: 0,
  marks: [
    { kind: 'bars', label: 'IC', colour: 0, x: floats(0, 1, 2), y: floats(0.05, NaN, -0.01) },
    {
      kind: 'intervals',
      label: '95 %',
      colour: 0,
      x: floats(0, 1, 2),
      low: floats(0.01, NaN, -0.03),
      high: floats(0.09, NaN, 0.01),
    },
  ],
}
const path: Figure = {
  axis: { kind: 'numbers', title: 'Bar' },
  kind: 'share',
  baseline: null,
  marks: [{ kind: 'line', label: 'Mean', colour: 0, x: floats(-1, 0, 1), y: floats(NaN, 0, 0.5) }],
}

describe('a figure', () => {
  it('keeps every end of its intervals and its baseline in view', () => {
    const plot = figurePlot(decay, size)!
    for (const value of [-0.03, 0, 0.09]) {
      expect(plot.y(value)).toBeGreaterThanOrEqual(plot.top)
      expect(plot.y(value)).toBeLessThanOrEqual(plot.top + plot.height)
    }
    expect(plot.y(0)).toBeGreaterThan(plot.y(0.09))
    expect(plot.xAt(plot.x(2))).toBeCloseTo(2)
    expect(plot.yAt(plot.y(0.05))).toBeCloseTo(0.05)
  })

  it('shows an instant alone in its day', () => {
    const instant: Figure = {
      axis: { kind: 'times' },
      kind: 'statistic',
      baseline: null,
      marks: [{ kind: 'line', label: 'Funding', colour: 0, x: floats(Date.parse('2026-11-30T23:00Z')), y: floats(1) }],
    }
    const svg = figureSvg({ figure: instant, title: '', provenance: '', ...size, colours: tokens.dark })
    const texts = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text)
    expect(texts).toContain('2026-12-01 00:00')
    expect(texts.filter((text) => /\d\d\.\d|\dh /.test(text))).toEqual([])
  })

  it('names several lines at their ends where there is room, but no dashed one and no line alone', () => {
    const line = (label: string, last: number) => ({
      ...{ kind: 'line' as const, label, colour: 0 },
      ...{ x: floats(-1, 0, 1), y: floats(0, 0.2, last) },
    })
    const lines = (...marks: Figure['marks']): Figure => ({ ...path, marks })
    const two = lines(line('Close · BTC', 0.5), line('Close · ETH', 0.5), {
      ...line('Close · SOL', 0.4),
      isDashed: true,
    })
    const namesIn = (figure: Figure, widthPx: number) => {
      const picture = { figure, title: '', provenance: '', widthPx, heightPx: 200, colours: tokens.dark }
      return [...figureSvg(picture).matchAll(/>(BTC|ETH|SOL)</g)].map(([, name]) => name)
    }
    expect(namesIn(two, 700)).toEqual(['BTC', 'ETH'])
    expect(figurePlot(two, { ...size, widthPx: 700 })!.width).toBeLessThan(
      figurePlot(lines(line('BTC', 0.5)), { ...size, widthPx: 700 })!.width,
    )
    expect(namesIn(two, 400)).toEqual([])
    expect(namesIn(lines(line('BTC', 0.5)), 700)).toEqual([])
  })

  it('writes every bar of a few counts, whose word stands at the first alone where there is little room', () => {
    const labels = ['1 bar', '2 bars', '4 bars', '12 bars', '24 bars', '48 bars']
    const counts: Figure = {
      ...decay,
      axis: { kind: 'names', labels },
      marks: [{ kind: 'bars', label: 'IC', colour: 0, x: floats(0, 1, 2, 3, 4, 5), y: floats(1, 2, 3, 4, 5, 6) }],
    }
    const textsIn = (widthPx: number) =>
      [
        ...figureSvg({
          figure: counts,
          title: '',
          provenance: '',
          widthPx,
          heightPx: 200,
          colours: tokens.dark,
        }).matchAll(/>([^<]+)<\/text>/g),
      ].map(([, text]) => text)
    expect(textsIn(700)).toEqual(expect.arrayContaining(labels))
    expect(textsIn(360)).toEqual(expect.arrayContaining(['1 bar', '2', '4', '12', '24', '48']))
  })

  it('has the unit of its kind beside every value of its axis', () => {
    const ticksOf = (kind: Figure['kind']) => figurePlot({ ...decay, kind }, size)!.ticks.map(({ label }) => label)
    for (const [kind, unit] of [
      ['bps', ' bps'],
      ['percent', ' %'],
      ['share', ' %'],
    ] as const)
      expect(ticksOf(kind).filter((label) => !label.endsWith(unit))).toEqual([])
    expect(ticksOf('bps').length).toBeGreaterThan(1)
    expect(ticksOf('ratio').join()).not.toMatch(/[a-z%]/)
  })

  it('has no layout without values', () => {
    expect(figurePlot({ ...decay, marks: [] }, size)).toBeNull()
    expect(figurePlot({ ...path, marks: [{ ...path.marks[0], y: floats(NaN, NaN, NaN) }] }, size)).toBeNull()
  })

  it('tells what stands at a place, and nothing for what is missing', () => {
    expect(placeText(decay, 1)).toBe('4')
    expect(valuesAt(decay, 0).map(({ label }) => label)).toEqual(['IC', '95 %'])
    expect(valuesAt(decay, 1)).toEqual([])
    const scatter = {
      kind: 'points' as const,
      label: 'Tests',
      colour: 0,
      x: Float64Array.of(0.5, 2),
      y: Float64Array.of(1, 3),
    }
    const named = { ...path, marks: [{ ...scatter, names: ['#7 carry', '#9 momentum'] }] }
    expect(valuesAt(named, 2).map(({ label }) => label)).toEqual(['#9 momentum'])
    expect(valuesAt(path, 1)).toEqual([{ label: 'Mean', text: '50.00 %' }])
    expect(placeText(path, -1)).toBe('Bar \u22121')
  })

  it('finds the nearest place from any side', () => {
    const places = placesOf(path)
    expect([-9, -0.6, -0.4, 0.4, 9].map((value) => nearestPlace(places, value))).toEqual([-1, -1, 0, 0, 1])
    expect(nearestPlace(floats(), 1)).toBeNull()
  })

  it('is a table with a row for each place and missing cells for missing values', () => {
    const { rows, columns } = figureFrame(decay)
    expect([rows, columns.map(({ name }) => name)]).toEqual([3, ['horizon', 'IC', '95 % low', '95 % high']])
    expect(columns[1].valid).toEqual(Uint8Array.of(1, 0, 1))
  })

  it('is drawn as SVG without anything that is not a number', () => {
    const colours = { ...tokens.dark, series: tokens.dark.series }
    for (const figure of [decay, path]) {
      const svg = figureSvg({ figure, title: 'Decay & more', provenance: 'panel.csv', ...size, colours })
      expect(svg).toContain('Decay &amp; more')
      expect(svg).not.toMatch(/NaN|Infinity|undefined/)
      expect(svg.match(/<path/g)?.length).toBeGreaterThan(3)
    }
  })
})

it('has a logarithmic axis of values where asked', () => {
  const marks = [{ kind: 'line' as const, label: 'Price', colour: 0, x: floats(0, 1, 2), y: floats(1, 100, 10_000) }]
  const plot = figurePlot({ axis: { kind: 'times' }, kind: 'figure', baseline: null, isLog: true, marks }, size)!
  const [low, middle, high] = [1, 100, 10_000].map(plot.y)
  expect(low - middle).toBeCloseTo(middle - high)
  expect(plot.yAt(middle)).toBeCloseTo(100)
  expect(plot.ticks.map(({ value }) => value)).toContain(100)
})
