import { boardDocument, type BoardDocument } from './areas/boards.ts'
import { readDocumentFile, writeDocumentFile } from '../units/documentFile.ts'

const FORMAT = 'perpscope board'
export const BOARD_SUFFIX = '.board.json'
export const MOST_BOARD_BYTES = 4_000_000

export const writeBoardFile = (name: string, document: BoardDocument): string =>
  writeDocumentFile(FORMAT, name, document)

/** Reads the board of a file, or says what is wrong with it. */
export const readBoardFile = (text: string): { name: string; document: BoardDocument } | { problem: string } =>
  readDocumentFile(text, {
    format: FORMAT,
    notOne: 'This is not a board',
    name: 'Board',
    read(document): { document: BoardDocument } | { problem: string } {
      const board = boardDocument.safeParse(document)
      if (!board.success) return { problem: 'The board is damaged, or was written by a newer version of Perpscope.' }
      return { document: board.data }
    },
  })
