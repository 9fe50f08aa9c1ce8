/** Signs that begin a formula, also as East Asian spreadsheets take them. */
const SIGNS = '=+\\-@＝＋－＠﹢﹣﹦﹫'
/** A formula at the start of a cell, perhaps behind blanks or characters that nobody sees. */
const beginsFormula = new RegExp(`^[\\s\\p{Cc}\\p{Cf}"]*[${SIGNS}]|^[\\t\\r\\n]`, 'u')
/** A formula behind a character at which some spreadsheets begin a new cell, whatever quotes are around it. */
const laterFormula = new RegExp(`([;\\t\\r\\n][\\s\\p{Cc}\\p{Cf}"]*)(?=[${SIGNS}])`, 'gu')

/** Makes text harmless to a spreadsheet: an apostrophe stands before whatever it would run as a formula. */
export function spreadsheetText(text: string): string {
  const harmless = text.toWellFormed().replace(laterFormula, "$1'")
  return beginsFormula.test(harmless) ? `'${harmless}` : harmless
}

/** Writes one value as a CSV cell (RFC 4180), with text that a spreadsheet would not run. */
export function csvCell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const harmless = spreadsheetText(value)
  return /[",;\r\n\t]|^'|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Writes one row with its line end. */
export const csvLine = (cells: readonly (string | number | null)[]) => `${cells.map(csvCell).join(',')}\r\n`

/** Writes one value as a cell of tab-separated lines, which have no quotes. */
export const tsvText = (text: string): string => spreadsheetText(text.replace(/[\t\r\n\u2028\u2029]+/g, ' '))
