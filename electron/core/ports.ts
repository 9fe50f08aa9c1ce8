import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'

/** Ports that a host gives the core. Everything else the core brings itself. */
export interface Ports {
  vault: SecretVault
  log: Logger
  clock: Clock
  /** Starts the local services behind the built-in connection; called when that is first used. */
  startSandbox: () => Promise<RunningSandbox>
  /** Starts the processes that read what is not validated yet; left out where the program can run as plain Node. */
  startProcess?: StartProcess
  /** Tells whether the system's sandbox holds the pages; left out where a browser shows them. */
  hasPageSandbox?: () => boolean
}

/** Resources that a process has used so far, as the system counts them. */
export interface ProcessUsage {
  /** Resident memory. */
  memoryBytes: number
  /** Processor time since the process started; null where the system does not say. */
  cpuMs: number | null
}

/** A child process that reads unvalidated files. The host may end it at any moment. */
export interface GuardedProcess {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** Calls the listener once, when the process has ended for whatever reason. */
  onEnd(listener: () => void): void
  /** Asks the system, not the process itself; null where the process has ended or the system does not say. */
  usage(): Promise<ProcessUsage | null>
  /** Ends the process at once, whatever it is doing. */
  kill(): void
  /** Tells whether the host must stay alive for this process: only while it works. */
  keepHostAlive(isNeeded: boolean): void
}

/** Starts a guarded process; Electron hosts give one of their own, because their program cannot run as plain Node. */
export type StartProcess = (entry: URL, name: string) => GuardedProcess

/** A running sandbox: one address for the metrics and the portfolio service. */
export interface RunningSandbox {
  /** Base URL before `/api/v1`. */
  url: string
  catalogUrl: string
  /** A demo key for each tier, e.g. `{ '0': …, '3': … }`. */
  keys: Record<string, string>
  close(): Promise<void>
}

/** The system's keychain. Every method may reject; the core turns that into words and keeps keys for this run only. */
export interface SecretVault {
  /** Name of the keychain on this system. */
  name: string
  /** Resolves where secrets can be kept; rejects with the reason where not. Called with a timeout. */
  probe(): Promise<void>
  get(account: string): Promise<string | null>
  set(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
  /** Names the place of the secrets; without it, that is the keychain. */
  place?: () => 'keychain' | 'encrypted-file'
  /** Tells whether another face of the app keeps a secret that this one cannot read. */
  isElsewhere?: (account: string) => Promise<boolean>
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Receives redacted text only. */
export interface Logger {
  write(level: LogLevel, message: string): void
}

export interface Clock {
  nowMs(): number
}

/** A window host does what the core cannot do for the user at one window; a command line offers only `save`. */
export interface WindowHost {
  face: 'desktop' | 'browser' | 'command line'
  save: SaveFile
  /** Writes a whole folder, complete or not at all; left out where the host saves single files only. */
  saveFolder?: (name: string, write: (folder: string) => Promise<void>) => Promise<{ name: string; path: string }>
  /** Shows a file that was saved from this window in its folder; left out where there are no folders to show. */
  reveal?: (path: string) => void
  /** Opens the system's dialog; null where the host has none (a browser picks files itself). */
  pickFiles: ((kind: PickedKind) => Promise<string[]>) | null
  /** Opens the system's dialog for a folder; null where the user declined. Left out where the host has none. */
  pickFolder?: () => Promise<string | null>
  /** Opens or shows the window of a pane; left out where windows are tabs of a browser. */
  openPane?: (pane: PaneWindow, behind: boolean) => void
}

/**
 * Asks where to put a file (or starts a download), then writes what `open()` gives; complete or not at all.
 * @returns name and path (null in a browser), or null where the user declined
 */
export type SaveFile = (
  file: FileToSave,
  open: () => FileContent,
) => Promise<{ name: string; path: string | null } | null>

/** Content of a file, piece by piece. The memory of a piece is used again as soon as the next one is requested. */
export type FileContent = AsyncIterable<Uint8Array | string>

export interface FileToSave {
  name: string
  type: string
  /** A small file about this one, written after it, under its name and this suffix. */
  beside?: { suffix: string; type: string; open: () => FileContent }
}

export const systemClock: Clock = { nowMs: () => Date.now() }

/** Proxy of outgoing requests; empty for a direct connection. Never used for this machine itself. */
export interface ProxySettings {
  http: string
  https: string
  /** Hosts that are reached without it, as in `NO_PROXY`. */
  except: string
}

/** The way that outgoing requests take. */
export interface NetworkRoute {
  proxy: ProxySettings | null
  /** Files of certificates that are trusted besides those of Node and of the system. */
  caFiles: readonly string[]
}

/** The proxy settings as shells and systems give them; null where there are none. */
export function proxyFromEnvironment(environment: Record<string, string | undefined>): ProxySettings | null {
  const read = (name: string) => environment[name.toLowerCase()] ?? environment[name] ?? ''
  const all = read('ALL_PROXY')
  const http = read('HTTP_PROXY') || all
  const https = read('HTTPS_PROXY') || http
  return http || https ? { http, https, except: read('NO_PROXY') } : null
}

/**
 * Takes the secrets out of the environment, so that no process that is started later (a browser, say) inherits them.
 * @returns the API key, the password of engines and the key of stores; undefined where there is none
 */
export function takeEnvironmentSecrets(environment: Record<string, string | undefined>) {
  const environmentKey = environment.PERPSCOPE_API_KEY || undefined
  const environmentPassword = environment.PERPSCOPE_ENGINE_PASSWORD || undefined
  const environmentStoreKey = environment.PERPSCOPE_STORE_KEY || undefined
  delete environment.PERPSCOPE_API_KEY
  delete environment.PERPSCOPE_ENGINE_PASSWORD
  delete environment.PERPSCOPE_STORE_KEY
  return { environmentKey, environmentPassword, environmentStoreKey }
}
