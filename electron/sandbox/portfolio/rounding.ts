/** Rounds to the nearest 1/`parts`, so that numbers are short in JSON. NaN stays NaN; −0 becomes 0. */
export function roundedTo(value: number, parts: number): number {
  return Math.round(value * parts) / parts + 0
}
