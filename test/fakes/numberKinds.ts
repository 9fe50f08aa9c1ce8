import type { CsvRows } from '#core/export/csvRows.ts'

const bits = new BigUint64Array(1)
const double = new Float64Array(bits.buffer)
const word = (random: () => number) => BigInt(Math.floor(random() * 2 ** 32))

function doubleOf(pattern: bigint): number {
  bits[0] = pattern
  return double[0]
}

/** Returns a number at most three representable numbers away from a value. */
function beside(value: number, random: () => number): number {
  double[0] = value
  bits[0] += BigInt(Math.floor(random() * 7) - 3)
  return double[0]
}

const randomSign = (random: () => number) => (random() < 0.5 ? -1 : 1)
const decimal = (digits: number, exponent: number, random: () => number) =>
  Number(`${Math.floor(random() * 10 ** digits)}e${exponent}`) * randomSign(random)

/** Functions that draw doubles, by kind. */
export const numberKinds: Readonly<Record<string, (random: () => number) => number>> = {
  'any double': (random) => doubleOf((word(random) << 32n) | word(random)),
  'a measured value': (random) => random() * 1000 * randomSign(random),
  'an integer': (random) => Math.round(random() * 10 ** (random() * 22)) * randomSign(random),
  'a decimal of a few digits': (random) => decimal(1 + Math.floor(random() * 9), -Math.floor(random() * 9), random),
  'a decimal of any size': (random) => decimal(1 + Math.floor(random() * 17), Math.floor(random() * 640 - 330), random),
  'a neighbour of a power of ten': (random) => beside(Number(`1e${Math.floor(random() * 631 - 323)}`), random),
  'a neighbour of a power of two': (random) => beside(2 ** Math.floor(random() * 2098 - 1074), random),
  'an integer beyond 2^53': (random) => (2 ** 53 + Math.floor(random() * 2 ** 20)) * 2 ** Math.floor(random() * 20),
  'a middle between decimals': (random) => (Math.floor(random() * 2 ** 33) + 0.5) / 2 ** Math.floor(random() * 60),
  'a subnormal number': (random) => doubleOf(((word(random) << 32n) | word(random)) & 0xfffffffffffffn),
  'a small share': (random) => random() * 10 ** -Math.floor(random() * 12),
}

export const drawNumbers = (kind: string, random: () => number, count: number): Float64Array =>
  Float64Array.from({ length: count }, () => numberKinds[kind](random))

const expectedText = (value: number) => (Object.is(value, -0) ? '-0' : String(value))

/** Compares the numbers that `rows` writes with those of `String`. @returns the first difference, or null */
export function checkNumbers(rows: CsvRows, values: Float64Array): string | null {
  const pieces = rows.encode({ rows: values.length, columns: [{ name: 'n', kind: 'number', values, valid: null }] })
  const lines = Buffer.concat(pieces).toString('latin1').split('\n')
  if (lines.length !== values.length + 1) return `${lines.length - 1} lines for ${values.length} numbers`
  const at = values.findIndex((value, row) => lines[row] !== expectedText(value))
  return at < 0 ? null : `${lines[at]} was written for ${expectedText(values[at])}`
}
