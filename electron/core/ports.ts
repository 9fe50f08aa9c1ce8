import type { Readable } from 'node:stream'

/** What a host gives the core. Everything else the core brings itself. */
export interface Ports {
  vault: SecretVault
  log: Logger
  clock: Clock
}

/** The system's keychain. Every method may reject; the core turns that into words and keeps keys for this run only. */
export interface SecretVault {
  /** What to call it on this system. */
  name: string
  /** Resolves where secrets can be kept; rejects with the reason where not. Called with a timeout. */
  probe(): Promise<void>
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Receives redacted text only. */
export interface Logger {
  write(level: LogLevel, message: string): void
}

export interface Clock {
  nowMs(): number
}

/** What one window's host can do for the person in front of it; a command line has none of it but `save`. */
export interface WindowHost {
  face: 'desktop' | 'browser' | 'command line'
  save: SaveFile
  /** Opens the system's dialog; null where the host has none (a browser picks files itself). */
  pickFiles: ((kind: 'parquet' | 'workspace') => Promise<string[]>) | null
}

/**
 * Asks where to put a file (or starts a download), then writes what `open()` gives; complete or not at all.
 * @returns name and path (null in a browser), or null where the person declined
 */
export type SaveFile = (
  file: { name: string; type: string },
  open: () => Readable,
) => Promise<{ name: string; path: string | null } | null>

export const systemClock: Clock = { nowMs: () => Date.now() }
