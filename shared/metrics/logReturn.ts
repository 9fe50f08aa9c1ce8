/**
 * ln(price / before), to the last digits also where both are nearly equal. There the difference of two floats is exact,
 * so the series of artanh in (price − before)/(price + before) keeps every digit that a quotient next to 1 would lose.
 */
export function logReturn(before: number, price: number): number {
  const s = (price - before) / (price + before)
  const square = s * s
  if (square < 1e-6) return 2 * s * (1 + square * (1 / 3 + square * (1 / 5 + square * (1 / 7))))
  return Math.log1p((price - before) / before)
}
