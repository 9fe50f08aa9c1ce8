import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { MachinePolicy } from './policy.ts'
import type { Saved } from './requests.ts'

export interface AppInfo {
  version: string
  /** Face that the user is using. */
  host: 'desktop' | 'browser' | 'command line'
  platform: string
  nodeVersion: string
  sqliteVersion: string
  dataDir: string
  /** Milliseconds since the epoch. */
  startedAt: number
  /** Things that happened at start and that the user should know, e.g. a damaged index that was set aside. */
  notices: string[]
  /** Policy of this machine; null where there is none. */
  policy: MachinePolicy | null
  /** Restore that the next start finishes; null where none waits. */
  restore: PendingRestore | null
}

/** A backup that takes the place of what is there at the next start, and the number of things in it by their kind. */
export interface PendingRestore {
  name: string
  items: Record<string, number>
}

export interface CheckResult {
  name: string
  ok: boolean
  message: string
}

/** Report on a process that failed, without messages, because they may quote data. It stays on this machine. */
export interface CrashReport {
  /** Milliseconds since the epoch. */
  time: number
  process: string
  reason: string
  version: string
  /** Kind of the error and the places in the code; empty where there are none. */
  detail: string
}

/** A backup that was written, and the number of things in it by their kind. */
export interface SavedBackup extends Saved {
  bytes: number
  items: Record<string, number>
}

/** A pane of a workspace that has a window of its own. */
export const paneShape = z.strictObject({ workspace: z.string().min(1).max(100), pane: z.string().min(1).max(100) })
export type PaneWindow = z.output<typeof paneShape>

/** Builds the address of the page of a pane, behind that of the app. */
export const paneAddress = ({ workspace, pane }: PaneWindow): string =>
  `#/pane/${encodeURIComponent(workspace)}/${encodeURIComponent(pane)}`

export const appCalls = {
  'app.info': call(z.strictObject({}))<AppInfo>(),
  /** Sent by a window once its first screen is shown; background work starts then. */
  'app.shown': call(z.strictObject({}))<null>(),
  /**
   * Opens a window for a pane, or brings the one that it has to the front; `behind` opens it without that. Refused by a
   * host whose windows are tabs of a browser, which opens them itself.
   */
  'app.openPane': call(z.strictObject({ ...paneShape.shape, behind: z.boolean().default(false) }))<null>(),
  /** Goes through data folder, index and keychain, with progress; what a user runs when something seems wrong. */
  'app.check': call(z.strictObject({}))<CheckResult[]>(),
  /** Reports on failed processes, newest first. */
  'app.crashes': call(z.strictObject({}))<CrashReport[]>(),
  'app.removeCrashes': call(z.strictObject({}))<null>(),
  /** Saves everything that the user made, without the cache and the keys, as one file; null if the user declined. */
  'app.backup': call(z.strictObject({}))<SavedBackup | null>(),
  /**
   * Prepares the restore of a received backup, which the next start finishes; `in-use`, with nothing prepared, where the
   * folder holds things of the user and `replace` is false.
   */
  'app.restore': call(z.strictObject({ file: z.string(), replace: z.boolean() }))<
    PendingRestore & { state: 'in-use' | 'ready' }
  >(),
  /** Drops a restore that waits for the next start. */
  'app.cancelRestore': call(z.strictObject({}))<null>(),
  /** Plain text to paste into a report; holds no key and no link's query. */
  'app.diagnostics': call(z.strictObject({}))<string>(),
}
