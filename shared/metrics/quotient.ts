/** Returns the quotient; NaN if the denominator is 0. */
export const quotient = (numerator: number, denominator: number) => (denominator === 0 ? NaN : numerator / denominator)
