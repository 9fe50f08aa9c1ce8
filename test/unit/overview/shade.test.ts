import { expect, it } from 'vitest'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { drawShade, shadeSpans, shadeText } from '#shared/overview/shade.ts'

const pointsOf = (kind: 'rows' | 'bins', times: number[], values: (number | null)[]): OverviewPoints => ({
  kind,
  binMs: kind === 'bins' ? 100 : null,
  stepMs: 10,
  frame: {
    rows: times.length,
    columns: [timeColumn('time', times), numberColumn(kind === 'bins' ? 'value.mean' : 'value', values)],
  },
})
const spansOf = (points: OverviewPoints) => {
  const { from, to, level } = shadeSpans(points)
  return [...from].map((start, at) => [start, to[at], level[at]])
}

it('joins rows at which a state is on, and ends at a row that is off, missing or absent', () => {
  expect(spansOf(pointsOf('rows', [0, 10, 20, 30, 40, 60, 70], [1, 1, 0, 1, null, 1, 1]))).toEqual([
    [0, 20, 4],
    [30, 40, 4],
    [60, 80, 4],
  ])
})

it('tints bins of many rows by the share at which the state is on, and keeps one that is rarely on', () => {
  expect(spansOf(pointsOf('bins', [0, 100, 200, 300, 400], [1, 1, 0.001, 0, 0.6]))).toEqual([
    [0, 200, 4],
    [200, 300, 1],
    [400, 500, 3],
  ])
})

it('ends a bin that was split at the edge of the view where its second part begins', () => {
  expect(spansOf(pointsOf('bins', [0, 40], [1, 0]))).toEqual([[0, 40, 4]])
})

it('draws each stretch at least a pixel wide and inside the plot', () => {
  const spans = shadeSpans(pointsOf('rows', [0, 10, 50, 1000], [1, 1, 1, 1]))
  const drawn: number[][] = []
  const sink = { moveTo() {}, lineTo() {}, rect: (...box: number[]) => void drawn.push(box) }
  drawShade(spans, 4, { x: (ms) => ms / 20, left: 0.5, top: 3, width: 20, height: 7, pixel: 1 }, sink)
  expect(drawn).toEqual([
    [0.5, 3, 1, 7],
    [2.5, 3, 1, 7],
  ])
})

it('says how often a state is on', () => {
  expect(shadeText({ share: 0.1234, spells: 14 })).toBe('12.3 % of the time, 14 spells')
  expect(shadeText({ share: null, spells: 0 })).toBe('no value')
  expect(shadeText({ share: null, spells: null })).toBe('')
})
