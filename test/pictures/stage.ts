import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { createWireJoiner, decodeWire } from '#shared/contract/wire.ts'
import type { Client } from '#shared/contract/client.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { testNowMs } from '../fakes/testSandbox.ts'
import { openSandboxDesk, openWindow } from '../e2e/harness.ts'

/** Theme and window size of a picture. */
export interface View {
  theme: 'dark' | 'light'
  width: 1280 | 1920
}

/** What a picture shows of the window. */
export interface Shown {
  /** Selector of elements that differ from run to run, such as durations; they are left out of the picture. */
  mask?: string
  /** True for pictures of the rail, top bar and status bar, which all others leave out. */
  showsCommonParts?: boolean
}

/** Folder of the files that scenes choose. */
const testFolder = resolve(import.meta.dirname, '..')

/** A page is busy for long where other tests run beside it. */
const SETTLE_TIMEOUT_MS = 120_000

const commonParts = 'nav[aria-label=Screens], :is(header, footer):not(main *, [role=dialog] *)'

const heights = { 1280: 800, 1920: 1080 } as const

/** Running app with one window and a fixed clock, which all scenes use one after the other. */
export interface Stage {
  readonly page: Page
  readonly desk: Awaited<ReturnType<typeof openSandboxDesk>>
  readonly client: Client
  /** Opens an address of the app and waits until an element that the selector finds is visible. */
  go(address: string, selector: string): Promise<void>
  /** Opens an address in a reloaded page, because an open page receives changes of the core with a delay. */
  reload(address: string, selector: string): Promise<void>
  /** Resolves once no call to the core is pending and no element on the page is busy. */
  settle(): Promise<void>
  setView(view: View): Promise<void>
  screenshot(shown: Shown): Promise<Buffer>
}

/** Tracks the calls that the core has not answered yet and the files that the page is still loading. */
function trackWork(page: Page): ReadonlyMap<unknown, string> {
  const pending = new Map<unknown, string>()
  const read = (payload: string | Buffer) =>
    decodeWire(new Uint8Array(payload as Buffer)) as { kind: string; id: number; name: string }
  page.on('websocket', (socket) => {
    // The core never answers calls of a page that was left.
    pending.clear()
    socket.on('framesent', ({ payload }) => {
      const { kind, id, name } = read(payload)
      if (kind === 'call') pending.set(id, name)
      else if (kind === 'cancel') pending.delete(id)
    })
    const join = createWireJoiner()
    socket.on('framereceived', ({ payload }) => {
      const message = join(new Uint8Array(payload as Buffer))
      if (!message) return
      const { kind, id } = read(Buffer.from(message))
      if (kind === 'result' || kind === 'error') pending.delete(id)
    })
  })
  page.on('request', (request) => pending.set(request, request.url()))
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  return pending
}

/** Shows or empties the rail, top bar and status bar, so that their changes do not change the picture of every screen. */
const showCommonParts = (page: Page, areShown: boolean) =>
  page.evaluate(
    ([parts, visibility]) => {
      for (const part of document.querySelectorAll(parts))
        for (const child of part.children) (child as HTMLElement).style.visibility = visibility
    },
    [commonParts, areShown ? '' : 'hidden'] as const,
  )

/** Returns pairs of a text that differs between machines or runs and the text that the pictures show instead. */
async function changingTexts(client: Client): Promise<[string, string][]> {
  const { dataDir, nodeVersion, platform, sqliteVersion } = await client.call('app.info', {})
  return [
    [dataDir, '/home/analyst/perpscope'],
    [testFolder, '/home/analyst'],
    [nodeVersion, '24.0.0'],
    [platform, 'Linux x64'],
    [sqliteVersion, '3.50.0'],
  ]
}

/**
 * Replaces the changing texts in the document and the ports of local services, and hides messages, which appear and
 * disappear with time.
 */
const fixContent = (page: Page, texts: readonly [string, string][], mask = '') =>
  page.evaluate(
    ([pairs, hidden]) => {
      const withFixedText = (text: string) =>
        pairs
          .reduce((result, [from, to]) => result.replaceAll(from, to), text)
          .replaceAll(/[\d.]+\s[MGT]B free/g, '100.0 GB free')
          .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:40000')
      for (const element of document.querySelectorAll<HTMLElement>(hidden)) element.style.visibility = 'hidden'
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const before = node.nodeValue ?? ''
        const text = withFixedText(before)
        if (text !== before) node.nodeValue = text
      }
      for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea')) {
        const text = withFixedText(field.value)
        if (text !== field.value) field.value = text
      }
    },
    [texts, `[aria-live=polite]${mask && `, ${mask}`}`] as const,
  )

export async function openStage(): Promise<Stage> {
  const desk = await openSandboxDesk()
  // The sandbox, the core and the window use the same time.
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  const client = desk.app.clientFor(fakeHost())
  const { page } = await openWindow('about:blank', {
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Leaving a page aborts its preloading.
    expected: /ERR_ABORTED/,
  })
  const pending = trackWork(page)
  page.setDefaultTimeout(30_000)
  await page.clock.setFixedTime(testNowMs)
  await page.goto(desk.host.url)
  await page.waitForFunction(() => location.hash.startsWith('#/workbench'))
  const texts = await changingTexts(client)

  const stage: Stage = {
    page,
    desk,
    client,
    async go(address, selector) {
      await page.evaluate((to) => void (location.hash = `#/${to}`), address)
      await page.locator(selector).first().waitFor()
    },
    async reload(address, selector) {
      await page.goto('about:blank')
      await page.goto(new URL(`#/${address}`, desk.host.url).href)
      await page.locator(selector).first().waitFor()
    },
    async settle() {
      const isSettled = () =>
        page.evaluate(async () => {
          await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 20)))
          return document.fonts.status === 'loaded' && document.querySelector('[aria-busy="true"]') === null
        })
      const deadlineMs = performance.now() + SETTLE_TIMEOUT_MS
      for (let calmChecks = 0; calmChecks < 2;) {
        calmChecks = pending.size === 0 && (await isSettled()) ? calmChecks + 1 : 0
        if (performance.now() > deadlineMs)
          throw new Error(`The page is still busy: ${[...pending.values()].join('\n')}`)
        if (calmChecks === 0) await new Promise((later) => setTimeout(later, 10))
      }
    },
    async setView({ theme, width }) {
      await page.mouse.move(0, 0)
      await page.setViewportSize({ width, height: heights[width] })
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme)
    },
    async screenshot({ mask, showsCommonParts = false }) {
      await stage.settle()
      await fixContent(page, texts, mask)
      await showCommonParts(page, showsCommonParts)
      return page.screenshot({ animations: 'disabled' })
    },
  }
  return stage
}
