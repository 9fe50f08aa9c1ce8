import * as z from '../../schemas/lazySchemas.ts'
import { call } from '../spec.ts'
import type { MachinePolicy } from './policy.ts'
import type { SavedFile } from './requests.ts'

export interface AppInfo {
  version: string
  /** Host that runs the core. */
  host: 'desktop' | 'browser' | 'command line'
  platform: string
  nodeVersion: string
  sqliteVersion: string
  dataDir: string
  /** Milliseconds since the epoch. */
  startedAt: number
  /** Messages about the startup for the user; for example, that a damaged index was set aside. */
  notices: string[]
  /** Policy of this machine; null if there is none. */
  policy: MachinePolicy | null
  /** Restore that will finish at the next start; null if none is pending. */
  restore: PendingRestore | null
}

/** A backup that will replace the user's data at the next start, with the number of items by kind. */
export interface PendingRestore {
  name: string
  items: Record<string, number>
}

export interface CheckResult {
  name: string
  ok: boolean
  message: string
}

/**
 * Report on a process that crashed, without error messages, because they may quote data. It never leaves this machine.
 */
export interface CrashReport {
  /** Milliseconds since the epoch. */
  time: number
  process: string
  reason: string
  version: string
  /** Error type and stack locations; empty if unknown. */
  detail: string
}

/** A saved backup, with the number of items by kind. */
export interface SavedBackup extends SavedFile {
  bytes: number
  items: Record<string, number>
}

/** A pane of a workspace that is shown in its own window. */
export const paneShape = z.strictObject({ workspace: z.string().min(1).max(100), pane: z.string().min(1).max(100) })
export type PaneWindow = z.output<typeof paneShape>

export const appCalls = {
  'app.info': call(z.strictObject({}))<AppInfo>(),
  /** Sent by a window when its first screen is shown; background work starts then. */
  'app.shown': call(z.strictObject({}))<null>(),
  /**
   * Opens a window for a pane, or brings its open window to the front unless `behind` is set. Refused by the browser
   * host, whose windows are tabs that the page opens itself.
   */
  'app.openPane': call(z.strictObject({ ...paneShape.shape, behind: z.boolean().default(false) }))<null>(),
  /**
   * Checks the data folder, the index and the keychain, and reports progress; a user runs it when something seems
   * wrong.
   */
  'app.check': call(z.strictObject({}))<CheckResult[]>(),
  /** Lists the reports on crashed processes, newest first. */
  'app.crashes': call(z.strictObject({}))<CrashReport[]>(),
  'app.removeCrashes': call(z.strictObject({}))<null>(),
  /** Saves everything that the user made, without the cache and the keys, as one file; null if the user cancelled. */
  'app.backup': call(z.strictObject({}))<SavedBackup | null>(),
  /**
   * Prepares to restore a received backup at the next start. If the data folder already contains user data and
   * `replace` is false, the answer is `in-use` and nothing is prepared.
   */
  'app.restore': call(z.strictObject({ file: z.string(), replace: z.boolean() }))<
    PendingRestore & { state: 'in-use' | 'ready' }
  >(),
  /** Cancels the pending restore. */
  'app.cancelRestore': call(z.strictObject({}))<null>(),
  /** Returns plain text to paste into a bug report, without keys or query strings. */
  'app.diagnostics': call(z.strictObject({}))<string>(),
}
