import { extname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app } from 'electron'
import { screenNames } from '#shared/contract/screenNames.ts'

/** Files and a link that the system asked the app to open; with neither of them, its window alone. */
export interface Opening {
  files: string[]
  /** Deep link of ours, whose route `routeOfLink` finds. */
  link: string | null
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

/** Reads a deep link and files of ours from a command line; the other arguments belong to Electron or to `--data-dir`. */
export function openingOf(argv: readonly string[], folder: string): Opening {
  const links = argv.filter(isLink)
  const paths = argv
    .filter((argument) => !argument.startsWith('-') && !links.includes(argument))
    .map((argument) => pathOf(argument, folder))
  return {
    files: paths.filter((path) => path !== null).filter((path) => openable.includes(extname(path).toLowerCase())),
    link: links.find((link) => routeOfLink(link) !== null) ?? null,
  }
}

/**
 * Writes an opening as arguments that mean the same in any folder. The link is the last one, because Electron on Windows refuses a
 * command line that has anything behind an address.
 */
export const openingArgs = ({ files, link }: Opening): string[] => [...files, ...(link ? [link] : [])]

export interface Openings {
  /** Hands on what came so far, and the rest as it comes; a later receiver takes the place of the one before. */
  deliverTo(receive: (opening: Opening) => void): void
}

/** Must run before the app is ready: on macOS the first file or link comes earlier. */
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
  // On macOS a click on the dock emits this while the app runs.
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
