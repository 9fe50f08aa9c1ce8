import { describe, expect, it, test } from 'vitest'
import { labelPlaces, wrapLines } from '../../../renderer/charts/layout.ts'

const places = (widths: number[], roomPx: number) =>
  wrapLines(
    widths.map((widthPx) => ({ widthPx })),
    ({ widthPx }) => widthPx,
    { roomPx, gapPx: 10 },
  ).map((line) => line.map(({ xPx }) => xPx))

test('what does not fit beside the others goes into the next line', () => {
  expect(places([40, 40, 40], 90)).toEqual([[0, 50], [0]])
})

test('what fits nowhere still has a line of its own', () => {
  expect(places([40, 200, 40], 90)).toEqual([[0], [0], [0]])
})

test('without anything there is one empty line', () => {
  expect(places([], 90)).toEqual([[]])
})

describe('labels around their middles', () => {
  const placesOf = (...labels: [middlePx: number, widthPx: number][]) =>
    labelPlaces(
      labels.map(([middlePx, widthPx]) => ({ middlePx, widthPx })),
      400,
    )

  it('share a line where they have room, and get another where they would overlap', () => {
    expect(placesOf([50, 80], [200, 80], [100, 80]).map(({ line }) => line)).toEqual([0, 0, 1])
  })

  it('stay inside, and a third over two gets the third line', () => {
    const [left, right, all] = placesOf([10, 100], [395, 100], [200, 390])
    expect([left.leftPx, right.leftPx]).toEqual([0, 300])
    expect(all.line).toBe(1)
    expect(placesOf([200, 300], [200, 300], [200, 300]).map(({ line }) => line)).toEqual([0, 1, 2])
  })
})
