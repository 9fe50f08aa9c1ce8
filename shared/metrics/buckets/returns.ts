import type { Bucket } from '../bucket.ts'
import { quotient } from '../quotient.ts'

/** Computes the Pearson correlation of each return with the previous one. */
function lagCorrelation(returns: Float64Array): number {
  const pairs = returns.length - 1
  if (pairs < 2) return NaN
  const origin = returns[0]
  let sum = 0
  for (let i = 1; i < pairs; i++) sum += returns[i] - origin
  // The first members of the pairs are all returns but the last, the second members all but the first.
  const meanBefore = sum / pairs
  const originAfter = returns[1]
  let sumAfter = 0
  for (let i = 2; i <= pairs; i++) sumAfter += returns[i] - originAfter
  const meanAfter = sumAfter / pairs
  let products = 0
  let squaresBefore = 0
  let squaresAfter = 0
  for (let i = 1; i <= pairs; i++) {
    const before = returns[i - 1] - origin - meanBefore
    const after = returns[i] - originAfter - meanAfter
    products += before * after
    squaresBefore += before * before
    squaresAfter += after * after
  }
  return quotient(products, Math.sqrt(squaresBefore) * Math.sqrt(squaresAfter))
}

export const returns: Bucket = {
  dataset: 'returns',
  reads: { trades: ['price'] },
  create:
    () =>
    ({ trades }, row) => {
      const values = trades.logReturns
      const count = values.length
      if (count === 0) return
      const squares = trades.squaredReturns
      let total = 0
      let path = 0
      let adjacent = 0
      let before = 0
      const origin = values[0]
      let shifted = 0
      for (let i = 0; i < count; i++) {
        const value = values[i]
        const size = Math.abs(value)
        total += value
        path += size
        adjacent += size * before
        shifted += value - origin
        before = size
      }
      if (count >= 2) {
        const shift = shifted / count
        let m2 = 0
        for (let i = 0; i < count; i++) {
          const distance = values[i] - origin - shift
          m2 += distance * distance
        }
        const bipower = (Math.PI / 2) * adjacent
        row[0] = m2 / (count - 1)
        row[2] = bipower
        row[3] = quotient(squares - bipower, squares)
      }
      row[1] = Math.sqrt(squares)
      row[4] = lagCorrelation(values)
      row[5] = quotient(Math.abs(total), path)
    },
}
