import * as z from '../../schemas/lazySchemas.ts'
import { type FolderKindName, folderKindNames } from '../documents/kindNames.ts'
import { call } from '../spec.ts'

export const documentStates = ['ok', 'conflict', 'broken'] as const
export type DocumentState = (typeof documentStates)[number]

/**
 * Reason for a conflict. `changed`: both sides changed. `file-removed`: the file was deleted. `removed-here`: the
 * document was removed in the app and its file changed since. `unmerged`: the file contains two versions that Git
 * could not merge.
 */
export type ConflictReason = 'changed' | 'file-removed' | 'removed-here' | 'unmerged'

/** A document, its file in the folder, or both. */
export interface FolderDocument {
  kind: FolderKindName
  /** Id of the document; null for a file that cannot be read. */
  id: string | null
  name: string
  /** Path within the folder, with forward slashes; null while there is no file. */
  file: string | null
  state: DocumentState
  /** Sentence that says what is wrong; null if the state is `ok`. */
  detail: string | null
  conflict: ConflictReason | null
}

export interface DocumentsFolder {
  /** Path of the documents folder; null if none is used. */
  folder: string | null
  /** Sentence that says why the folder cannot be read; null if it can, or if none is used. */
  problem: string | null
  /** Documents with a conflict first, then broken ones, then all others; each group by kind and name. */
  documents: FolderDocument[]
}

/** The two sides of a conflict as file text; null for a deleted side. For an unmerged file, its two versions. */
export interface DocumentSides {
  name: string
  mine: string | null
  file: string | null
  /** Text that changes whenever a side changes. */
  seen: string
}

const documentKey = { kind: z.enum(folderKindNames), id: z.string().min(1).max(700) }

export const conflictChoices = ['mine', 'file', 'both'] as const
export type ConflictChoice = (typeof conflictChoices)[number]

export const folderCalls = {
  /** Reads the folder, and updates documents from changed files and files from changed documents. */
  'folder.list': call(z.strictObject({}))<DocumentsFolder>(),
  /** Keeps documents as files in a folder from now on; files already in it become documents. */
  'folder.use': call(z.strictObject({ folder: z.string().trim().min(1).max(4000) }))<DocumentsFolder>(),
  /** Stops using the folder; its files and the documents stay as they are. */
  'folder.stop': call(z.strictObject({}))<null>(),
  'folder.compare': call(z.strictObject(documentKey))<DocumentSides>(),
  /** Resolves a conflict; refused (`conflict`) if a side changed after `seen` was read. */
  'folder.resolve': call(
    z.strictObject({ ...documentKey, choice: z.enum(conflictChoices), seen: z.string().max(300) }),
  )<DocumentsFolder>(),
}
