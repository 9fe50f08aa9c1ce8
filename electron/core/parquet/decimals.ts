import type { SchemaElement } from 'hyparquet'

/** Maximum length of a decimal in bytes, because the time of its conversion grows with its square. */
const LONGEST_DECIMAL = 64
/** Largest power of ten that a double holds exactly. */
const LARGEST_EXACT_POWER = 22
const powersOfTen = Float64Array.from({ length: LARGEST_EXACT_POWER + 1 }, (_, exponent) => Number(`1e${exponent}`))

export const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL'

/** Converts the integers of which a decimal column consists to the nearest doubles of the decimals. */
export function decimalNumbers(values: ArrayLike<unknown>, element: SchemaElement): number[] {
  const scale = scaleOf(element)
  return Array.from(values, (value) => {
    if (value instanceof Uint8Array) return nearestDouble(bigEndianInteger(value), scale)
    if (typeof value === 'number' || typeof value === 'bigint') return nearestDouble(value, scale)
    throw new Error('its values are not numbers')
  })
}

function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  return (logical?.type === 'DECIMAL' ? logical.scale : scale) ?? 0
}

/** Reads a signed integer of any length whose first byte is the highest. */
function bigEndianInteger(bytes: Uint8Array): number | bigint {
  if (bytes.length > LONGEST_DECIMAL) throw new Error('a decimal is too long')
  if (bytes.length === 0) return 0
  // Numbers of up to six bytes are exact as doubles.
  if (bytes.length <= 6) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readIntBE(0, bytes.length)
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

/**
 * Returns the double nearest to `unscaled` / 10^`scale`. A division of two exact doubles rounds once; a multiplication
 * by 10^−scale, which no double holds, would round twice.
 */
function nearestDouble(unscaled: number | bigint, scale: number): number {
  const rounded = Number(unscaled)
  if (Math.abs(rounded) <= Number.MAX_SAFE_INTEGER && scale >= 0 && scale <= LARGEST_EXACT_POWER)
    return rounded / powersOfTen[scale]
  return Number(`${unscaled}e${-scale}`)
}
