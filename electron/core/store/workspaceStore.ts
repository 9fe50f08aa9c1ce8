import type { ListedWorkspace, Workspace } from '#shared/contract/areas/workspaces.ts'
import { AppError } from '#shared/contract/errors.ts'
import { allSeries, readDocument, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentRow, type DocumentStore } from './documentTable.ts'
import { readStoredJson } from './storedJson.ts'

/** Charts as the person arranged them. */
export type WorkspaceStore = DocumentStore<ListedWorkspace, WorkspaceDocument, Workspace>

export function createWorkspaceStore(database: Database, clock: Clock): WorkspaceStore {
  const { reads } = database
  const documents = createDocumentTable<WorkspaceDocument, Workspace>(database, clock, {
    table: 'workspaces',
    noun: 'workspace',
    derived: { column: 'series', of: (document) => allSeries(document).length },
    open: workspaceOf,
  })
  return {
    ...documents,
    list: () =>
      reads
        .all<{ id: string; name: string; changed_at_ms: number; series: number }>(
          'SELECT id, name, changed_at_ms, series FROM workspaces ORDER BY changed_at_ms DESC, name',
        )
        .map(({ id, name, changed_at_ms, series }) => ({ id, name, changedAt: changed_at_ms, series })),
    revision: () => JSON.stringify(reads.all('SELECT id, name, revision FROM workspaces ORDER BY id')),
  }
}

function workspaceOf({ id, name, document, revision }: DocumentRow): Workspace {
  const read = readDocument(readStoredJson(document, `“${name}”`))
  if ('problem' in read)
    throw new AppError('unsupported', `“${name}” cannot be opened. ${read.problem.replace(/\.?$/, '.')}`)
  return { id, name, document: read.document, revision }
}
