/** Divides; a quotient with denominator 0 has no value. */
export const quotient = (numerator: number, denominator: number) => (denominator === 0 ? NaN : numerator / denominator)
