import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app } from 'electron'
import { screenNames } from '#shared/contract/screenNames.ts'
import { MOST_PASSED_LINK_CHARACTERS } from '#shared/workspace/workspaceLimits.ts'

/** Files and a link that the system asked the app to open; with neither, the app only shows its window. */
export interface Opening {
  files: string[]
  /** Deep link of the app; `routeOfLink` returns its route. */
  link: string | null
}

const openableExtensions = ['.parquet', '.perpscope']

/** Resolves the file that an argument names, as a path or a `file:` URL; null if the URL is not a local file. */
function pathOf(argument: string, folder: string): string | null {
  if (!/^file:/i.test(argument)) return resolve(folder, argument)
  try {
    return fileURLToPath(argument)
  } catch {
    return null
  }
}

const isLink = (argument: string) => argument.toLowerCase().startsWith(`${linkScheme}:`)

/**
 * Finds a deep link and the files that the app can open among the arguments of a command line; the other arguments
 * belong to Electron or to `--data-dir`.
 */
export function openingOf(argv: readonly string[], folder: string): Opening {
  const links = argv.filter(isLink)
  const paths = argv
    .filter((argument) => !argument.startsWith('-') && !links.includes(argument))
    .map((argument) => pathOf(argument, folder))
  return {
    files: paths
      .filter((path) => path !== null)
      .filter((path) => openableExtensions.includes(extname(path).toLowerCase())),
    link: links.find((link) => routeOfLink(link) !== null) ?? null,
  }
}

/**
 * Returns an opening as arguments, with absolute paths. The link comes last, because Electron on Windows refuses a
 * command line with anything after a link.
 */
export const openingArgs = ({ files, link }: Opening): string[] => [...files, ...(link ? [link] : [])]

export interface Openings {
  /** Delivers the openings so far, and later ones as they arrive; a new receiver replaces the previous one. */
  deliverTo(receive: (opening: Opening) => void): void
}

/**
 * Listens for files and links to open; must run before the app is ready, because on macOS the first ones arrive
 * earlier.
 */
export function listenForOpenings(): Openings {
  let waiting: Opening[] = []
  let deliver = (opening: Opening): void => void waiting.push(opening)

  app.on('open-file', (event, path) => {
    event.preventDefault()
    deliver({ files: [path], link: null })
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    deliver({ files: [], link: url })
  })
  // On macOS, clicking the dock icon of the running app emits this event.
  app.on('activate', () => deliver({ files: [], link: null }))
  app.on('second-instance', (_event, argv, folder) => deliver(openingOf(argv.slice(1), folder)))

  return {
    deliverTo(receive) {
      deliver = receive
      for (const opening of waiting) receive(opening)
      waiting = []
    },
  }
}

export const linkScheme = 'perpscope'

const screens: ReadonlySet<string> = new Set(screenNames)

/**
 * Parses the route of `perpscope://screen/selection?query`, e.g. `/workbench?symbol=BTC`; null for an invalid link.
 * Links can come from anyone, so they can only choose what is shown.
 */
export function routeOfLink(link: string): string | null {
  if (link.length > MOST_PASSED_LINK_CHARACTERS || !URL.canParse(link)) return null
  const { protocol, host, pathname, search, username, password, port } = new URL(link)
  if (protocol !== `${linkScheme}:` || username || password || port || !screens.has(host)) return null
  const path = pathname.replace(/\/$/, '')
  if (!/^(\/[\w.~%@:+-]+)*$/.test(path)) return null
  const query = new URLSearchParams(search).toString()
  const route = `/${host}${path}${query ? `?${query}` : ''}`
  return route.length > MOST_PASSED_LINK_CHARACTERS ? null : route
}

/** Registers the app for our links; only the installed app does so, because a development copy may be moved. */
export function claimLinks(): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
}
