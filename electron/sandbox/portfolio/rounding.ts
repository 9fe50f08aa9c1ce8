/** Rounds to the nearest 1/`parts`, so that numbers are short in JSON. NaN stays NaN; there is no negative zero. */
export function roundedTo(value: number, parts: number): number {
  return Math.round(value * parts) / parts + 0
}
