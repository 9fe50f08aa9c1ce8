import { app, shell, type Session, type WebContents, type WebPreferences } from 'electron'
import { isAppAddress } from './appProtocol.ts'

/** Every switch that could open a page's cage, written down, so that no default of a later version decides. */
export const cagedPage = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  safeDialogs: true,
  spellcheck: false,
} as const satisfies WebPreferences

/** Documentation of the engines that exports are made for: all that the app links to. */
const linkedHosts = ['duckdb.org', 'pandas.pydata.org', 'docs.pola.rs', 'spark.apache.org', 'clickhouse.com']

/** Opens other people's pages in the user's browser, and only those that the app itself links to. */
function openOutside(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password, href } = new URL(address)
  if (protocol !== 'https:' || username || password || !linkedHosts.includes(host)) return false
  void shell.openExternal(href)
  return true
}

/** Restricts every page, whoever created it. */
export function cageAllPages(): void {
  app.on('web-contents-created', (_event, contents) => cagePage(contents))
}

function cagePage(contents: WebContents): void {
  // The app never navigates, but for a reload: its screens live behind `#`, which is not a navigation.
  contents.on('will-frame-navigate', (details) => {
    if (details.isMainFrame && isAppAddress(details.url) && pageOf(details.url) === pageOf(contents.getURL())) return
    details.preventDefault()
    if (details.isMainFrame) openOutside(details.url)
  })
  contents.on('will-redirect', (details) => details.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url)
    return { action: 'deny' }
  })
}

const pageOf = (address: string) => address.split('#', 1)[0]

/**
 * Restricts the permissions of pages to writing text or a picture to the clipboard. And what they may load: the app
 * itself.
 */
export function cageSession(session: Session): void {
  const mayUse = (permission: string, address: string) =>
    permission === 'clipboard-sanitized-write' && isAppAddress(address)
  session.setPermissionRequestHandler((contents, permission, answer, { isMainFrame }) =>
    answer(isMainFrame && mayUse(permission, contents.getURL())),
  )
  session.setPermissionCheckHandler((contents, permission, _origin, { isMainFrame }) =>
    Boolean(contents && isMainFrame && mayUse(permission, contents.getURL())),
  )
  session.setDevicePermissionHandler(() => false)
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !mayLoad(url) }))
  // A chart saved as a picture is a download of the page's own blob; nothing else may be downloaded.
  session.on('will-download', (event, item) => {
    if (!isOwnBlob(item.getURL())) event.preventDefault()
  })
}

function mayLoad(address: string): boolean {
  return isAppAddress(address) || isOwnBlob(address) || /^(data|devtools):/.test(address)
}

const isOwnBlob = (address: string) => address.startsWith('blob:') && isAppAddress(address.slice('blob:'.length))
