import { noteText } from './text/messages.ts'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, constants, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Time after which the redirect page is deleted, long enough for a browser to start and read it. */
const PAGE_KEPT_MS = 60_000

interface SystemEnvironment {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** Tells whether a path leads to an executable program. */
  canExecute(path: string): boolean
}

interface BrowserLaunch {
  /** True if a browser was started. */
  isStarted: boolean
  /** Note for the user if no browser was started. */
  message: string
  /** Deletes the redirect page. */
  close(): void
}

const unixNames = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'microsoft-edge',
  'brave-browser',
]
const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser']
const windowsPaths = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe']

/** Tells whether this session has a display. */
export function hasDisplay({ platform, env }: Pick<SystemEnvironment, 'platform' | 'env'>): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Finds a browser that can open an address as an app window; null if there is none. */
function findAppBrowser({ platform, env, canExecute }: SystemEnvironment): string | null {
  return browserPaths({ platform, env }).find(canExecute) ?? null
}

function browserPaths({ platform, env }: Pick<SystemEnvironment, 'platform' | 'env'>): string[] {
  if (platform === 'darwin') return macApps.map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`)
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter((root) => root !== undefined)
    return windowsPaths.flatMap((path) => roots.map((root) => `${root}\\${path}`))
  }
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean)
  return unixNames.flatMap((name) => folders.map((folder) => join(folder, name)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the command that opens a page: in an app window if a browser supports that, else with the system's opener.
 */
export function openCommand(page: string, { platform, env, canExecute }: SystemEnvironment): [string, ...string[]] {
  const browser = findAppBrowser({ platform, env, canExecute })
  if (browser) return [browser, `--app=${page}`]
  if (platform === 'darwin') return ['open', page]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', page]
  return ['xdg-open', page]
}

/**
 * Opens the address in a browser through a redirect page that only this user can read, because the address contains the
 * token and every user of the machine can see command lines.
 */
export async function openInBrowser(url: string, dataDir: string): Promise<BrowserLaunch> {
  const { platform, env } = process
  if (!hasDisplay({ platform, env }))
    return {
      isStarted: false,
      message: noteText.noDisplay,
      close() {},
    }
  const page = join(dataDir, `open-${randomUUID()}.html`)
  writeFileSync(page, redirectPage(url), { mode: 0o600, flag: 'wx' })
  const [program, ...args] = openCommand(pathToFileURL(page).href, { platform, env, canExecute: isExecutable })
  const isStarted = await start(program, args)
  const close = () => rmSync(page, { force: true })
  // The page contains the token, so it must not stay on the disk once the browser has read it.
  setTimeout(close, PAGE_KEPT_MS).unref()
  return { isStarted, message: noteText.noBrowser, close }
}

const redirectPage = (url: string) =>
  `<!doctype html><meta charset="utf-8"><title>Perpscope</title><meta http-equiv="refresh" content="0; url=${url}">\n`

/** Returns the environment for external programs, without the variables that concern only Perpscope. */
const foreignEnvironment = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('PERPSCOPE_')))

/** Starts a detached program. @returns whether it started */
function start(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env: foreignEnvironment(process.env) })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
