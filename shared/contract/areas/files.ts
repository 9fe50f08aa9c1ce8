import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'

/** A user's file that the core may read; the window knows its name and size but not its path. */
export const receivedFileShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  isFolder: z.literal(true).optional(),
})
export type ReceivedFile = z.infer<typeof receivedFileShape>

/** Kinds of files that a dialog offers. */
const pickedKinds = [
  'parquet',
  'workspace',
  'panel',
  'study',
  'ledger',
  'query',
  'board',
  'backup',
  'returns',
  'ownData',
] as const
export type PickedKind = (typeof pickedKinds)[number]

/** Kinds of documents that are opened on their screen when they are dropped or chosen. */
export type OpenableKind = 'workspace' | 'study' | 'board' | 'query'

export const fileCalls = {
  /** Opens the system's file dialog if the host has one; the chosen files, or a folder, arrive as `files.received`. */
  'files.pick': call(z.strictObject({ kind: z.enum([...pickedKinds, 'folder']) }))<{ chosen: number }>(),
  /** Opens the system's folder dialog if the host has one. */
  'files.pickFolder': call(z.strictObject({}))<{ path: string | null }>(),
  /** Shows a file in the system's file manager, if the host has one; this window must have saved the file. */
  'files.reveal': call(z.strictObject({ path: z.string().min(1).max(4096) }))<null>(),
  /** Lists files that were dropped or chosen and have not been imported yet. */
  'files.received': call(z.strictObject({}))<ReceivedFile[]>(),
  /** Recognises the kind of a received document by its content; a file that is not a document is refused and forgotten. */
  'files.recognise': call(z.strictObject({ file: z.string().min(1).max(100) }))<{ kind: OpenableKind }>(),
}
