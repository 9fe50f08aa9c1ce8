/** Returns the quotient; NaN if the denominator is 0, or infinite because a sum overflowed. */
export const quotient = (numerator: number, denominator: number) =>
  denominator === 0 || !Number.isFinite(denominator) ? NaN : numerator / denominator
