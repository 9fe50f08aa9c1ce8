import type { Venue } from '#shared/catalog/venues.ts'
import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'

/** The services that a host gives the core; the core has everything else itself. */
export interface Ports {
  vault: SecretVault
  log: Logger
  clock: Clock
  /** Starts the local services behind the built-in connection; called when the connection is first used. */
  startSandbox: () => Promise<RunningSandbox>
  /** Venues of the sandbox, if they are not those of the service documents. */
  sandboxVenues?: readonly Venue[]
  /** Starts the processes that read unvalidated files; left out if the executable can run as plain Node. */
  startProcess?: StartProcess
  /** Tells whether pages run in the system's sandbox; left out if a browser shows them. */
  hasPageSandbox?: () => boolean
}

/** Resources that a process has used so far, as reported by the system. */
export interface ProcessUsage {
  /** Resident memory. */
  memoryBytes: number
  /** Processor time since the process started; null if the system does not report it. */
  cpuMs: number | null
}

/** A child process that reads unvalidated files. The host may end it at any moment. */
export interface GuardedProcess {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** Calls the listener once, when the process has ended for whatever reason. */
  onEnd(listener: () => void): void
  /**
   * Returns the memory and processor time, as the system reports them; null if the process has ended or the system
   * reports nothing.
   */
  usage(): Promise<ProcessUsage | null>
  /** Ends the process immediately, whatever it is doing. */
  kill(): void
  /** Sets whether the host must stay alive for this process, which is the case only while it works. */
  keepHostAlive(isNeeded: boolean): void
}

/**
 * Starts a guarded process; Electron hosts provide their own function, because their program cannot run as plain Node.
 */
export type StartProcess = (entry: URL, name: string) => GuardedProcess

/** A running sandbox; the metrics and the portfolio service share its address. */
export interface RunningSandbox {
  /** Base URL, without `/api/v1`. */
  url: string
  catalogUrl: string
  /** A demo key for each tier, e.g. `{ '0': …, '3': … }`. */
  keys: Record<string, string>
  close(): Promise<void>
}

/** The system's keychain. Every method may reject; the core then explains why and keeps keys for this run only. */
export interface SecretVault {
  /** Name of the keychain on this system. */
  name: string
  /** Resolves if secrets can be stored; rejects with the reason if not. Called with a timeout. */
  probe(): Promise<void>
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
  /** Rejects with a `LockedVault` if stored secrets cannot be read; left out if `get` does so itself. */
  checkReadable?: () => Promise<void>
  /** Tells where the secrets are stored; left out if that is always the keychain. */
  place?: () => 'keychain' | 'encrypted-file'
  /** Tells whether another host stored a secret that this one cannot read. */
  isElsewhere?: (account: string) => Promise<boolean>
}

/** The keychain exists but is locked, so a secret that it does not return may still be in it. */
export class LockedVault extends Error {
  override name = 'LockedVault'
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes log lines; receives redacted text only. */
export interface Logger {
  write(level: LogLevel, message: string): void
}

export interface Clock {
  nowMs(): number
}

/** Tasks that only the host can do for the user of a window; a command line offers only `save` and `saveFolder`. */
export interface WindowHost {
  kind: 'desktop' | 'browser' | 'command line'
  save: SaveFile
  /** Writes a whole folder, complete or not at all; absent if the host can save only individual files. */
  saveFolder?: (name: string, write: (folder: string) => Promise<void>) => Promise<{ name: string; path: string }>
  /** Shows a file that was saved from this window in the file manager; left out if the host has none. */
  reveal?: (path: string) => void
  /** Opens the system's file dialog; null if the host has none (a browser shows its own). */
  pickFiles: ((kind: PickedKind) => Promise<string[]>) | null
  /** Opens the system's folder dialog; null if the user cancelled. Left out if the host has none. */
  pickFolder?: () => Promise<string | null>
  /** Opens or shows the window of a pane, `behind` the current one if wanted; left out if windows are browser tabs. */
  openPane?: (pane: PaneWindow, behind: boolean) => void
}

/**
 * Asks where to save a file (or starts a browser download), then writes what `open()` returns, complete or not at all.
 * @returns name and path (null in a browser), or null if the user cancelled
 */
export type SaveFile = (
  file: FileToSave,
  open: () => FileContent,
) => Promise<{ name: string; path: string | null } | null>

/** Content of a file in chunks. The memory of a chunk is reused as soon as the next one is requested. */
export type FileContent = AsyncIterable<Uint8Array | string>

interface FileToSave {
  name: string
  type: string
  /** A small companion file, written after this one under the same name with this suffix. */
  companion?: { suffix: string; type: string; open: () => FileContent }
}

export const systemClock: Clock = { nowMs: () => Date.now() }

/** Proxies for outgoing requests; an empty one means a direct connection. Loopback addresses never use a proxy. */
export interface ProxySettings {
  http: string
  https: string
  /** Hosts to reach without the proxy, as in `NO_PROXY`. */
  except: string
}

/** Network settings for outgoing requests. */
export interface NetworkRoute {
  proxy: ProxySettings | null
  /** Certificate files trusted in addition to those of Node and the system. */
  caFiles: readonly string[]
}

/**
 * Returns the AppImage file of this program, or null. The path is checked because a program started from another
 * AppImage, such as a terminal, inherits the variables of that AppImage.
 */
export function ownAppImage(
  { APPIMAGE, APPDIR }: Record<string, string | undefined> = process.env,
  program: string = process.execPath,
): string | null {
  return APPIMAGE && APPDIR && program.startsWith(`${APPDIR.replace(/\/+$/, '')}/`) ? APPIMAGE : null
}

/** Reads the proxy variables of shells and systems; null if none is set. */
export function proxyFromEnvironment(environment: Record<string, string | undefined>): ProxySettings | null {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const all = read('ALL_PROXY')
  const http = read('HTTP_PROXY') || all
  const https = read('HTTPS_PROXY') || http
  return http || https ? { http, https, except: read('NO_PROXY') } : null
}
