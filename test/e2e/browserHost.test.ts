import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import { addDays, dayOf } from '#shared/time.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { axeFindings } from './axe.ts'
import {
  announced,
  artifactsDir,
  browserOnly,
  openDesk,
  openShell,
  openTunnel,
  openWindow,
  useBrowser,
} from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }
const root = resolve(import.meta.dirname, '../..')

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first()
const waitUntilReady = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).waitFor(patience)
const go = (page: Page, address: string) => page.evaluate((to) => void (location.hash = `#/${to}`), address)

it('says when the line is lost, and everything comes back by itself', async ({ skip }) => {
  skip(...browserOnly)
  const desk = await openDesk()
  const tunnel = await openTunnel(desk.host.port)
  const { page } = await openWindow(`http://127.0.0.1:${tunnel.port}/#token=${desk.host.token}`, {
    expected: /WebSocket|ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE|dynamically imported module/,
  })
  await heading(page).waitFor()
  await tunnel.cut()
  await page.getByText('Connection to Perpscope lost.').waitFor()
  await page.screenshot({ path: join(artifactsDir, 'line-lost-dark-1280.png') })
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Data' }).click()
  await page.getByText('The screen could not be loaded.').waitFor()
  await expect.poll(() => heading(page).innerText()).toBe('No chart is open')
  // The page receives no event of a change made while it is disconnected, and shows the change afterwards.
  await desk.app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null }).call('settings.change', {
    theme: 'light',
  })
  await tunnel.mend()
  await page.getByText('Connection to Perpscope lost.').waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('light')
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Data' }).click()
  await expect.poll(() => heading(page).innerText()).toBe('Catalog')
})

it('loads a part of a screen, with its styles, again after its first requests failed', async ({ skip }) => {
  skip(...browserOnly)
  const failed = new Set<string>()
  const { page } = await openShell({
    expected: /ERR_CONNECTION_REFUSED/,
    before: (opened) =>
      opened.route(/EmptyWorkbench-[^/]*\.(js|css)$/, async (route) => {
        const kind = route.request().url().slice(-3)
        if (failed.has(kind)) return route.continue()
        failed.add(kind)
        await route.abort('connectionrefused')
      }),
  })
  await page.getByRole('heading', { name: 'No chart is open' }).waitFor(patience)
  expect([...failed].toSorted()).toEqual(['.js', 'css'])
  expect(
    await page.evaluate(() => [...document.styleSheets].some(({ href }) => href?.includes('EmptyWorkbench-'))),
  ).toBe(true)
})

it('says what to do when the host was started anew with another token', async ({ skip }) => {
  skip(...browserOnly)
  const { page, desk } = await openShell({
    expected: /WebSocket|401|ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE/,
  })
  await desk.restart(desk.host.port)
  await page.getByRole('heading', { name: 'This session link has expired' }).waitFor()
  await page.screenshot({ path: join(artifactsDir, 'refused-dark-1280.png') })
  // The new address is opened in the same tab, as a user would do.
  await page.goto(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
})

it('saves later what was changed while the host was down, after a break and after a restart', async ({ skip }) => {
  skip(...browserOnly)
  const desk = await openDesk()
  const client = desk.app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null })
  const newDocument = { version: 1 as const, sql: 'SELECT 1', parameters: {} }
  const { id } = await client.call('documents.create', { kind: 'query', name: 'Kept', document: newDocument })
  const savedSql = async () => (await client.call('documents.read', { kind: 'query', id })).document.sql
  const tunnel = await openTunnel(desk.host.port)
  const { page } = await openWindow(`http://127.0.0.1:${tunnel.port}/#token=${desk.host.token}`, {
    expected: /WebSocket|401|ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE/,
  })
  await heading(page).waitFor()
  await page.evaluate((address) => (location.hash = address), `#/sql/${id}`)
  const editor = page.getByRole('textbox', { name: 'Query' })
  await editor.waitFor()
  await tunnel.cut()
  await page.getByText('Connection to Perpscope lost.').waitFor()
  await editor.fill('SELECT 2')
  await tunnel.mend()
  await expect.poll(savedSql).toBe('SELECT 2')
  await tunnel.cut()
  await page.getByText('Connection to Perpscope lost.').waitFor()
  await editor.fill('SELECT 3')
  await page.waitForFunction(() => Object.keys(localStorage).some((key) => key.startsWith('perpscope.unsaved.')))
  await desk.restart(desk.host.port)
  await tunnel.mend()
  await page.getByText('Changes that could not be saved are kept in this browser.').waitFor()
  expect(await savedSql()).toBe('SELECT 2')
  await announced(page, 'Saved the changes to “Kept”', async () => {
    await page.goto(`http://127.0.0.1:${tunnel.port}/#token=${desk.host.token}`)
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await expect.poll(savedSql).toBe('SELECT 3')
  })
})

it.for([
  ['', 'This address has no token'],
  [`#token=${'x'.repeat(43)}`, 'This session link is not valid'],
] as const)('lets nobody in with the address ending in “%s”, and says why', async ([ending, title], { skip }) => {
  skip(...browserOnly)
  const desk = await openDesk()
  const { page } = await openWindow(`http://127.0.0.1:${desk.host.port}/${ending}`, { expected: /WebSocket|401/ })
  await page.getByRole('heading', { name: title }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(page.url()).not.toContain('xxx')
})

it('takes the token from the address bar before any other script of the page runs', async ({ skip }) => {
  skip(...browserOnly)
  const desk = await openDesk()
  const { page } = await openWindow(`http://127.0.0.1:${desk.host.port}/#token=${desk.host.token}`, {
    expected: /ERR_FAILED/,
    before: (opening) => opening.route('**/assets/**', (route) => route.abort()),
  })
  expect(page.url()).toBe(`http://127.0.0.1:${desk.host.port}/#/`)
})

it('takes dropped files and lists them under raw events', async ({ skip }) => {
  skip(...browserOnly)
  const { page } = await openShell()
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'.repeat(1500)], '<b>trades</b>.parquet'))
    for (const type of ['dragenter', 'dragover'])
      document.querySelector('main')!.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true }))
  })
  await page.getByText('Drop files to import').waitFor()
  await page.screenshot({ path: join(artifactsDir, 'drop-dark-1280.png') })
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'.repeat(1500)], 'trades.parquet'))
    document
      .querySelector('main')!
      .dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }))
  })
  await page.getByText('Received trades.parquet').waitFor()
  await page.getByRole('button', { name: 'Show' }).click()
  await page
    .getByRole('row', { name: /trades\.parquet/ })
    .getByText('not a Parquet file')
    .waitFor()
  await page.screenshot({ path: join(artifactsDir, 'raw-received-dark-1280.png') })
})

/** Starts a service that lists every requested day and has a file of one row for each day. */
async function serviceOfDays(): Promise<string> {
  const fileOf = (day: string) =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'time', data: [BigInt(Date.parse(`${day}T00:00:00Z`))], type: 'INT64' },
          { name: 'value', data: [1], type: 'DOUBLE' },
        ],
      }),
    )
  const service = await fakeService(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, service.url)
    if (pathname.startsWith('/file/')) {
      const bytes = fileOf(pathname.slice('/file/'.length))
      response.writeHead(200, { 'content-length': bytes.length, etag: '"1"' })
      return response.end(bytes)
    }
    const [start, end] = ['start_date', 'end_date'].map((name) => searchParams.get(name) ?? '')
    const files = []
    for (let day = start; day !== '' && day <= end; day = addDays(day, 1)) {
      const [year, month, number] = day.split('-').map(Number)
      files.push({ year, month, day: number, url: `${service.url}/file/${day}` })
    }
    sendJson(response, { files })
  })
  return service.url
}

/** Starts the built command's browser host as a user does, in its own process. */
async function serve(dataDir: string): Promise<{ url: string; process: ChildProcess }> {
  const args = ['scripts/cli.mjs', '--data-dir', dataDir, '--json', 'serve', '--port', '0']
  const env = { ...process.env, PERPSCOPE_API_KEY: 'story-0123456789' }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  onTestFinished(() => end(child))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: (JSON.parse(line.toString()) as { url: string }).url, process: child }
}

/** Kills a process and all processes that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  process.kill(-child.pid!, 'SIGKILL')
  await gone
}

async function prepareDataDir(metricsUrl: string): Promise<string> {
  const dataDir = temporaryFolder()
  const app = createApp(fakePorts(), { version: '1', dataDir })
  const client = app.clientFor(fakeHost())
  const fields = { name: 'Desk', metricsUrl, portfolioUrl: '', catalogLocation: '', tier: null }
  const { id } = await client.call('connections.add', fields)
  await client.call('connections.use', { id })
  await client.call('settings.change', { sampleData: 'removed' })
  await app.close()
  return dataDir
}

it('downloads 500 files although its program is killed halfway', async ({ skip }) => {
  skip(...browserOnly)
  const dataDir = await prepareDataDir(await serviceOfDays())
  const first = await serve(dataDir)
  const { page } = await openWindow(first.url, { expected: /WebSocket|ERR_CONNECTION|net::/ })
  await waitUntilReady(page)
  const datasets = ['flow', 'vtwap', 'ohlcv', 'range', 'returns']
  const today = dayOf(Date.now())
  const days = `start=${addDays(today, -100)}&end=${addDays(today, -1)}`
  await go(page, `downloads/new?${days}&interval=1d&dataset=${datasets}&symbol=perpetual-BTC-USDT:USDT`)
  await page.getByRole('button', { name: 'Download 500 files' }).click(patience)
  await page.getByRole('button', { name: 'Pause all downloads' }).click(patience)
  await page
    .getByText(/\d+ paused/)
    .first()
    .waitFor(patience)
  await end(first.process)

  const second = await serve(dataDir)
  const { page: again } = await openWindow(second.url, { colorScheme: 'light' })
  await waitUntilReady(again)
  await again.getByRole('button', { name: 'Resume all downloads' }).click(patience)
  await go(again, 'downloads')
  await again.getByRole('link', { name: 'History 500' }).waitFor({ timeout: 90_000 })
  await again.getByRole('link', { name: 'Failed 0' }).waitFor(patience)
  await again.getByRole('link', { name: 'Queue 0' }).waitFor(patience)
  expect(await axeFindings(again)).toEqual([])
}, 180_000)
