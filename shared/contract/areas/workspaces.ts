import * as z from '../../schemas/lazySchemas.ts'
import { workspaceDocument, type WorkspaceDocument } from '../../workspace/workspaceSchema.ts'
import { documentCalls, documentName as name, type ExportedDocument } from '../documentCalls.ts'
import { call } from '../spec.ts'

const id = z.string().min(1).max(100)

export interface ListedWorkspace {
  id: string
  name: string
  /** Milliseconds since the epoch. */
  changedAt: number
  /** Number of series in the workspace. */
  series: number
  /** Link that a quick look was opened from; null for a workspace. */
  quickLook: string | null
}

export interface Workspace {
  id: string
  name: string
  document: WorkspaceDocument
  /** Revision that every change increments; a save names the revision from which it started. */
  revision: number
}

export const workspaceCalls = {
  ...documentCalls<ListedWorkspace, Workspace>()('workspaces', workspaceDocument),
  /** Exports a workspace as a file; null if the user cancelled. */
  'workspaces.export': call(z.strictObject({ name, document: workspaceDocument }))<ExportedDocument>(),
  /** Imports a received file as a new workspace; the file then counts as imported. */
  'workspaces.import': call(z.strictObject({ file: id }))<Workspace>(),
}
