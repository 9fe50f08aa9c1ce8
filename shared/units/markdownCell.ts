import { terminalText } from './terminalText.ts'

/**
 * Writes text as a cell of a Markdown table: a bar or a line feed would end it, and what a file or a service sent must become neither
 * a link, nor a picture that a viewer loads, nor HTML.
 */
export const markdownCell = (text: string): string =>
  text
    .toWellFormed()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => terminalText(line).replace(/[\\|[\]`<>]/g, (sign) => `\\${sign}`))
    .join('<br>')

/** Writes a line of a Markdown table. */
export const markdownLine = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(' | ')} |`
