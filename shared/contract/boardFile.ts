import { cutText } from '../units/fileNames.ts'
import { notJsonText, parseBoundedJson } from '../units/jsonLimits.ts'
import { boardDocument, type BoardDocument } from './areas/boards.ts'

/** Format name of a board file, which holds its name and document but no connection and no key. */
const FORMAT = 'perpscope board'
export const BOARD_SUFFIX = '.board.json'
export const MOST_BOARD_BYTES = 4_000_000

export const writeBoardFile = (name: string, document: BoardDocument): string =>
  `${JSON.stringify({ format: FORMAT, name, document }, null, 2)}\n`

/** Reads the board of a file, or says what is wrong with it. */
export function readBoardFile(text: string): { name: string; document: BoardDocument } | { problem: string } {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch (thrown) {
    return { problem: `This is not a board: ${notJsonText(thrown)}.` }
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== FORMAT)
    return { problem: 'This is not a board of Perpscope.' }
  const document = boardDocument.safeParse('document' in value ? value.document : null)
  if (!document.success) return { problem: 'The board is damaged, or of a newer version of Perpscope.' }
  const name = 'name' in value && typeof value.name === 'string' ? cutText(value.name.trim(), 120).trim() : ''
  return { name: name || 'Board', document: document.data }
}
