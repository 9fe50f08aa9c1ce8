/**
 * Formats numbers as their shortest decimal digits, like `String(value)` (but −0 keeps its sign) and several times
 * faster. An integer below 2^53 is written as it is. A fraction between a millionth and 2^53 is scaled to 17 digits
 * before the point, exactly, as the sum of two doubles. The fewest digits are then chosen whose nearest double is the
 * value. `String` formats all other numbers, and fractions for which rounding errors could decide the choice.
 */

/** Bounds of the fractions that are formatted without `String`; for integers only the upper bound applies. */
const SMALLEST = 1e-6
const LARGEST = 2 ** 53
/** Divisor that splits the 17 digits into two integers of nine and eight digits. */
const LOW_BASE = 1e8
const DIGITS = 17
/** Margin far above the rounding errors of the lower eight digits and their fraction. */
const ROUNDING_MARGIN = 1e-6
/** Factor that splits a double into two halves whose products are exact. */
const SPLITTER = 2 ** 27 + 1

const ZERO = 48
const POINT = 46
const MINUS = 45

const LOG10_OF_2 = Math.log10(2)
const smallestPower = -6
const powers = Float64Array.from({ length: 24 }, (_, index) => Number(`1e${index + smallestPower}`))
const scales = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`))
const scaleHeads = scales.map(headOf)
const scaleTails = scales.map((scale, index) => scale - scaleHeads[index])

/** Lookup tables of the two digits of a number below 100. */
const tens = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10))
const ones = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10))

const asDouble = new Float64Array(1)
const asUint32 = new Uint32Array(asDouble.buffer)
const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1
const [HIGH_WORD, LOW_WORD] = isLittleEndian ? [1, 0] : [0, 1]

function headOf(value: number): number {
  const large = value * SPLITTER
  return large - (large - value)
}

/** Upper bound of the length of a number. */
export const LONGEST_NUMBER = 25

/**
 * Writes `values[index]` starting at `from` and returns the position after it. It takes an array and an index, because
 * a number passed by value would be allocated on the heap.
 */
export function writeNumber(values: Float64Array, index: number, target: Uint8Array, from: number): number {
  let value = values[index]
  let offset = from
  if (value < 0) {
    target[offset++] = MINUS
    value = -value
  }
  if (value < LARGEST && Math.floor(value) === value) {
    if (value === 0 && Object.is(values[index], -0)) target[offset++] = MINUS
    return writeInteger(value, target, offset)
  }
  if (!(value >= SMALLEST && value < LARGEST)) return writeText(values[index], target, from)

  asDouble[0] = value
  const highWord = asUint32[HIGH_WORD]
  // The next double below a power of two is closer to it than the next double above.
  if (asUint32[LOW_WORD] === 0 && (highWord & 0xfffff) === 0) return writeText(values[index], target, from)
  const exponent = (highWord >>> 20) - 1023
  let power = Math.floor(exponent * LOG10_OF_2)
  if (value >= powers[power + 1 - smallestPower]) power++

  // value × 10^scale = product + rest, exactly.
  const scale = DIGITS - 1 - power
  const product = value * scales[scale]
  const head = headOf(value)
  const tail = value - head
  const scaleHead = scaleHeads[scale]
  const scaleTail = scaleTails[scale]
  const rest = head * scaleHead - product + head * scaleTail + tail * scaleHead + tail * scaleTail
  let high = Math.floor(product * 1e-8)
  const low = product - high * LOW_BASE + rest
  // Half the distance to the next double is 2^(exponent − 53).
  asUint32[HIGH_WORD] = ((highWord >>> 20) - 53) << 20
  asUint32[LOW_WORD] = 0
  const reach = asDouble[0] * scales[scale]

  const rounded = roundest(low, reach)
  if (Number.isNaN(rounded)) return writeText(values[index], target, from)
  let lower = rounded
  if (lower >= LOW_BASE) {
    lower -= LOW_BASE
    high++
  } else if (lower < 0) {
    lower += LOW_BASE
    high--
  }
  if (high < 1e8 || high >= 1e9) return writeText(values[index], target, from)
  return writeDecimal(power, high, lower, target, offset)
}

/**
 * Returns the integer within `reach` of `low` that ends in the most zeros; NaN if that is too close to call. At most
 * one multiple of 100 is within reach.
 */
function roundest(low: number, reach: number): number {
  const toHundreds = Math.floor(low * 0.01 + 0.5) * 100
  const fromHundreds = Math.abs(low - toHundreds)
  if (fromHundreds < reach - ROUNDING_MARGIN) return toHundreds
  if (fromHundreds < reach + ROUNDING_MARGIN) return NaN
  const toTens = Math.floor(low * 0.1 + 0.5) * 10
  const fromTens = Math.abs(low - toTens)
  if (fromTens < reach - ROUNDING_MARGIN) return fromTens > 5 - ROUNDING_MARGIN ? NaN : toTens
  if (fromTens < reach + ROUNDING_MARGIN) return NaN
  const toOnes = Math.floor(low + 0.5)
  return Math.abs(low - toOnes) > 0.5 - ROUNDING_MARGIN ? NaN : toOnes
}

/** Writes the digits with their decimal point, without trailing zeros. */
function writeDecimal(power: number, high: number, lower: number, target: Uint8Array, from: number): number {
  let offset = from
  if (power < 0) {
    target[offset++] = ZERO
    target[offset++] = POINT
    for (let zeros = -1 - power; zeros > 0; zeros--) target[offset++] = ZERO
    writeDigits(high, 9, target, offset)
    writeDigits(lower, 8, target, offset + 9)
    offset += DIGITS
  } else {
    writeDigits(high, 9, target, offset + 1)
    writeDigits(lower, 8, target, offset + 10)
    for (let digits = power + 1; digits > 0; digits--, offset++) target[offset] = target[offset + 1]
    target[offset] = POINT
    offset = from + DIGITS + 1
  }
  while (target[offset - 1] === ZERO) offset--
  return offset
}

function writeInteger(value: number, target: Uint8Array, from: number): number {
  if (value < 1e9) {
    const count = digitsOf(value)
    writeDigits(value, count, target, from)
    return from + count
  }
  const high = Math.floor(value / LOW_BASE)
  const offset = from + digitsOf(high)
  writeDigits(high, offset - from, target, from)
  writeDigits(value - high * LOW_BASE, 8, target, offset)
  return offset + 8
}

function digitsOf(value: number): number {
  let count = 1
  for (let bound = 10; value >= bound; bound *= 10) count++
  return count
}

/** Writes the last `count` digits of a number below 2^31. */
function writeDigits(value: number, count: number, target: Uint8Array, offset: number): void {
  let remaining = value | 0
  let place = offset + count - 1
  for (; place > offset; place -= 2) {
    const next = (remaining / 100) | 0
    const pair = remaining - next * 100
    target[place - 1] = tens[pair]
    target[place] = ones[pair]
    remaining = next
  }
  if (place === offset) target[place] = ones[remaining % 100]
}

function writeText(value: number, target: Uint8Array, offset: number): number {
  const text = String(value)
  for (let index = 0; index < text.length; index++) target[offset + index] = text.charCodeAt(index)
  return offset + text.length
}
