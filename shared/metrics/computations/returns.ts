import type { DatasetComputation } from '../datasetComputation.ts'
import { quotient } from '../quotient.ts'

/**
 * Computes all sums in one pass: while the processor waits for an addition to one sum, it adds to the others, so
 * additional sums take no more time. The sums `shifted…` add differences from the first or second return, which keeps
 * the digits of returns that are nearly equal.
 */
function sumsOf(returns: Float64Array) {
  const [origin, originAfter] = returns
  let total = origin
  let path = Math.abs(origin)
  let adjacent = 0
  let before = path
  let shifted = 0
  let shiftedButLast = 0
  let shiftedAfter = 0
  for (let i = 1; i < returns.length; i++) {
    const value = returns[i]
    const size = Math.abs(value)
    total += value
    path += size
    adjacent += size * before
    shiftedButLast = shifted
    shifted += value - origin
    shiftedAfter += value - originAfter
    before = size
  }
  return { total, path, adjacent, shifted, shiftedButLast, shiftedAfter }
}

/**
 * Sums squared distances from the mean, and products of the distances of each return and the previous one. Means are
 * given as differences from the first or second return, as in `sumsOf`.
 * @param shift mean of all returns
 * @param shiftBefore mean of all returns but the last
 * @param shiftAfter mean of all returns but the first, as difference from the second
 */
function centredSums(returns: Float64Array, shift: number, shiftBefore: number, shiftAfter: number) {
  const [origin, originAfter] = returns
  let m2 = shift * shift
  let crossProducts = 0
  let squaresBefore = 0
  let squaresAfter = 0
  for (let i = 1; i < returns.length; i++) {
    const distance = returns[i] - origin - shift
    const before = returns[i - 1] - origin - shiftBefore
    const after = returns[i] - originAfter - shiftAfter
    m2 += distance * distance
    crossProducts += before * after
    squaresBefore += before * before
    squaresAfter += after * after
  }
  return { m2, crossProducts, squaresBefore, squaresAfter }
}

export const returns: DatasetComputation = {
  dataset: 'returns',
  reads: { trades: ['price'] },
  create:
    () =>
    ({ trades }, row) => {
      const values = trades.logReturns
      const count = values.length
      if (count === 0) return
      const squaredReturnSum = trades.squaredReturns
      const sums = sumsOf(values)
      row[1] = Math.sqrt(squaredReturnSum)
      row[5] = quotient(Math.abs(sums.total), sums.path)
      if (count < 2) return
      // The first members of the pairs are all returns but the last, the second members all but the first.
      const pairs = count - 1
      const centred = centredSums(values, sums.shifted / count, sums.shiftedButLast / pairs, sums.shiftedAfter / pairs)
      const bipower = (Math.PI / 2) * sums.adjacent
      row[0] = centred.m2 / pairs
      row[2] = bipower
      row[3] = quotient(squaredReturnSum - bipower, squaredReturnSum)
      // This column is the Pearson correlation of each return with the previous one.
      if (pairs >= 2)
        row[4] = quotient(centred.crossProducts, Math.sqrt(centred.squaresBefore) * Math.sqrt(centred.squaresAfter))
    },
}
