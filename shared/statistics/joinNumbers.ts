type Numbers = Float64Array | Uint32Array

/** Joins arrays of numbers, in their order. @param create the constructor of the whole, for arrays of whole numbers */
export function joinNumbers(parts: readonly Float64Array[]): Float64Array
export function joinNumbers<Whole extends Numbers>(
  parts: readonly Whole[],
  create: new (length: number) => Whole,
): Whole
export function joinNumbers(
  parts: readonly Numbers[],
  create: new (length: number) => Numbers = Float64Array,
): Numbers {
  const whole = new create(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
