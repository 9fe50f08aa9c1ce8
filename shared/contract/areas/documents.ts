import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

/** Kinds of documents that the documents folder holds. */
export const documentKinds = ['workspace', 'set', 'list', 'query', 'study', 'board'] as const
export type DocumentKind = (typeof documentKinds)[number]

export const documentStates = ['ok', 'conflict', 'broken'] as const
export type DocumentState = (typeof documentStates)[number]

/**
 * Reason of a conflict: both sides `changed`, the file is gone (`file-removed`), the document was removed here and its
 * file changed since (`removed-here`), or the file has the two versions that Git could not merge (`unmerged`).
 */
export type ConflictReason = 'changed' | 'file-removed' | 'removed-here' | 'unmerged'

/** A document, its file in the folder, or both. */
export interface FolderDocument {
  kind: DocumentKind
  /** Id of the document; null for a file that cannot be read. */
  id: string | null
  name: string
  /** Path within the folder, with forward slashes; null while there is no file. */
  file: string | null
  state: DocumentState
  /** Sentence on what is wrong; null where the state is `ok`. */
  detail: string | null
  conflict: ConflictReason | null
}

export interface DocumentsFolder {
  /** Path of the documents folder; null if none is used. */
  folder: string | null
  /** Sentence on why the folder cannot be read now; null where it can, or where none is used. */
  problem: string | null
  /** Documents by kind and name; those with a conflict first. */
  documents: FolderDocument[]
}

/** The two sides of a conflict as texts of files; null for a side that was deleted. Of an unmerged file they are its own two. */
export interface DocumentSides {
  name: string
  mine: string | null
  file: string | null
  /** Text that differs once a side has changed. */
  seen: string
}

const which = { kind: z.enum(documentKinds), id: z.string().min(1).max(700) }

export const conflictChoices = ['mine', 'file', 'both'] as const
export type ConflictChoice = (typeof conflictChoices)[number]

export const documentFolderCalls = {
  /** Looks at the folder now and brings both sides up to date. */
  'documents.list': call(z.strictObject({}))<DocumentsFolder>(),
  /** Keeps the documents as files in a folder from now on; files that are there become documents. */
  'documents.use': call(z.strictObject({ folder: z.string().trim().min(1).max(4000) }))<DocumentsFolder>(),
  /** Leaves the folder; its files and the documents stay as they are. */
  'documents.stop': call(z.strictObject({}))<null>(),
  'documents.compare': call(z.strictObject(which))<DocumentSides>(),
  /** Ends a conflict; refused (`conflict`) where a side changed since `seen`. */
  'documents.resolve': call(
    z.strictObject({ ...which, choice: z.enum(conflictChoices), seen: z.string().max(300) }),
  )<DocumentsFolder>(),
}
