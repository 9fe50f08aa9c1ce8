/** Number of products up to which they are added one by one; beyond, a Fourier transform is faster. */
const MOST_DIRECT_PRODUCTS = 2 ** 22

/** Sums `values[t] · values[t + lag]` over all t, for each lag from 0 to `largestLag`. */
export function laggedProducts(values: Float64Array, largestLag: number): Float64Array {
  return values.length * (largestLag + 1) <= MOST_DIRECT_PRODUCTS
    ? directProducts(values, largestLag)
    : transformedProducts(values, largestLag)
}

function directProducts(values: Float64Array, largestLag: number): Float64Array {
  const sums = new Float64Array(largestLag + 1)
  for (let lag = 0; lag <= largestLag; lag++) {
    let sum = 0
    for (let time = 0; time + lag < values.length; time++) sum += values[time] * values[time + lag]
    sums[lag] = sum
  }
  return sums
}

/**
 * Correlates each block of values with itself and the values that follow it, by Fourier transforms that fit the
 * processor's cache. Block and longer stretch are the real and the imaginary part of one transform.
 */
export function transformedProducts(values: Float64Array, largestLag: number): Float64Array {
  const size = 2 ** Math.ceil(Math.log2(4 * (largestLag + 1)))
  const blockSize = size - largestLag
  const transform = fourierTransform(size)
  const sums = { re: new Float64Array(size), im: new Float64Array(size) }
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  for (let start = 0; start < values.length; start += blockSize) {
    re.fill(0).set(values.subarray(start, start + blockSize))
    im.fill(0).set(values.subarray(start, start + size))
    transform(re, im)
    for (let k = 0; k < size; k++) {
      const mirrored = (size - k) & (size - 1)
      const sumRe = re[k] + re[mirrored]
      const sumIm = im[k] + im[mirrored]
      const gapRe = re[k] - re[mirrored]
      const gapIm = im[k] - im[mirrored]
      sums.re[k] += sumRe * sumIm - gapIm * gapRe
      sums.im[k] -= sumRe * gapRe + gapIm * sumIm
    }
  }
  // The inverse transform is that of the conjugate, whose real part is all that is needed.
  transform(
    sums.re,
    sums.im.map((part) => -part),
  )
  return sums.re.slice(0, largestLag + 1).map((sum) => sum / (4 * size))
}

/** Builds the transform of complex numbers in place; `size` is a power of two. */
function fourierTransform(size: number): (re: Float64Array, im: Float64Array) => void {
  const cosines = Float64Array.from({ length: size / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / size))
  const sines = Float64Array.from({ length: size / 2 }, (_, at) => -Math.sin((2 * Math.PI * at) / size))
  const reversed = reversedBits(size)
  return (re, im) => {
    for (let at = 0; at < size; at++) {
      const other = reversed[at]
      if (other <= at) continue
      const partRe = re[at]
      const partIm = im[at]
      re[at] = re[other]
      im[at] = im[other]
      re[other] = partRe
      im[other] = partIm
    }
    for (let half = 1, step = size / 2; half < size; half *= 2, step /= 2) {
      for (let start = 0; start < size; start += 2 * half) {
        for (let at = start, turn = 0; at < start + half; at++, turn += step) {
          const other = at + half
          const partRe = re[other] * cosines[turn] - im[other] * sines[turn]
          const partIm = re[other] * sines[turn] + im[other] * cosines[turn]
          re[other] = re[at] - partRe
          im[other] = im[at] - partIm
          re[at] += partRe
          im[at] += partIm
        }
      }
    }
  }
}

function reversedBits(size: number): Uint32Array {
  const reversed = new Uint32Array(size)
  for (let at = 1; at < size; at++) reversed[at] = (reversed[at >> 1] >> 1) | (at & 1 ? size >> 1 : 0)
  return reversed
}
