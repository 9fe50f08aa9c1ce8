import { allSeries } from '../../workspace/workspace.ts'
import { keptDocument } from '../../workspace/quickLook.ts'
import { workspaceFile, workspaceFileName } from '../../workspace/workspaceFile.ts'
import { MOST_FILE_BYTES } from '../../workspace/workspaceLimits.ts'
import { readDocument, workspaceDocument, type WorkspaceDocument } from '../../workspace/workspaceSchema.ts'
import { defineKind } from './documentKind.ts'

/** Charts as the user arranged them. */
export const workspaceKind = defineKind({
  noun: 'workspace',
  inBackups: 'workspaces',
  schema: workspaceDocument,
  open: readDocument,
  facts: (document: WorkspaceDocument) => ({
    /** Number of series. */
    series: allSeries(document).length,
    /** Link that a quick look was opened from; null for a workspace. */
    quickLook: document.quickLook ?? null,
  }),
  state: {},
  file: {
    type: 'application/json',
    mostBytes: MOST_FILE_BYTES,
    nameOf: workspaceFileName,
    write: (name, document) => workspaceFile.write(name, keptDocument(document)),
    read: workspaceFile.read,
  },
})
