import { exactNumber } from './numbers.ts'

/** Signs that begin a formula, also as East Asian spreadsheets take them. */
const SIGNS = '=+\\-@＝＋－＠﹢﹣﹦﹫'
/** A formula at the start of a cell, perhaps behind blanks or invisible characters. */
const beginsFormula = new RegExp(`^[\\s\\p{Cc}\\p{Cf}"]*[${SIGNS}]|^[\\t\\r\\n]`, 'u')
/** A formula behind a character at which some spreadsheets begin a new cell, whatever quotes are around it. */
const laterFormula = new RegExp(`([;\\t\\r\\n][\\s\\p{Cc}\\p{Cf}"]*)(?=[${SIGNS}])`, 'gu')

/** Makes text harmless to a spreadsheet: an apostrophe is before whatever it would run as a formula. */
export function spreadsheetText(text: string): string {
  const harmless = text.toWellFormed().replace(laterFormula, "$1'")
  return beginsFormula.test(harmless) ? `'${harmless}` : harmless
}

type CsvValue = string | number | null

/** Text of CSV files: guarded against spreadsheets that would run it as a formula, or exactly as it is. */
export const csvTexts = ['guarded', 'exact'] as const
export type CsvText = (typeof csvTexts)[number]

/** Writes one value as a CSV cell (RFC 4180), with text that a spreadsheet would not run. */
export const csvCell = (value: CsvValue): string =>
  typeof value === 'string' ? quoted(spreadsheetText(value), /[",;\r\n\t]|^'|^\s|\s$/) : numberCell(value)

/** Writes one value as a CSV cell that programs read back unchanged; quotes tell an empty text from a missing value. */
export const exactCsvCell = (value: CsvValue): string =>
  typeof value === 'string' ? quoted(value, /[",;\r\n\t]|^$|^\s|\s$/) : numberCell(value)

const numberCell = (value: number | null) => (value === null ? '' : exactNumber(value))

const quoted = (text: string, needed: RegExp) => (needed.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvCellOf = (text: CsvText): typeof csvCell => (text === 'exact' ? exactCsvCell : csvCell)

/** Writes one row with its line end. */
export const csvLine = (cells: readonly CsvValue[], text: CsvText = 'guarded') =>
  `${cells.map(csvCellOf(text)).join(',')}\r\n`

/** Writes one value as a cell of tab-separated lines, which have no quotes. */
export const tsvText = (text: string): string => spreadsheetText(text.replace(/[\t\r\n\u2028\u2029]+/g, ' '))
