import { exactNumber } from './numbers.ts'

/** Characters that start a formula, including those of East Asian spreadsheets. */
const FORMULA_STARTS = '=+\\-@＝＋－＠﹢﹣﹦﹫'
/** A formula at the start of a cell, possibly after blanks or invisible characters. */
const leadingFormulaPattern = new RegExp(`^[\\s\\p{Cc}\\p{Cf}"]*[${FORMULA_STARTS}]|^[\\t\\r\\n]`, 'u')
/** A formula after a character at which some spreadsheets start a new cell, even inside quotes. */
const laterFormulaPattern = new RegExp(`([;\\t\\r\\n][\\s\\p{Cc}\\p{Cf}"]*)(?=[${FORMULA_STARTS}])`, 'gu')

/**
 * A negative integer with so many digits that tables contain it as text. It is not a formula despite its minus sign.
 */
const longIntegerPattern = /^-\d{16,}$/

/** Makes text harmless to spreadsheets by an apostrophe before anything they would run as a formula. */
export function spreadsheetText(text: string): string {
  const harmless = text.toWellFormed().replace(laterFormulaPattern, "$1'")
  return leadingFormulaPattern.test(harmless) && !longIntegerPattern.test(harmless) ? `'${harmless}` : harmless
}

type CsvValue = string | number | null

/** Text cells of CSV files: guarded against formula injection in spreadsheets, or exact. */
export const csvTextModes = ['guarded', 'exact'] as const
export type CsvTextMode = (typeof csvTextModes)[number]

/** Writes one value as a CSV cell (RFC 4180), guarded against formula injection. */
export const csvCell = (value: CsvValue): string =>
  typeof value === 'string' ? quoted(spreadsheetText(value), /[",;\r\n\t]|^'|^\s|\s$/) : numberCell(value)

/**
 * Writes one value as a CSV cell that programs read back unchanged; quotes distinguish empty text from a missing value.
 */
export const exactCsvCell = (value: CsvValue): string =>
  typeof value === 'string' ? quoted(value, /[",;\r\n\t]|^$|^\s|\s$/) : numberCell(value)

const numberCell = (value: number | null) => (value === null ? '' : exactNumber(value))

const quoted = (text: string, quotingPattern: RegExp) =>
  quotingPattern.test(text) ? `"${text.replaceAll('"', '""')}"` : text

export const csvCellOf = (mode: CsvTextMode): typeof csvCell => (mode === 'exact' ? exactCsvCell : csvCell)

/** Writes one row with its line ending. */
export const csvLine = (cells: readonly CsvValue[], mode: CsvTextMode = 'guarded') =>
  `${cells.map(csvCellOf(mode)).join(',')}\n`

/** Writes one value as a cell of tab-separated lines, which have no quoting. */
export const tsvText = (text: string): string => spreadsheetText(text.replace(/[\t\r\n\u2028\u2029]+/g, ' '))
