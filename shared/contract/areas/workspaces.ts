import { z } from 'zod'
import { workspaceDocument, type WorkspaceDocument } from '../../workspace/workspace.ts'
import { call } from '../spec.ts'

const id = z.string().min(1).max(100)
const name = z.string().trim().min(1, 'must not be empty').max(120)

export interface ListedWorkspace {
  id: string
  name: string
  /** Milliseconds since the epoch. */
  changedAt: number
  /** Number of series that the workspace shows. */
  series: number
}

export interface Workspace {
  id: string
  name: string
  document: WorkspaceDocument
  /** Goes up with every change: who saves says which one it began with. */
  revision: number
}

export const workspaceCalls = {
  /** The last changed first. */
  'workspaces.list': call(z.strictObject({}))<ListedWorkspace[]>(),
  'workspaces.read': call(z.strictObject({ id }))<Workspace>(),
  /** A name that is taken gets a number: `Basis 2`. */
  'workspaces.create': call(z.strictObject({ name, document: workspaceDocument }))<Workspace>(),
  /** Refused (`conflict`) where another window saved since `revision`; without one it is written in any case. */
  'workspaces.save': call(z.strictObject({ id, document: workspaceDocument, revision: z.int().optional() }))<{
    revision: number
  }>(),
  'workspaces.rename': call(z.strictObject({ id, name }))<Workspace>(),
  'workspaces.remove': call(z.strictObject({ id }))<null>(),
  /** Exports a workspace as a file; null if the person declined. */
  'workspaces.export': call(z.strictObject({ name, document: workspaceDocument }))<{
    name: string
    path: string | null
  } | null>(),
  /** A received file becomes a workspace of its own; the file then counts as taken in. */
  'workspaces.import': call(z.strictObject({ file: id }))<Workspace>(),
}
