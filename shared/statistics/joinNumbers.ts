type Numbers = Float64Array | Uint32Array

/**
 * Concatenates arrays of numbers.
 * @param create constructor of the result, for integer arrays
 */
export function joinNumbers(parts: readonly Float64Array[]): Float64Array
export function joinNumbers<Result extends Numbers>(
  parts: readonly Result[],
  create: new (length: number) => Result,
): Result
export function joinNumbers(
  parts: readonly Numbers[],
  create: new (length: number) => Numbers = Float64Array,
): Numbers {
  const joined = new create(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
