import { describe, expect, it } from 'vitest'
import { endNames, endTexts, labelsBeside, lastMarks, levelMarks } from '../../../renderer/charts/axisMarks.ts'
import type { ChartSeries } from '../../../renderer/charts/model.ts'
import { paneView } from '../../../renderer/charts/paneView.ts'
import { seconds, secondsSeries } from './chartSeries.ts'

const box = { left: 50, top: 6, width: 800, height: 200 }
const range = seconds(0, 10)
const viewOf = (series: ChartSeries[], scale: 'linear' | 'log' = 'linear') =>
  paneView({ id: 'p', title: '', scale, series }, range, box.width, box.height)
const marksOf = (...series: ChartSeries[]) => lastMarks(viewOf(series), range, box)

describe('the last values on an axis', () => {
  it('are those of the last row in view that has one', () => {
    expect(marksOf(secondsSeries([10, 20, 15, null])).map(({ text, side }) => [text, side])).toEqual([['15.0', 'left']])
    const cells = Array.from({ length: 30 }, (_, row) => row)
    expect(marksOf(secondsSeries(cells)).map(({ text }) => text)).toEqual(['10.0'])
  })

  it('stand at the height of the value, on the axis of the series', () => {
    const [price, rate] = marksOf(
      secondsSeries([10, 30, 20], { id: 'a' }),
      secondsSeries([1, 3, 3], { id: 'b', unit: 'rate', kind: 'ratio', colour: 1 }),
    )
    expect(price.yPx).toBeCloseTo(106)
    expect([rate.side, rate.colour]).toEqual(['right', 1])
    expect(rate.yPx).toBeLessThan(30)
  })

  it('keep the digits of a small price beside a large one', () => {
    const prices = [20_000, 1.14117, 0.10838].map((last, at) =>
      secondsSeries([last, last], { id: `s${at}`, kind: 'price', unit: 'price' }),
    )
    expect(marksOf(...prices).map(({ text }) => text)).toEqual(['20\u202f000', '1.141170', '0.1083800'])
  })

  it('do not overlap, and stay on the axis', () => {
    const marks = marksOf(...[5, 5, 5].map((last, at) => secondsSeries([1, 3, last], { id: `s${at}` })))
    const heights = marks.map(({ yPx }) => yPx)
    expect(heights[1] - heights[0]).toBeGreaterThanOrEqual(15)
    expect(heights[2] - heights[1]).toBeGreaterThanOrEqual(15)
    expect(heights[0]).toBeGreaterThanOrEqual(6)
  })

  it('leave out single events, such as the trades of a tape', () => {
    const trades = secondsSeries([1, 2], { id: 'trades', style: 'points', mark: { shape: 'up', sizePx: 7 } })
    expect(marksOf(trades, secondsSeries([1, 3], { id: 'bid' })).map(({ id }) => id)).toEqual(['bid'])
  })

  it('are none where the view has no value', () => {
    expect(marksOf(secondsSeries([null, null]))).toEqual([])
  })
})

describe('the names at the ends of lines', () => {
  const named = (...labels: string[]) => endTexts(labels.map((label) => ({ label })))

  it('are what tells the lines of a pane apart', () => {
    expect(named('a  Close · BTC · ostrich-perps · 1m', 'b  Close · ETH · ostrich-perps · 1m')).toEqual(['BTC', 'ETH'])
    expect(named('a  Bid price · BTC · 1m', 'b  Ask price · BTC · 1m')).toEqual(['Bid price', 'Ask price'])
    expect(named('a  Close · BTC · alpha', 'b  Close · BTC · alpha')).toEqual(['Close · BTC ·…', 'Close · BTC ·…'])
  })

  it('are none for a line alone, and for single events', () => {
    expect(named('a  Close · BTC')).toEqual([])
    expect(endTexts([{ label: 'Trades', mark: {} }, { label: 'Bid' }])).toEqual(['', 'Bid'])
  })

  it('stand at the last values in view, whatever their axis, and do not overlap', () => {
    const view = viewOf([
      secondsSeries([1, 3, 3], { id: 'a', label: 'Close · BTC' }),
      secondsSeries([1, 3, 3], { id: 'b', label: 'Close · ETH', unit: 'rate', kind: 'ratio' }),
      secondsSeries([null], { id: 'c', label: 'Close · SOL' }),
    ])
    const names = endNames(view, range, box)
    expect(names.map(({ text }) => text)).toEqual(['BTC', 'ETH'])
    expect(names[1].yPx - names[0].yPx).toBeGreaterThanOrEqual(15)
  })
})

describe('the labels of an axis beside its last values', () => {
  const labelsAt = (last: number) => {
    const view = viewOf([secondsSeries([0, 100, last])])
    const axis = view.axes.left!
    return { axis, shown: labelsBeside(axis, lastMarks(view, range, box), range, box) }
  }

  it('leave out a label of which a part would show above or below a mark', () => {
    const { axis, shown } = labelsAt(55)
    const distances = axis.ticks.map((tick) => Math.abs(tick - 55))
    expect(Math.min(...distances)).toBeGreaterThan(0)
    expect(shown.filter((label) => label === '')).toHaveLength(1)
    expect(shown[distances.indexOf(Math.min(...distances))]).toBe('')
  })

  it('show every label that no mark touches', () => {
    const { axis, shown } = labelsAt(50)
    expect(shown).toEqual(axis.labels.map((label, at) => (axis.ticks[at] === 50 ? '' : label)))
  })
})

describe('the value at the height of the pointer', () => {
  it('is read from every axis', () => {
    const { axes } = viewOf([
      secondsSeries([10, 30, 20], { id: 'a' }),
      secondsSeries([1, 3, 3], { id: 'b', unit: 'rate', kind: 'ratio' }),
    ])
    expect(levelMarks(axes, 106, box).map(({ side, text }) => [side, text])).toEqual([
      ['left', '20.0'],
      ['right', '2.00'],
    ])
  })

  it('follows a log axis', () => {
    const { axes } = viewOf([secondsSeries([1, 100, 10_000])], 'log')
    expect(levelMarks(axes, 106, box)[0].text).toBe('100')
  })

  it('is none beside the plot', () => {
    const { axes } = viewOf([secondsSeries([10, 30, 20])])
    expect(levelMarks(axes, 2, box)).toEqual([])
  })
})
