import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, constants, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Surroundings {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** Whether a program can be run under this path. */
  runs(path: string): boolean
}

export interface Opened {
  /** Whether a browser could be started. */
  shown: boolean
  message: string
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

/** Whether anything could be shown to a person here. */
export function hasDisplay({ platform, env }: Pick<Surroundings, 'platform' | 'env'>): boolean {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** A browser that can show an address as a window without tabs, or null. */
function findAppBrowser({ platform, env, runs }: Surroundings): string | null {
  return candidates({ platform, env }).find(runs) ?? null
}

function candidates({ platform, env }: Pick<Surroundings, 'platform' | 'env'>): string[] {
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

/** How to start a browser on a page: one with an app window, else whatever the system opens pages with. */
export function openCommand(page: string, { platform, env, runs }: Surroundings): [string, ...string[]] {
  const browser = findAppBrowser({ platform, env, runs })
  if (browser) return [browser, `--app=${page}`]
  if (platform === 'darwin') return ['open', page]
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', page]
  return ['xdg-open', page]
}

/**
 * Opens the address. It goes through a page that only this person can read: what stands on a command line every user
 * of the machine can see, and the address holds the token.
 */
export async function openInBrowser(url: string, dataDir: string): Promise<Opened> {
  const { platform, env } = process
  if (!hasDisplay({ platform, env }))
    return {
      shown: false,
      message: 'There is no display here to open a browser on; use the address above.',
      close() {},
    }
  const page = join(dataDir, `open-${randomUUID()}.html`)
  writeFileSync(page, redirectPage(url), { mode: 0o600, flag: 'wx' })
  const [program, ...args] = openCommand(pathToFileURL(page).href, { platform, env, runs: isExecutable })
  const shown = await start(program, args)
  return {
    shown,
    message: 'No browser could be started; open the address above yourself.',
    close: () => rmSync(page, { force: true }),
  }
}

const redirectPage = (url: string) =>
  `<!doctype html><meta charset="utf-8"><title>Perpscope</title><meta http-equiv="refresh" content="0; url=${url}">\n`

/** Starts a program that lives on without us; resolves to whether it started. */
function start(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
