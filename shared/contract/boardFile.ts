import { documentFile } from '../units/documentFile.ts'
import { boardDocument, type BoardDocument } from './areas/boards.ts'

export const BOARD_SUFFIX = '.board.json'
export const MOST_BOARD_BYTES = 4_000_000

export const boardFile = documentFile<BoardDocument>({
  format: 'perpscope board',
  wrongKind: 'It is not a board',
  defaultName: 'Board',
  read(document) {
    const board = boardDocument.safeParse(document)
    if (board.success) return { document: board.data }
    const [{ code, message }] = board.error.issues
    if (code === 'custom') return { problem: message }
    return { problem: 'The board is damaged, or was written by a newer version of Perpscope.' }
  },
})
