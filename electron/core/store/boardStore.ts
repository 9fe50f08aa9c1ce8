import { type Board, boardDocument, type BoardDocument, type ListedBoard } from '#shared/contract/areas/boards.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentStore, rowParser } from './documentTable.ts'

/** Access to boards: pages of charts, tables and notes as the user arranged them. */
export type BoardStore = DocumentStore<ListedBoard, BoardDocument, Board>

export const createBoardStore = (database: Database, clock: Clock): BoardStore =>
  createDocumentTable<ListedBoard, BoardDocument, Board>(database, clock, {
    table: 'boards',
    noun: 'board',
    derived: { column: 'parts', compute: ({ parts }) => parts.length },
    open: rowParser(boardDocument),
  })
