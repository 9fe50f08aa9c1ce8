import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  scrollToShow,
  columnsInView,
  edgesOf,
  LARGEST_CANVAS_PX,
  scrollScale,
} from '../../../renderer/tables/useScroll.ts'
import { positionAfterKey, type CellPosition } from '../../../renderer/tables/useKeys.ts'

describe('the scroll bar of a table taller than any element', () => {
  const content = fc.integer({ min: 0, max: 400_000_000 })
  const view = fc.integer({ min: 0, max: 2000 })

  it('never outgrows the browser and reaches both ends', () => {
    fc.assert(
      fc.property(content, view, (contentPx, viewPx) => {
        const { canvasPx, topOf, scrollOf } = scrollScale(contentPx, viewPx)
        expect(canvasPx).toBeLessThanOrEqual(LARGEST_CANVAS_PX)
        const most = Math.max(0, canvasPx - viewPx)
        const mostTop = Math.max(0, contentPx - viewPx)
        expect([topOf(0), topOf(most), topOf(most + 99), scrollOf(mostTop)]).toEqual([0, mostTop, mostTop, most])
      }),
    )
  })

  it('goes there and back, always forward', () => {
    fc.assert(
      fc.property(
        content,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (contentPx, a, b) => {
          const { topOf, scrollOf } = scrollScale(contentPx, 700)
          const mostTop = Math.max(0, contentPx - 700)
          expect(topOf(scrollOf(a * mostTop))).toBeCloseTo(a * mostTop, 4)
          if (a < b) expect(scrollOf(a * mostTop)).toBeLessThanOrEqual(scrollOf(b * mostTop))
        },
      ),
    )
  })

  it('follows steps as they are, and jumps by the position of the bar', () => {
    const { follow, topOf } = scrollScale(140_000_000, 700)
    expect(follow(70_000_000, 7_000_000, 7_000_120)).toBe(70_000_120)
    expect(follow(70_000_000, 7_000_000, 3_000_000)).toBe(topOf(3_000_000))
    expect(follow(5000, 80, 0)).toBe(0)
    expect(scrollScale(5000, 700).follow(100, 100, 160)).toBe(160)
  })
})

describe('columns in view', () => {
  const edges = edgesOf([100, 50, 50, 200])

  it.each([
    [0, 100, 0, 1],
    [0, 101, 0, 2],
    [99, 10, 0, 2],
    [100, 50, 1, 2],
    [390, 500, 3, 4],
    [0, 0, 0, 0],
  ])('from %i over %i pixels: %i to %i', (left, width, from, to) => {
    expect(columnsInView(edges, left, width)).toEqual({ from, to })
  })

  it('scrolls no further than it must', () => {
    expect([scrollToShow(100, 50, 110, 140), scrollToShow(100, 50, 90, 140), scrollToShow(100, 50, 140, 170)]).toEqual([
      100, 90, 120,
    ])
  })
})

describe('keys that lead from cell to cell', () => {
  const bounds = { rows: 100, columns: 5, pageRows: 20 }
  const at: CellPosition = { row: 50, column: 2 }

  it.each<[string, boolean, CellPosition, number, number]>([
    ['ArrowUp', false, at, 49, 2],
    ['ArrowDown', false, at, 51, 2],
    ['ArrowLeft', false, at, 50, 1],
    ['ArrowRight', false, at, 50, 3],
    ['ArrowUp', true, at, 0, 2],
    ['ArrowDown', true, at, 99, 2],
    ['ArrowLeft', true, at, 50, 0],
    ['ArrowRight', true, at, 50, 4],
    ['PageUp', false, at, 30, 2],
    ['PageDown', false, at, 70, 2],
    ['PageDown', false, { row: 95, column: 0 }, 99, 0],
    ['PageUp', false, { row: 5, column: 0 }, 0, 0],
    ['Home', false, at, 50, 0],
    ['End', false, at, 50, 4],
    ['Home', true, at, 0, 0],
    ['End', true, at, 99, 4],
    ['ArrowUp', false, { row: 0, column: 1 }, -1, 1],
    ['ArrowUp', false, { row: -1, column: 1 }, -1, 1],
    ['ArrowDown', false, { row: -1, column: 1 }, 0, 1],
    ['ArrowRight', false, { row: 3, column: 4 }, 3, 4],
  ])('%s (with ctrl: %s) from %j to row %i, column %i', (key, isCommand, from, row, column) => {
    expect(positionAfterKey({ key, isCommand }, from, bounds)).toEqual({ row, column })
  })

  it('ignores all other keys', () => {
    expect(positionAfterKey({ key: 'x', isCommand: false }, at, bounds)).toBeNull()
  })
})
