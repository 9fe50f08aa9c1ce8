import { documentFile } from '../units/documentFile.ts'
import { cutText, safeFileName } from '../units/fileNames.ts'
import { keptDocument } from './quickLook.ts'
import { WORKSPACE_SUFFIX } from './workspaceLimits.ts'
import { readDocument, type WorkspaceDocument } from './workspaceSchema.ts'

export const workspaceFile = documentFile<WorkspaceDocument>({
  format: 'perpscope workspace',
  wrongKind: 'It is not a workspace',
  defaultName: 'Workspace',
  read: (document) => (document === undefined ? { problem: 'The workspace in it is missing.' } : readKept(document)),
})

/** Parses a document as a workspace that stays, also if it was written as a quick look. */
export function readKept(value: unknown): ReturnType<typeof readDocument> {
  const read = readDocument(value)
  return 'document' in read ? { document: keptDocument(read.document) } : read
}

/** Builds a file name from a workspace's name: letters and digits of any script, without path characters. */
export const workspaceFileName = (name: string): string => {
  const letters = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return safeFileName((cutText(letters, 60).trim() || 'workspace') + WORKSPACE_SUFFIX)
}
