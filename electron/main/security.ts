import { app, dialog, shell, type Session, type WebContents, type WebPreferences } from 'electron'
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

/** Returns the address of a page that may be opened outside; null for any other address. */
function pageOutside(address: string): URL | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  return url.protocol === 'https:' && !url.username && !url.password ? url : null
}

/** Opens a page in the user's browser if the app links to its host; returns false for any other page. */
function openOutside(address: string): boolean {
  const page = pageOutside(address)
  if (!page || !linkedHosts.includes(page.host)) return false
  void shell.openExternal(page.href)
  return true
}

/** Asks whether to open the page of a link that a service named, such as that of its plans, in the user's browser. */
async function offerOutside(address: string): Promise<void> {
  const page = pageOutside(address)
  if (page && (await mayOpen(page.href))) await shell.openExternal(page.href)
}

let isAsking = false

/** Asks the user; while a question is open, another is refused. */
async function mayOpen(address: string): Promise<boolean> {
  if (isAsking) return false
  isAsking = true
  const buttons = ['Cancel', 'Open in Browser']
  const message = 'Open this page, which a service named, in your browser?'
  const options = { type: 'question' as const, message, detail: address, buttons, defaultId: 0, cancelId: 0 }
  const { response } = await dialog.showMessageBox(options).finally(() => (isAsking = false))
  return response === 1
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
    if (!openOutside(url)) void offerOutside(url)
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
