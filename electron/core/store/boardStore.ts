import { type Board, boardDocument, type BoardDocument, type ListedBoard } from '#shared/contract/areas/boards.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentStore, opensBy } from './documentTable.ts'

/** Boards: pages of charts, tables and notes as the person arranged them. */
export type BoardStore = DocumentStore<ListedBoard, BoardDocument, Board>

export function createBoardStore(database: Database, clock: Clock): BoardStore {
  const { reads } = database
  const documents = createDocumentTable<BoardDocument, Board>(database, clock, {
    table: 'boards',
    noun: 'board',
    derived: { column: 'parts', of: ({ parts }) => parts.length },
    open: opensBy(boardDocument),
  })
  return {
    ...documents,
    list: () =>
      reads
        .all<{ id: string; name: string; changed_at_ms: number; parts: number }>(
          'SELECT id, name, changed_at_ms, parts FROM boards ORDER BY changed_at_ms DESC, name',
        )
        .map(({ changed_at_ms: changedAt, ...row }) => ({ ...row, changedAt })),
    revision: () => JSON.stringify(reads.all('SELECT id, name, revision FROM boards ORDER BY id')),
  }
}
