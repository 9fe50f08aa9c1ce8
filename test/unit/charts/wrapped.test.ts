import { expect, test } from 'vitest'
import { wrapLines } from '../../../renderer/charts/layout.ts'

const places = (widths: number[], roomPx: number) =>
  wrapLines(
    widths.map((widthPx) => ({ widthPx })),
    ({ widthPx }) => widthPx,
    { roomPx, gapPx: 10 },
  ).map((line) => line.map(({ xPx }) => xPx))

test('what does not fit beside the others stands in the next line', () => {
  expect(places([40, 40, 40], 90)).toEqual([[0, 50], [0]])
})

test('what fits nowhere still has a line of its own', () => {
  expect(places([40, 200, 40], 90)).toEqual([[0], [0], [0]])
})

test('without anything there is one empty line', () => {
  expect(places([], 90)).toEqual([[]])
})
