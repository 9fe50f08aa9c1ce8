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
import { startCachedSandbox, testNowMs } from '../fakes/testSandbox.ts'
import { testVenues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, browserOnly, openDesk, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }
const root = resolve(import.meta.dirname, '../..')

const waitUntilReady = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).waitFor(patience)
const go = (page: Page, address: string) => page.evaluate((to) => void (location.hash = `#/${to}`), address)

it('says what a wrong key leads to, and works with the right one', async () => {
  const sandbox = await startCachedSandbox({ venues: testVenues })
  onTestFinished(() => sandbox.close())
  const desk = await openDesk()
  const { page } = await openWindow(desk.host.url)
  await waitUntilReady(page)
  await go(page, 'settings/connections')
  await page.getByRole('button', { name: 'Add connection' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Research desk')
  for (const service of ['Metrics service', 'Portfolio service'])
    await page.getByRole('textbox', { name: service }).fill(sandbox.url)
  await page.getByRole('textbox', { name: 'Raw-event catalog' }).fill(sandbox.catalogUrl)
  await page.getByRole('button', { name: 'Add connection' }).click()
  const card = page.getByRole('region', { name: 'Research desk' })
  const setKey = async (button: string, key: string) => {
    await card.getByRole('button', { name: button, exact: true }).first().click()
    await page.keyboard.type(key)
    await page.keyboard.press('Enter')
    await card
      .getByText(`set, ends in …${key.slice(-4)}`)
      .first()
      .waitFor(patience)
    await card.getByRole('button', { name: /^Test/ }).click()
  }
  await setKey('Set key', 'wrong-0123456789-zzzz')
  await card
    .getByText(/refused/)
    .first()
    .waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'connection-refused-dark.png') })
  await setKey('Replace', sandbox.keys['2'])
  await expect.poll(() => card.getByText(/refused/).count(), patience).toBe(0)
  await card.getByText('works').first().waitFor(patience)
}, 120_000)

it('saves a download as a set, brings it up to date, and moves the files to another folder', async () => {
  const desk = await openSandboxDesk()
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  desk.app.runDownloads()
  const { page } = await openWindow('about:blank', { colorScheme: 'light' })
  await page.clock.setFixedTime(testNowMs)
  await page.goto(desk.host.url)
  await waitUntilReady(page)
  const selection = 'dataset=flow&symbol=perpetual-BTC-USDT:USDT&interval=1d&start=2026-09-01&end=2026-09-03'
  await go(page, `downloads/new?${selection}`)
  await page.getByRole('button', { name: 'Show files' }).click(patience)
  const plan = page.getByRole('grid', { name: 'Files in the plan' })
  await expect.poll(() => plan.getByText('not cached', { exact: true }).count(), patience).toBe(3)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'plan-files-light.png') })
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Save as set …' }).click()
  await page.keyboard.type('Daily flow')
  await page.keyboard.press('Enter')
  await page.getByText('Saved set “Daily flow”').waitFor(patience)
  await page.getByRole('link', { name: 'Sets' }).click()
  const set = page.getByRole('article', { name: 'Daily flow' })
  await set.getByText("perpscope fetch --set 'Daily flow'").waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'sets-light.png') })
  await set.getByRole('button', { name: 'Update' }).click()
  await set.getByText('Last update: 2026-09-15').waitFor(patience)
  await page.getByText(/1\d files downloaded/).waitFor(patience)

  const target = temporaryFolder()
  await go(page, 'settings/cache')
  await page.getByRole('textbox', { name: 'New cache folder' }).fill(join(desk.dataDir, 'files', 'in'))
  await page.getByRole('button', { name: 'Move files' }).click()
  await page.getByText('The folder is inside the folder that is to be moved.').waitFor(patience)
  await page.getByRole('textbox', { name: 'New cache folder' }).fill(target)
  await page.getByRole('button', { name: 'Move files' }).click()
  await page.getByText('Files moved').waitFor(patience)
  await page.getByText(join(target, 'perpscope-files')).first().waitFor(patience)
  await page.getByRole('button', { name: 'Verify all files' }).click()
  await page.getByText(/^1\d files, .* no problems found/).waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
}, 120_000)

it('waits for nothing on any screen while it is offline', async () => {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await waitUntilReady(page)
  await page.getByRole('switch', { name: 'Online' }).click()
  await page.getByText('Offline.', { exact: true }).waitFor(patience)
  for (const screen of ['workbench', 'catalog', 'coverage', 'coverage?kind=metrics', 'downloads', 'downloads/new'])
    await isAtRest(page, screen)
  for (const tab of ['portfolio', 'weights', 'explain', 'factors', 'universe', 'overlays', 'prices'])
    await isAtRest(page, `portfolios/${tab}`)
  for (const screen of ['raw/catalog', 'raw/files', 'settings/connections', 'settings/cache'])
    await isAtRest(page, screen)
  await page.screenshot({ path: join(artifactsDir, 'offline-dark.png') })
}, 120_000)

/** Checks that a screen shows no spinner and no message that something is loading. */
async function isAtRest(page: Page, address: string): Promise<void> {
  await go(page, address)
  await page
    .getByRole('heading', { level: 1 })
    .first()
    .waitFor({ state: 'attached', ...patience })
  const busy = page.locator('main [aria-busy=true], main progress:not([value])')
  const asking = page.locator('main').getByText(/^Refreshing|^Asking|Looking |Loading/)
  await expect
    .poll(async () => (await busy.count()) + (await asking.count()), { ...patience, message: address })
    .toBe(0)
}

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
