/** Computes the polynomial c₀xⁿ + c₁xⁿ⁻¹ + … */
function polynomial(x: number, coefficients: readonly number[]): number {
  let sum = 0
  for (const coefficient of coefficients) sum = sum * x + coefficient
  return sum
}

const centre = {
  numerator: [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
  ],
  denominator: [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
}
const tail = {
  numerator: [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  denominator: [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
}

/**
 * Computes the standard normal quantile of a probability in (0, 1), to about nine digits (two rational approximations).
 */
export function inverseNormal(probability: number): number {
  const tailProbability = Math.min(probability, 1 - probability)
  if (tailProbability < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(tailProbability))
    const value = polynomial(q, tail.numerator) / polynomial(q, tail.denominator)
    return probability < 0.5 ? value : -value
  }
  const q = probability - 0.5
  return (q * polynomial(q * q, centre.numerator)) / polynomial(q * q, centre.denominator)
}
