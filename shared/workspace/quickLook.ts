import type { WorkspaceDocument } from './workspaceSchema.ts'

/**
 * Removes the mark of a quick look, so that the document is a workspace that stays: it is listed in the menu and
 * written to the documents folder.
 */
export function keptDocument({ quickLook: _link, ...document }: WorkspaceDocument): WorkspaceDocument {
  return document
}
