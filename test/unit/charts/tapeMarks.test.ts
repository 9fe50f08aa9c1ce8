import { describe, expect, it } from 'vitest'
import { drawPoints } from '#shared/overview/marks.ts'
import type { PointMark } from '../../../renderer/charts/model.ts'
import { sizeLimits, tapeMarks } from '../../../renderer/views/raw/tapeMarks.ts'

describe('trades of a tape', () => {
  it('are larger from the amounts that few reach, and all of one size where amounts are equal', () => {
    expect(sizeLimits([])).toEqual([])
    expect(sizeLimits([NaN, 1, 1, 1])).toEqual([])
    expect(sizeLimits(Array.from({ length: 101 }, (_, at) => at))).toEqual([75, 97])
  })

  it('are parted by side and size, each row once', () => {
    const amounts = Float64Array.from({ length: 101 }, (_, at) => at)
    const prices = amounts.map((amount) => 100 + amount)
    const marks = tapeMarks(prices, amounts, (row) => (row % 2 === 0 ? 'buy' : 'sell'))
    expect(marks.map(({ id, mark }) => [id, mark.shape, mark.sizePx])).toEqual([
      ['buy', 'up', 4],
      ['buy 1', 'up', 7],
      ['buy 2', 'up', 11],
      ['sell', 'down', 4],
      ['sell 1', 'down', 7],
      ['sell 2', 'down', 11],
    ])
    expect(marks[2].label).toBe('buys ≥ 97')
    const rows = marks.flatMap(({ values }) => [...values.keys()].filter((row) => !Number.isNaN(values[row])))
    expect(rows.toSorted((a, b) => a - b)).toEqual([...amounts.keys()])
    expect([...marks[2].values.entries()].filter(([, value]) => !Number.isNaN(value))).toEqual([
      [98, 198],
      [100, 200],
    ])
  })
})

describe('points with a mark', () => {
  const stepsOf = (mark?: PointMark) => {
    const steps: string[] = []
    const note = (name: string) => (...at: number[]) => void steps.push(`${name} ${at.join(' ')}`) // prettier-ignore
    const sink = { moveTo: note('move'), lineTo: note('line'), rect: note('rect') }
    const view = { points: { times: Float64Array.of(10), values: Float64Array.of(5) }, series: { mark } }
    const plot = { x: (time: number) => time, y: (value: number) => value, pixel: 1, scale: { name: 'linear' } }
    drawPoints(view as never, plot as never, sink)
    return steps
  }

  it('are triangles that point up or down, and squares without one', () => {
    expect(stepsOf()).toEqual(['rect 8.5 3.5 3 3'])
    expect(stepsOf({ shape: 'up', sizePx: 4 })).toEqual(['move 10 3', 'line 12 7', 'line 8 7', 'line 10 3'])
    expect(stepsOf({ shape: 'down', sizePx: 4 })).toEqual(['move 10 7', 'line 12 3', 'line 8 3', 'line 10 7'])
  })
})
