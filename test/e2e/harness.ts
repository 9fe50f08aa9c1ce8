import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join, resolve } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page, type Request } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createApp, type App } from '#core/app.ts'
import { startWebHost, type WebHost } from '../../electron/web/server.ts'
import { openStoryWindow, startStoryHost } from '../electronReal/storyHost.ts'
import { startBridgeHost, preloadScript, saveInto } from './bridge/bridgeHost.ts'
import { fakePorts, type FakePorts } from '../fakes/fakePorts.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { startCachedSandbox } from '../fakes/testSandbox.ts'
import { hasOtherNames, testVenues } from '../fakes/testVenues.ts'
import { venueTokensBelow, venueTokensIn } from '../fakes/venueTokens.ts'
import { reportVenueTokens } from './pageTokens.ts'

const root = resolve(import.meta.dirname, '../..')
export const rendererDir = join(root, 'out', 'renderer')

export const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

type Face = 'browser' | 'bridge' | 'electron'

/**
 * Host in which the end-to-end tests run (`PERPSCOPE_FACE`): the browser host with its socket, the preload's bridge in
 * Chromium on a fake Electron, or a window of the desktop app in real Electron. The core always runs in the process of
 * the test.
 */
export const face = (process.env.PERPSCOPE_FACE || 'browser') as Face

/** Reference pictures outlive a version; those of the documents show the one that they come with. */
const shownVersion = process.env.PERPSCOPE_SHOWN_VERSION ?? '9.8.7'

/** Folder of screenshots, one per face, because shards of several faces run at the same time. */
export const artifactsDir = join(root, 'test', 'artifacts', face === 'browser' ? '' : face)

/** Arguments of `skip` for a test of the browser host itself: `skip(...browserOnly)`. */
export const browserOnly = [
  face !== 'browser',
  'it is about the socket, token, tabs or uploads of the browser host',
] as const

let browser: Promise<Browser> | undefined

/** Starts one browser for all tests of a file; each page has its own profile, and in Electron its own process. */
export function useBrowser(): void {
  beforeAll(() => {
    if (!existsSync(join(rendererDir, 'index.html')))
      throw new Error('The window is not built: run `npm run build` first, or `npm run test:e2e`, which does.')
    mkdirSync(artifactsDir, { recursive: true })
  })
  afterAll(async () => {
    await (await browser)?.close()
    browser = undefined
  })
}

type Host = Pick<WebHost, 'port' | 'token' | 'url' | 'close'>

/** A running core with its host on any free port and with its own data folder. */
export interface Desk {
  app: App
  host: Host
  ports: FakePorts
  dataDir: string
  /** Starts the host again with a new token, on the same or another port; the core and its data stay. */
  restart(port?: number): Promise<void>
}

type StartHost = (started: Pick<Desk, 'app' | 'ports' | 'dataDir'> & { port: number }) => Promise<Host>

const startHost: Record<Face, StartHost> = {
  browser: ({ app, port, dataDir }) => startWebHost({ app, port, rendererDir, incomingDir: join(dataDir, 'incoming') }),
  bridge: ({ app, ports }) => startBridgeHost(app, ports, rendererDir),
  electron: ({ app }) => startStoryHost(app),
}

export async function openDesk(): Promise<Desk> {
  const ports = fakePorts()
  if (hasOtherNames)
    ports.sandboxVenues = testVenues.map(({ id, short, sizes, exchangeTimes }) => ({ id, short, sizes, exchangeTimes }))
  const dataDir = dataFolder()
  const app = createApp(ports, { version: shownVersion, dataDir })
  const savesDir = join(dataDir, 'saved by the person')
  mkdirSync(savesDir)
  const start = async (port: number): Promise<Host> => {
    const host = await startHost[face]({ app, ports, port, dataDir })
    saveInto(savesDir)
    saveFolders.set(String(host.port), savesDir)
    return host
  }
  const desk: Desk = {
    app,
    ports,
    dataDir,
    host: await start(0),
    async restart(port = 0) {
      await desk.host.close()
      desk.host = await start(port)
    },
  }
  onTestFinished(async () => {
    await desk.host.close()
    await app.close()
    if (hasOtherNames) refuseVenueTokens(desk)
  })
  return desk
}

/** Fails if the log or a file of a desk names a venue as the service documents do. */
function refuseVenueTokens({ ports, dataDir }: Desk): void {
  const found = [...venueTokensIn('log', ports.log.lines.join('\n')), ...venueTokensBelow(dataDir)]
  if (found.length > 0) throw new Error(`Names of the documents are left:\n${found.join('\n')}`)
}

/** Opens a desk whose built-in connection uses a sandbox, at the sandbox's fixed time. */
export async function openSandboxDesk(): Promise<Desk & { sandbox: Awaited<ReturnType<typeof startCachedSandbox>> }> {
  const desk = await openDesk()
  const sandbox = await startCachedSandbox({ venues: testVenues })
  onTestFinished(() => sandbox.close())
  desk.ports.onStartSandbox = async () => ({
    url: sandbox.url,
    catalogUrl: sandbox.catalogUrl,
    keys: sandbox.keys,
    close: async () => {},
  })
  return Object.assign(desk, { sandbox })
}

/** Folders that the user chooses in save dialogs, by port of the host. */
const saveFolders = new Map<string, string>()

/**
 * Presses a control that saves a file, and waits for the file: a download, or in the desktop app the file at the path
 * that the dialog returned.
 */
export async function savedFile(page: Page, press: () => Promise<unknown>): Promise<{ name: string; path: string }> {
  const download = page.waitForEvent('download', { timeout: 60_000 })
  const { port, searchParams } = new URL(page.url())
  const folder = saveFolders.get(searchParams.get('desk') ?? port)!
  const before = new Set(readdirSync(folder))
  const arrivesInFolder = async () => {
    for (;;) {
      const name = readdirSync(folder).find((each) => !before.has(each) && !each.endsWith('.part'))
      if (name) return { name, path: join(folder, name) }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const downloaded = download.then(async (file) => ({ name: file.suggestedFilename(), path: await file.path() }))
  if (face === 'browser') return (await Promise.all([downloaded, press()]))[0]
  // The desktop app, too, saves pictures of charts as downloads.
  downloaded.catch(() => {})
  await press()
  return Promise.race([downloaded, arrivesInFolder()])
}

/** Selects an entry of a drop-down list by its title. */
export async function choose(page: Page, label: string, title: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: title, exact: true }).click()
  // While the list fades out, no element controls it, which axe would report.
  await page.getByRole('listbox', { name: label }).waitFor({ state: 'hidden' })
}

/**
 * Does something that a passing message announces, and waits for both. The wait for the message begins first, because
 * the message goes away by itself after a few seconds, and on a busy machine the rest of the work may end later.
 */
export async function announced(page: Page, message: string | RegExp, work: () => Promise<unknown>): Promise<void> {
  const shown = page.getByRole('region', { name: 'Messages' }).getByText(message).waitFor({ timeout: 60_000 })
  await Promise.all([shown, work()])
}

export interface Window {
  page: Page
  /**
   * Errors and warnings of the page without those that `expected` matches; the list must be empty at the end of every
   * test.
   */
  problems: string[]
}

const usualLook: BrowserContextOptions = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }

interface OpenedPage {
  page: Page
  close(): Promise<void>
}

async function openInChromium(options: BrowserContextOptions): Promise<OpenedPage> {
  browser ??= chromium.launch({
    executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
    args: browserArgs,
  })
  const context = await (await browser).newContext(options)
  return { page: await context.newPage(), close: () => context.close() }
}

async function openInElectron({ viewport, colorScheme }: BrowserContextOptions): Promise<OpenedPage> {
  const window = await openStoryWindow()
  await window.page.emulateMedia({ colorScheme })
  if (viewport) await window.page.setViewportSize(viewport)
  return window
}

/** Opens a blank page of a plain browser, such as the one in which a user opens a saved report. */
export async function openBlankPage(): Promise<Page> {
  const { page, close } = await openInChromium(usualLook)
  onTestFinished(close)
  return page
}

/** Opens a page at an address; its test fails at any error in the page's console. */
export async function openWindow(
  url: string,
  {
    expected,
    before,
    through = face,
    ...options
  }: BrowserContextOptions & {
    expected?: RegExp
    before?: (page: Page) => Promise<unknown>
    through?: Face
  } = {},
): Promise<Window> {
  const look = { ...usualLook, ...options }
  const { page, close } = through === 'electron' ? await openInElectron(look) : await openInChromium(look)
  const problems: string[] = []
  const note = (text: string) => void (expected?.test(text) || problems.push(text))
  page.on('console', (message) => {
    // A page that is still loading has no policy yet, and Electron warns of that.
    if (['error', 'warning'].includes(message.type()) && page.url() !== 'about:blank') note(message.text())
  })
  page.on('pageerror', (error) => note(error.stack ?? error.message))
  // A reload aborts the pending requests of the page before, which is no fault of that page.
  const navigationsBefore = new WeakMap<Request, number>()
  const aborted: Request[] = []
  let navigations = 0
  let isNavigating = false
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) isNavigating = true
    navigationsBefore.set(request, navigations)
  })
  // Until the response to the reload arrives, the page before may still send requests.
  page.on('framenavigated', (frame) => {
    if (!isNavigating || frame !== page.mainFrame()) return
    navigations += 1
    isNavigating = false
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    if (reason === 'net::ERR_ABORTED') aborted.push(request)
    else note(`${request.url()} ${reason}`)
  })
  onTestFinished(async () => {
    const abortedByItself = aborted.filter((request) => navigationsBefore.get(request) === navigations)
    for (const request of abortedByItself) note(`${request.url()} net::ERR_ABORTED`)
    await close()
    if (problems.length > 0) throw new Error(`The page complained:\n${problems.join('\n')}`)
  })
  if (hasOtherNames) await page.addInitScript(reportVenueTokens)
  if (through === 'bridge') await page.addInitScript({ content: await preloadScript() })
  await before?.(page)
  await page.goto(url)
  return { page, problems }
}

/** Opens a desk with one window that is ready for use. */
export async function openShell(options?: Parameters<typeof openWindow>[1]): Promise<Window & { desk: Desk }> {
  const desk = await openDesk()
  const window = await openWindow(desk.host.url, options)
  await window.page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { ...window, desk }
}

/** Connection to a port that can be cut and restored, like a tunnel over a network. */
export interface Tunnel {
  port: number
  cut(): Promise<void>
  mend(): Promise<void>
}

export async function openTunnel(targetPort: number): Promise<Tunnel> {
  const sockets = new Set<Socket>()
  let server: Server
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server = createServer((inner) => {
        const outer = connect(targetPort, '127.0.0.1')
        for (const socket of [inner, outer]) {
          sockets.add(socket)
          socket.on('error', () => {})
          socket.on('close', () => {
            sockets.delete(socket)
            inner.destroy()
            outer.destroy()
          })
        }
        inner.pipe(outer).pipe(inner)
      })
      server.listen(port, '127.0.0.1', resolve)
    })
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  await listen(0)
  const { port } = server!.address() as AddressInfo
  onTestFinished(() => (server.listening ? cut() : undefined))
  return { port, cut, mend: () => listen(port) }
}
