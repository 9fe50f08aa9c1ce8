import { documentFile } from '../../units/documentFile.ts'
import { fileNameWithEnding } from '../../units/fileNames.ts'
import { boardDocument, type BoardDocument } from '../areas/boards.ts'
import { defineKind, openBy } from './documentKind.ts'

const MOST_BOARD_BYTES = 4_000_000
const BOARD_SUFFIX = '.board.json'

const boardFile = documentFile<BoardDocument>({
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

/** Pages of charts, tables and notes as the user arranged them. */
export const boardKind = defineKind({
  noun: 'board',
  inBackups: 'boards',
  schema: boardDocument,
  open: openBy(boardDocument),
  /** `parts` is the number of parts. */
  facts: ({ parts }: BoardDocument) => ({ parts: parts.length }),
  state: {},
  file: {
    type: 'application/json',
    mostBytes: MOST_BOARD_BYTES,
    nameOf: (name) => fileNameWithEnding(name, BOARD_SUFFIX),
    ...boardFile,
  },
})
