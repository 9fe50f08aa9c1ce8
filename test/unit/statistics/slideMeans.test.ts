import { describe, expect, it } from 'vitest'
import { slideMeans } from '#shared/statistics/slideMoments.ts'

describe('means of windows', () => {
  it.each([1, 2, 7, 50, 400])('are those of their values, with windows of %i rows', (width) => {
    let state = 5
    const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    const values = Float64Array.from({ length: 300 }, () => (random() - 0.5) * 10 ** (20 * random() - 10))
    const holes = Uint8Array.from(values, () => (random() < 0.3 ? 0 : 1))
    for (const valid of [null, holes]) {
      for (const least of [1, width]) {
        const found = { values: new Float64Array(300), valid: new Uint8Array(300) }
        slideMeans({ values, valid }, width, least, found)
        for (let row = 0; row < 300; row++) {
          const present = [...values.subarray(Math.max(0, row - width + 1), row + 1)].filter(
            (_, at) => !valid || valid[Math.max(0, row - width + 1) + at],
          )
          expect(found.valid[row]).toBe(Number(present.length >= least))
          if (!found.valid[row]) continue
          const mean = present.reduce((sum, value) => sum + value / present.length, 0)
          const largest = Math.max(...present.map(Math.abs))
          expect(Math.abs(found.values[row] - mean)).toBeLessThanOrEqual(1e-14 * largest)
        }
      }
    }
  })
})
