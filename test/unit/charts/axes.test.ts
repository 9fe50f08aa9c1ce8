import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChartSeries, Pane } from '../../../renderer/charts/model.ts'
import { paneView, sidesOf } from '../../../renderer/charts/paneView.ts'
import {
  axisBounds,
  valueFormat,
  valueScale,
  oneLineLabel,
  timeTicks,
  tickLabels,
  valueTicks,
} from '../../../renderer/charts/axes.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const narrow = (text: string) => text.replace(' ', '\u202f')
const view = (series: ChartSeries[], scale: Pane['scale'] = 'linear') =>
  paneView({ id: 'p', title: 'P', series, scale }, seconds(0, 10), 800, 300)

describe('scales', () => {
  it.each(['linear', 'log', 'symlog'] as const)('%s goes there and back', (name) => {
    const scale = valueScale(name, 0.5)
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), (value) => {
        expect(scale.backward(scale.forward(value)) / value).toBeCloseTo(1, 6)
      }),
    )
  })

  it('give one value alone room on both sides', () => {
    for (const value of [0, 5, -3, 1e-9, 1e12]) {
      const [low, high] = axisBounds(valueScale('linear'), [value, value], false)
      expect(low).toBeLessThan(value)
      expect(high).toBeGreaterThan(value)
    }
  })

  it('are of the size of one value alone, and no hair’s breadth around 0', () => {
    expect(axisBounds(valueScale('linear'), [0, 0], false)).toEqual([-1, 1])
    const [low, high] = axisBounds(valueScale('linear'), [2e-8, 2e-8], false)
    expect(high - low).toBeLessThan(1e-8)
  })

  it('have bounds without any value', () => {
    expect(axisBounds(valueScale('linear'), [Infinity, -Infinity], false)).toEqual([0, 1])
    expect(axisBounds(valueScale('log'), [Infinity, -Infinity], false)).toEqual([1, 10])
  })

  it('start bars and areas at 0', () => {
    expect(axisBounds(valueScale('linear'), [5, 10], true)[0]).toBe(0)
    expect(axisBounds(valueScale('linear'), [-10, -5], true)[1]).toBe(0)
  })
})

describe('valueTicks', () => {
  const texts = (bounds: [number, number], most = 6, name: Pane['scale'] = 'linear') => {
    const ticks = valueTicks(valueScale(name), bounds, most)
    return tickLabels(ticks, 'ratio').map((label) => label.replace('\u202f', ' '))
  }

  it('stand at round values', () => {
    expect(texts([0, 1])).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0'])
    expect(texts([64_010, 64_090], 4)).toEqual(['64 020', '64 040', '64 060', '64 080'])
    expect(texts([-2.3e7, 2.3e7], 4)).toEqual(['−20M', '0', '20M'])
  })

  it('stand at powers on a log axis, and are even where it spans less than one', () => {
    expect(texts([0.09, 1200], 5, 'log')).toEqual(['0.1', '1', '10', '100', '1 000'])
    expect(texts([64_010, 64_090], 4, 'log')).toEqual(['64 020', '64 040', '64 060', '64 080'])
  })

  it('mirror each other on a symlog axis', () => {
    expect(texts([-120, 120], 6, 'symlog')).toEqual(['−100', '−10', '−1', '0', '1', '10', '100'])
  })

  it('of a symlog axis leave out a power that would lie on zero', () => {
    expect(texts([-3000, 3000], 4, 'symlog')).toEqual(['−100', '0', '100'])
  })

  it('are at least two, however low the axis', () => {
    expect(texts([-3500, 4700], 2)).toEqual(['−2 000', '0', '2 000', '4 000'])
    expect(texts([101, 109], 2)).toEqual(['102', '104', '106', '108'])
    const anywhere = fc.double({ min: -1e9, max: 1e9, noNaN: true })
    fc.assert(
      fc.property(anywhere, fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (low, span) => {
        const ticks = valueTicks(valueScale('linear'), [low, low + span], 2)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThanOrEqual(5)
      }),
    )
  })

  it('are in bounds, ascending and few, whatever the bounds', () => {
    const bound = fc.double({ min: -1e12, max: 1e12, noNaN: true })
    fc.assert(
      fc.property(bound, bound, fc.constantFrom('linear' as const, 'symlog' as const), (a, b, name) => {
        const [low, high] = axisBounds(valueScale(name), [Math.min(a, b), Math.max(a, b)], false)
        const ticks = valueTicks(valueScale(name), [low, high], 6)
        expect(ticks.length).toBeLessThan(20)
        const slack = (high - low) * 1e-6
        for (const tick of ticks) expect(tick >= low - slack && tick <= high + slack).toBe(true)
        expect(ticks).toEqual([...ticks].sort((x, y) => x - y))
      }),
    )
  })
})

describe('timeTicks', () => {
  const tickTexts = (start: string, end: string, most = 8) =>
    timeTicks({ startMs: Date.parse(start), endMs: Date.parse(end) }, 'utc', most).map(({ text, below }) =>
      `${text} ${below}`.trim(),
    )

  it('name hours and, once, their day', () => {
    expect(tickTexts('2026-08-01T20:00Z', '2026-08-02T04:00Z', 4)).toEqual([
      '20:00 2026-08-01',
      '22:00',
      '00:00 2026-08-02',
      '02:00',
      '04:00',
    ])
  })

  it('make one line of both, in which the year is part of the day', () => {
    const labels = (start: string, end: string) =>
      timeTicks({ startMs: Date.parse(start), endMs: Date.parse(end) }, 'utc', 3).map(oneLineLabel)
    expect(labels('2026-12-31T00:00Z', '2027-01-02T00:00Z')).toEqual(['2026-12-31', '2027-01-01', '01-02'])
    expect(labels('2026-08-01T20:00Z', '2026-08-02T04:00Z').slice(0, 2)).toEqual([
      '2026-08-01 21:00',
      '2026-08-02 00:00',
    ])
  })

  it('name days, months and years', () => {
    expect(tickTexts('2026-12-30T00:00Z', '2027-01-02T00:00Z', 3)).toEqual([
      '12-30 2026',
      '12-31',
      '01-01 2027',
      '01-02',
    ])
    expect(tickTexts('2026-01-01T00:00Z', '2027-01-01T00:00Z', 4)).toEqual([
      '2026-01',
      '2026-04',
      '2026-07',
      '2026-10',
      '2027-01',
    ])
    expect(tickTexts('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.010Z', 2)).toEqual([
      '00:00.000 2026-01-01 00h',
      '00:00.005',
      '00:00.010',
    ])
  })

  it('are not too many, whatever the range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 10, max: 2e12 }), (startMs, length) => {
        const ticks = timeTicks({ startMs, endMs: startMs + length }, 'utc', 10)
        expect(ticks.length).toBeLessThanOrEqual(12)
      }),
    )
  })
})

describe('axes of a pane', () => {
  const makeSeries = (id: string, unit: string, parts: Partial<ChartSeries> = {}) =>
    secondsSeries([1, 2, 3], { id, label: id, unit, ...parts })

  it('take series by unit: the first left, others right', () => {
    const sides = sidesOf([
      makeSeries('a', 'price'),
      makeSeries('b', 'bps'),
      makeSeries('c', 'price'),
      makeSeries('d', 'nats'),
    ])
    expect(Object.fromEntries(sides)).toEqual({ a: 'left', b: 'right', c: 'left', d: 'right' })
  })

  it('have whole ticks for counts, and finer ones for what is not whole', () => {
    const labels = (values: number[], kind: ChartSeries['kind']) =>
      view([secondsSeries(values, { kind })]).axes.left!.labels
    expect(labels([20, 20, 20], 'count')).toEqual(['19', '20', '21'])
    expect(labels([19, 20, 20], 'count')).toEqual(['19', '20'])
    expect(labels([0, 1, 1], 'count')).toEqual(['0', '1'])
    expect(labels([1200, 1204, 1210], 'count')).toEqual(
      ['1 200', '1 202', '1 204', '1 206', '1 208', '1 210'].map(narrow),
    )
    expect(labels([19.9, 20, 20.1], 'count').length).toBeGreaterThan(2)
    expect(labels([20, 20, 20], 'ratio')).toContain('20.20')
  })

  it('follow what a series asks for', () => {
    const sides = sidesOf([
      makeSeries('a', 'price', { axis: 'right' }),
      makeSeries('b', 'bps'),
      makeSeries('c', 'price'),
    ])
    expect(Object.fromEntries(sides)).toEqual({ a: 'right', b: 'left', c: 'right' })
  })

  it('say when units share one', () => {
    expect(view([makeSeries('a', 'price'), makeSeries('b', 'bps'), makeSeries('d', 'nats')]).warnings).toEqual([
      'mixed units: bps and nats on the right axis',
    ])
  })

  it('say what a log axis cannot show', () => {
    const pane = view([secondsSeries([0, 1, 100, -5])], 'log')
    expect(pane.badges).toEqual(['log'])
    expect(pane.warnings).toEqual(['A: values ≤ 0 cannot be drawn on a log axis'])
    expect(pane.axes.left!.bounds[0]).toBeGreaterThan(0)
  })

  it('say when there is nothing', () => {
    expect(view([secondsSeries([null, null])]).warnings).toEqual(['no value in view'])
    expect(view([secondsSeries([])]).warnings).toEqual(['no value in view'])
  })

  it('reach as far as a pane asks where values are noise', () => {
    const series = [secondsSeries([5e-7, -3e-7], { style: 'bar' })]
    const pane = { id: 'p', title: '', scale: 'linear' as const, series, leastReach: 0.1 }
    const [low, high] = paneView(pane, seconds(0, 3), 600, 200).axes.left!.bounds
    expect(low).toBeLessThanOrEqual(-0.1)
    expect(high).toBeGreaterThanOrEqual(0.1)
  })

  it('write what is tiny as a power of ten', () => {
    expect(tickLabels([-5e-10, 0, 5e-10], 'ratio')).toEqual(['−5.0×10⁻¹⁰', '0', '5.0×10⁻¹⁰'])
    expect(tickLabels([1.00000001, 1.00000002], 'ratio')[0]).toBe('1.00000001')
    expect(tickLabels([0, 1e308], 'share')).toEqual(['0', '1.0000×10³¹⁰'])
  })
})

it('writes a value between ticks as exactly as its height shows it', () => {
  const between = (ticks: number[]) => valueFormat(ticks, 'ratio')
  expect([between([0, 10, 20])(-0.66), between([0, 5, 10])(-0.66), between([0, 20, 40])(31.4)]).toEqual([
    '−0.7',
    '−0.7',
    '31',
  ])
})

it('writes a value far below the height of a pixel as nothing, not as a power of ten', () => {
  expect(valueFormat([-0.1, 0, 0.1], 'ratio')(3.2e-7)).toBe('0')
  expect(valueFormat([-1e-9, 0, 1e-9], 'ratio')(3.2e-10)).toBe('3.2×10⁻¹⁰')
})
