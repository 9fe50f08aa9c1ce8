import { app, shell, type Session, type WebContents, type WebPreferences } from 'electron'
import { isAppAddress } from './appProtocol.ts'

/**
 * Every setting that affects the sandboxing of a page, stated explicitly so that a changed default in a later version
 * does not matter.
 */
export const restrictedPage = {
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

/** Hosts of external pages that the app links to, such as the documentation of engines. */
const linkedHosts = ['duckdb.org', 'pandas.pydata.org', 'docs.pola.rs', 'spark.apache.org', 'clickhouse.com']

/** Opens a page in the user's browser if the app links to its host; returns false for any other page. */
function openOutside(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host, username, password, href } = new URL(address)
  if (protocol !== 'https:' || username || password || !linkedHosts.includes(host)) return false
  void shell.openExternal(href)
  return true
}

/** Restricts every page, whoever created it. */
export function restrictAllPages(): void {
  app.on('web-contents-created', (_event, contents) => restrictPage(contents))
}

function restrictPage(contents: WebContents): void {
  // Apart from a reload, the app never navigates; a change of the route, which follows `#`, is no navigation.
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

/** Restricts pages to the app's own resources, and their permissions to writing text or a picture to the clipboard. */
export function restrictSession(session: Session): void {
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
  // A chart saved as a picture is a download of the page's own blob; no other downloads are allowed.
  session.on('will-download', (event, item) => {
    if (!isOwnBlob(item.getURL())) event.preventDefault()
  })
}

function mayLoad(address: string): boolean {
  return isAppAddress(address) || isOwnBlob(address) || /^(data|devtools):/.test(address)
}

const isOwnBlob = (address: string) => address.startsWith('blob:') && isAppAddress(address.slice('blob:'.length))
