import type { BoardContent, BoardDocument, BoardPart, PartSource } from '#shared/contract/areas/boards.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Documents } from '#core/store/documentStore.ts'

/** Returns the content of a part that shows a saved document as it is now; null if there is no such document. */
export function contentOfSource(documents: Documents, { kind, id }: PartSource): BoardContent | null {
  if (kind === 'workspace') {
    const found = documents.workspace.find(id)
    return found && { kind: 'workbench', name: found.name, document: found.document }
  }
  if (kind === 'query') {
    const found = documents.query.find(id)
    return found && { kind: 'sql', name: found.name, sql: found.document.sql, parameters: found.document.parameters }
  }
  const found = documents.study.find(id)
  if (!found) return null
  const { study, panel } = found.document
  if (panel !== null)
    throw new AppError('unsupported', 'This study reads a panel file. A board shows only studies of cached data.')
  return { kind: 'study', document: { ...study, name: found.name }, panel: null, against: null }
}

/**
 * Returns a board whose linked parts show their documents as they are now. A part whose document is gone, or cannot be
 * shown any more, stays as it is.
 */
export function followedBoard(documents: Documents, board: BoardDocument): BoardDocument {
  return { ...board, parts: board.parts.map((part) => ({ ...part, content: followedContent(documents, part) })) }
}

function followedContent(documents: Documents, { content, source }: BoardPart): BoardContent {
  if (!source) return content
  try {
    const now = contentOfSource(documents, source)
    if (now === null) return content
    // The chart of a query belongs to the board.
    return now.kind === 'sql' && content.kind === 'sql' && content.chart ? { ...now, chart: content.chart } : now
  } catch {
    return content
  }
}
