import type { ListedWorkspace, Workspace } from '#shared/contract/areas/workspaces.ts'
import { AppError } from '#shared/contract/errors.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import { readDocument, type WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentRow, type DocumentStore } from './documentTable.ts'
import { readStoredJson } from './storedJson.ts'

/** Access to workspaces: charts as the user arranged them. */
export type WorkspaceStore = DocumentStore<ListedWorkspace, WorkspaceDocument, Workspace>

export const createWorkspaceStore = (database: Database, clock: Clock): WorkspaceStore =>
  createDocumentTable<ListedWorkspace, WorkspaceDocument, Workspace>(database, clock, {
    table: 'workspaces',
    noun: 'workspace',
    derived: { column: 'series', compute: (document) => allSeries(document).length },
    // A document that is not JSON is listed too, so that the message about it can name it.
    listed: `CASE WHEN json_valid(document) THEN document ->> '$.quickLook' END AS quickLook`,
    open: workspaceOf,
  })

function workspaceOf({ id, name, document, revision }: DocumentRow): Workspace {
  const read = readDocument(readStoredJson(document, `“${name}”`))
  if ('problem' in read)
    throw new AppError('unsupported', `“${name}” cannot be opened. ${read.problem.replace(/\.?$/, '.')}`)
  return { id, name, document: read.document, revision }
}
