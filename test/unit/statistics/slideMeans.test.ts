import { describe, expect, it } from 'vitest'
import { slideMeans, slideMoments } from '#shared/statistics/slideMoments.ts'

describe('means of windows', () => {
  it.each([1, 2, 7, 50, 400])('are to the digit those of the moments, with windows of %i rows', (width) => {
    let state = 5
    const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
    const values = Float64Array.from({ length: 300 }, () => (random() - 0.5) * 10 ** (20 * random() - 10))
    const holes = Uint8Array.from(values, () => (random() < 0.3 ? 0 : 1))
    for (const valid of [null, holes]) {
      for (const least of [0, 1, width]) {
        const expected = { values: new Float64Array(300), valid: new Uint8Array(300) }
        const found = { values: new Float64Array(300), valid: new Uint8Array(300) }
        slideMoments(values, valid, width, (row, count, mean) => {
          if (count < least) return
          expected.values[row] = mean
          expected.valid[row] = 1
        })
        slideMeans({ values, valid }, width, least, found)
        expect(found).toEqual(expected)
      }
    }
  })
})
