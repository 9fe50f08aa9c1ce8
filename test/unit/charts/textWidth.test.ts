import { expect, test } from 'vitest'
import { endNamesPx, nameMarks } from '../../../renderer/charts/axisMarks.ts'

/** Widths in pixels as Chromium measures them with 11 px Inter, its variable font. */
const measured = [
  ['DOGE', 31.2],
  ['AVAX', 28.8],
  ['MATIC', 34.7],
  ['SHIB', 25.4],
  ['bid depth', 49.2],
  ['ask volume', 58.9],
  ['WAWWWA', 57.2],
  ['momentum_ls.20', 89.2],
  ['FARTCOINWOMANM', 109.6],
  ['wren-futures', 67.8],
  ['0.5 %', 30.1],
  ['火箭', 22],
] as const

test.each(measured)('a name at the end of a line has room to the edge: %s', (text, widthPx) => {
  const roomPx = endNamesPx([text], 1000) - nameMarks.textPx
  expect(roomPx).toBeGreaterThan(widthPx + 3)
  expect(roomPx).toBeLessThan(widthPx * 1.3 + 12)
})
