type NumberCells = ArrayLike<number | null>

/**
 * Describes a column of numbers for the writer: without a dictionary if it contains −0, because the writer's dictionary
 * confuses −0 with 0.
 */
export const numberCells = <Data extends NumberCells>(name: string, data: Data) =>
  hasNegativeZero(data) ? { name, data, encoding: 'PLAIN' as const } : { name, data }

function hasNegativeZero(values: NumberCells): boolean {
  for (let row = 0; row < values.length; row++) if (Object.is(values[row], -0)) return true
  return false
}
