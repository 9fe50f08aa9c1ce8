/**
 * Formats numbers for display. Thousands are separated by a narrow no-break space, because comma and point swap meaning
 * between countries; every number is grouped, so that right-aligned columns line up. The minus is a true minus sign, as
 * wide as a digit. Text for machines uses `exactNumber` instead.
 */

export const GROUP_SPACE = '\u202f'
export const MINUS = '\u2212'

const LARGEST_WRITTEN_OUT = 1e15
const SMALLEST_WRITTEN_OUT = 1e-4

const NAN_TEXT = 'not a number'
const INFINITY_TEXT = 'infinity'

/**
 * Formats with `decimals` digits after the point. A nonzero number is never shown as 0 but gets two significant digits;
 * extremely large or small numbers are written as powers of ten.
 */
export function formatNumber(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return nonFiniteText(value)
  const size = Math.abs(value)
  if (size >= LARGEST_WRITTEN_OUT) return formatPower(value, 5)
  const digits = size.toFixed(decimals)
  const isTooSmall = size > 0 && Number(digits) === 0
  if (isTooSmall && size < SMALLEST_WRITTEN_OUT) return formatPower(value, 2)
  const text = groupThousands(isTooSmall ? size.toFixed(decimalsFor(size, 2)) : digits)
  return value < 0 ? MINUS + text : text
}

/** Largest fraction whose percentage is a finite number. */
const LARGEST_SHARE = Number.MAX_VALUE / 100

/** Formats a fraction in per cent, without the % sign, even if the percentage itself would overflow. */
export function formatPercent(fraction: number, decimals: number): string {
  if (!Number.isFinite(fraction) || Math.abs(fraction) <= LARGEST_SHARE) return formatNumber(fraction * 100, decimals)
  return powerText(fraction.toExponential(4), 2)
}

/** Formats a number as a power of ten such as `1.25×10⁻⁷`, with this many significant digits. */
export function formatPower(value: number, significant: number): string {
  return powerText(value.toExponential(significant - 1))
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'
const powerPattern = new RegExp(`×10(⁻?)([${SUPERSCRIPTS}]+)$`)

/** Writes `×10⁻⁷` as `e-7`, so that what is shown can be typed and pasted back. */
const withPlainPower = (text: string): string =>
  text.replace(powerPattern, (_all, minus: string, raised: string) => {
    const digits = raised.replaceAll(/./g, (digit) => String(SUPERSCRIPTS.indexOf(digit)))
    return `e${minus && '-'}${digits}`
  })

/** Writes `1.9e-7` as `1.9×10⁻⁷`, and text without an exponent as it is but for its minus. */
export function powerText(text: string, added = 0): string {
  const [digits, exponent] = text.split('e')
  if (exponent === undefined) return digits.replace('-', MINUS)
  const power = Number(exponent) + added
  const raised = String(Math.abs(power)).replaceAll(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)])
  return `${digits.replace('-', MINUS)}×10${power < 0 ? '⁻' : ''}${raised}`
}

/** Writes the shortest text that parses to the same number, −0 included, for copies, tooltips and files. */
export function exactNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Formats a number with up to three significant digits. */
export const shortNumber = (value: number): string => powerText(exactNumber(Number(value.toPrecision(3))))

/** Computes the decimals that show `significant` digits of numbers as large as `magnitude`. */
export function decimalsFor(magnitude: number, significant: number): number {
  if (!(magnitude > 0) || !Number.isFinite(magnitude)) return significant - 1
  return significant - 1 - Math.floor(Math.log10(magnitude))
}

/**
 * Rounds a number to `significant` digits, but never above the unit, because an amount of money must not lose a digit
 * before its point: with six digits, 1608011.18 becomes 1608011.
 */
export function roundToDigits(value: number, significant: number): number {
  const isLonger = Math.abs(value) >= 10 ** significant
  return isLonger ? Math.sign(value) * Math.round(Math.abs(value)) : Number(value.toPrecision(significant))
}

const numberPattern = /^([+-]?)(\d*)((?:[ \u00a0\u2009\u202f_',]\d{3})*)(\.\d+|\.)?(e[+-]?\d{1,3})?\s*([kmbg]?)$/i
const multiples: Record<string, number> = { '': 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9 }

/**
 * Parses a number as people type it: `1 234.5`, `1,234.5`, `1_000`, `-2e-5`, `3k`, `1.5m` (million), `2b`. Null for
 * anything else, including the ambiguous `1,5`.
 */
export function parseNumber(text: string): number | null {
  const match = numberPattern.exec(withPlainPower(text.trim().replaceAll(MINUS, '-')))
  if (!match) return null
  const [, sign, lead, groups, fraction = '', power = '', multiple] = match
  if (groups && (lead.length < 1 || lead.length > 3)) return null
  const integerDigits = lead + groups.replace(/\D/g, '')
  if (!integerDigits && !/\d/.test(fraction)) return null
  const value = Number(`${sign}${integerDigits || '0'}${fraction}${power}`) * multiples[multiple.toLowerCase()]
  return Number.isFinite(value) ? value : null
}

const decimalPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Parses a decimal number as programs write it: `-1.5`, `2e-5`. Null for anything else, such as `0x10` or no text. */
export const parseDecimal = (text: string): number | null => (decimalPattern.test(text) ? Number(text) : null)

/**
 * Parses a decimal number with a point or a comma, as people type it into a field. Null for anything else, including
 * `1,500`, which may be one and a half or fifteen hundred.
 */
export function parseTypedDecimal(text: string): number | null {
  const trimmed = text.trim()
  return /^[+-]?[1-9]\d{0,2},\d{3}$/.test(trimmed) ? null : parseDecimal(trimmed.replace(',', '.'))
}

function nonFiniteText(value: number): string {
  if (Number.isNaN(value)) return NAN_TEXT
  return value < 0 ? MINUS + INFINITY_TEXT : INFINITY_TEXT
}

function groupThousands(digits: string): string {
  const point = digits.indexOf('.')
  const end = point < 0 ? digits.length : point
  if (end <= 3) return digits
  let text = digits.slice(0, end % 3)
  for (let at = end % 3; at < end; at += 3) text += (text && GROUP_SPACE) + digits.slice(at, at + 3)
  return point < 0 ? text : text + digits.slice(point)
}
