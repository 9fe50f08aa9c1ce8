import { cutText, safeFileName } from '../units/fileNames.ts'
import { notJsonText, parseBoundedJson } from '../units/jsonLimits.ts'
import { readDocument, type WorkspaceDocument } from './workspace.ts'

/** Format name of a workspace file, which holds its name and document but no connection and no key. */
const FORMAT = 'perpscope workspace'
export const WORKSPACE_SUFFIX = '.perpscope'
export const MOST_FILE_BYTES = 4_000_000

export const writeWorkspaceFile = (name: string, document: WorkspaceDocument): string =>
  `${JSON.stringify({ format: FORMAT, name, document }, null, 2)}\n`

/** The workspace of a file, or what is wrong with it in words. */
export function readWorkspaceFile(text: string): { name: string; document: WorkspaceDocument } | { problem: string } {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch (thrown) {
    return { problem: `It is not a workspace: ${notJsonText(thrown)}.` }
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== FORMAT)
    return { problem: 'It is not a workspace of Perpscope.' }
  if (!('document' in value)) return { problem: 'The workspace in it is missing.' }
  const read = readDocument(value.document)
  if ('problem' in read) return read
  const name = 'name' in value && typeof value.name === 'string' ? cutText(value.name.trim(), 120).trim() : ''
  return { name: name || 'Workspace', document: read.document }
}

/** A file name from a workspace's name: letters and digits of any script, nothing that a path could be made of. */
export const workspaceFileName = (name: string): string => {
  const letters = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return safeFileName((cutText(letters, 60).trim() || 'workspace') + WORKSPACE_SUFFIX)
}
