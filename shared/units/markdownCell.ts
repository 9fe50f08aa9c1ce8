import { terminalText } from './terminalText.ts'

/**
 * Escapes text for a Markdown table cell: a bar or line feed would end the cell, and text from a file or service must
 * not become a link, an image that a viewer loads, or HTML.
 */
export const markdownCell = (text: string): string =>
  text
    .toWellFormed()
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => terminalText(line).replace(/[\\|[\]`<>]/g, (character) => `\\${character}`))
    .join('<br>')

/** Writes a row of a Markdown table. */
export const markdownLine = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(' | ')} |`
