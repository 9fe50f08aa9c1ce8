import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app } from 'electron'
import { screenNames } from '#shared/contract/screenNames.ts'

/** Files and links that the system asked the app to open. */
export interface Opening {
  files: string[]
  /** The route of a deep link. */
  route: string | null
}

const openable = ['.parquet', '.perpscope']

/** Resolves the file that an argument names, as a path or a `file:` address; null where the address is not a local file. */
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
 * Reads deep links and files of ours from a command line; the other arguments belong to Electron or to `--data-dir`.
 */
export function openingOf(argv: readonly string[], folder: string): Opening {
  const links = argv.filter(isLink)
  const paths = argv
    .filter((argument) => !argument.startsWith('-') && !links.includes(argument))
    .map((argument) => pathOf(argument, folder))
  return {
    files: paths.filter((path) => path !== null).filter((path) => openable.includes(extname(path).toLowerCase())),
    route: links.map(routeOfLink).find((route) => route !== null) ?? null,
  }
}

/** Finds the files and links of ours on a command line, as arguments that mean the same in any folder. */
export const openingArgs = (argv: readonly string[], folder: string): string[] => [
  ...argv.filter(isLink),
  ...openingOf(argv, folder).files,
]

export interface Openings {
  /** Hands on what came so far, and the rest as it comes. */
  deliverTo(receive: (opening: Opening) => void): void
}

/** Must run before the app is ready: on macOS the first file or link comes earlier. */
export function listenForOpenings(): Openings {
  let waiting: Opening[] = []
  let deliver = (opening: Opening): void => void waiting.push(opening)

  app.on('open-file', (event, path) => {
    event.preventDefault()
    deliver({ files: [path], route: null })
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    deliver({ files: [], route: routeOfLink(url) })
  })
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
const MAX_LENGTH = 2000

/**
 * Finds the route of `perpscope://screen/selection?query`, e.g. `/workbench?symbol=BTC`; null where it is not a link of
 * ours. Anyone can hand us a link: it only ever chooses what is shown.
 */
export function routeOfLink(link: string): string | null {
  if (link.length > MAX_LENGTH || !URL.canParse(link)) return null
  const { protocol, host, pathname, search, username, password, port } = new URL(link)
  if (protocol !== `${linkScheme}:` || username || password || port || !screens.has(host)) return null
  const path = pathname.replace(/\/$/, '')
  if (!/^(\/[\w.~%@:+-]+)*$/.test(path)) return null
  const query = new URLSearchParams(search).toString()
  const route = `/${host}${path}${query ? `?${query}` : ''}`
  return route.length > MAX_LENGTH ? null : route
}

/** The installed app only: a development copy would leave the system pointing at a folder that moves. */
export function claimLinks(): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
}
