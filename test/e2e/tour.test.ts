import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { testNowMs } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import {
  announced,
  artifactsDir,
  openBlankPage,
  openSandboxDesk,
  openWindow,
  savedFile,
  useBrowser,
} from './harness.ts'

useBrowser()

const patience = { timeout: 60_000 }
const folder = join(artifactsDir, 'tour')
const sizes = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
]
/** How a stop is shown: each theme and each size once. */
const looks = [
  { colorScheme: 'light', viewport: sizes[1] },
  { colorScheme: 'dark', viewport: sizes[0] },
] as const

/** Takes screenshots of a stop of the tour, under fixed names. */
async function show(page: Page, name: string): Promise<void> {
  // All at once, because a message may go away by itself before a pointer has reached its button.
  await page
    .getByRole('button', { name: 'Close message' })
    .evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()))
  expect(await page.locator('body').innerText(), name).not.toMatch(/\bNaN\b|\bundefined\b|\[object/)
  for (const { colorScheme, viewport } of looks) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForFunction((theme) => document.documentElement.dataset.theme === theme, colorScheme)
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50))))
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `${name} is wider than its window of ${viewport.width}`).toBeLessThanOrEqual(0)
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${viewport.width}.png`) })
  }
}

/** Screens that are tabs of one place of the rail. */
const placeOf: Readonly<Record<string, string>> = { Catalog: 'Data', Coverage: 'Data', Quality: 'Data' }

async function openScreen(page: Page, name: string): Promise<void> {
  const place = placeOf[name] ?? name
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: place, exact: true }).click()
  if (place === name) return
  await page.getByRole('navigation', { name: place }).getByRole('link', { name, exact: true }).click()
}
const openTab = (page: Page, name: string) =>
  page.getByRole('main').getByRole('link', { name, exact: true }).first().click()

async function saved(page: Page, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const { name, path } = await savedFile(page, press)
  return { name, bytes: readFileSync(path) }
}

async function firstMinute(page: Page, address: string): Promise<void> {
  await announced(page, '30 files downloaded', async () => {
    await page.goto(address)
    await page.getByRole('heading', { name: 'Explore sample data' }).waitFor()
    await page.getByRole('application', { name: /^Sample.*candles.*Order flow/ }).waitFor()
  })
  await show(page, '01-first-minute')
  await page.getByRole('button', { name: 'Hide the first steps' }).click()
  await show(page, '02-workbench')
}

async function explore(page: Page): Promise<void> {
  await openScreen(page, 'Catalog')
  await page.getByRole('searchbox', { name: 'Search datasets' }).fill('toxicity')
  await page.getByRole('link', { name: 'Flow toxicity' }).click()
  await page.getByRole('grid', { name: 'Columns of Order flow' }).waitFor()
  await show(page, '03-catalog')
  await openScreen(page, 'Coverage')
  await page.getByRole('searchbox', { name: 'Filter by symbol' }).fill('AVAX')
  await page.getByRole('gridcell', { name: 'trades', exact: true }).first().click()
  await page.getByRole('img', { name: /Calendar of files/ }).waitFor()
  await show(page, '04-coverage')
}

/** Downloads a day of trades and quotes, and the hourly metrics of the same symbol. */
async function download(page: Page): Promise<void> {
  await page.evaluate((exchange) => {
    const symbol = encodeURIComponent('perpetual-AVAX-USDT:USDT')
    location.hash = `#/downloads/new?kind=raw&dataset=trades&exchange=${exchange}&symbol=${symbol}&start=2026-08-30&end=2026-08-30`
  }, venues.first)
  const send = page.getByRole('button', { name: 'Download 1 file' })
  await send.waitFor()
  await show(page, '05-composer')
  await send.click()
  await page.getByRole('link', { name: 'History 31', exact: true }).click()
  await page.getByRole('grid', { name: 'Downloads: History' }).waitFor()
  await show(page, '06-downloads')
}

async function portfolios(page: Page): Promise<void> {
  await openScreen(page, 'Portfolios')
  await page.getByRole('button', { name: 'momentum_ls.20', exact: true }).click()
  await page.getByRole('button', { name: 'Sharpe', exact: true }).waitFor()
  await show(page, '07-portfolio')
  await openTab(page, 'Weights')
  await page.getByRole('button', { name: 'Turnover, two-way', exact: true }).waitFor()
  await show(page, '08-weights')
  await openTab(page, 'Prices')
  await page.getByRole('textbox', { name: 'Tickers' }).fill('BTC, ETH, SOL')
  await page.getByRole('textbox', { name: 'Tickers' }).press('Enter')
  await page.getByRole('region', { name: 'Correlation of daily price changes' }).first().waitFor()
  await show(page, '09-prices')
}

/** Shows the report of the board, which is light in both themes because it is made for paper. */
async function showReport(bytes: Buffer): Promise<void> {
  const opened = await openBlankPage()
  await opened.setContent(bytes.toString())
  await opened.getByRole('img', { name: /Price/ }).first().waitFor()
  for (const viewport of sizes) {
    await opened.setViewportSize(viewport)
    await opened.screenshot({ path: join(folder, `22-report-light-${viewport.width}.png`) })
  }
  await opened.close()
}

/** Visits the screens of research with the data of the sample. */
async function research(page: Page): Promise<void> {
  await openScreen(page, 'Watch')
  await page.getByRole('grid', { name: 'Watched symbols' }).getByText('BTC').first().waitFor()
  await show(page, '16-watch')
  await openScreen(page, 'Quality')
  await page.getByRole('heading', { name: 'All clean' }).waitFor()
  await show(page, '17-quality')
  await openScreen(page, 'Lab')
  await page.getByText('Funding carry').first().waitFor()
  await show(page, '18-lab')
  await openScreen(page, 'SQL')
  await page.getByText('Last funding by symbol').first().waitFor()
  await show(page, '19-sql')
  await page.getByRole('button', { name: 'New query' }).click()
  const query = page.getByRole('textbox', { name: 'Query' })
  await query.fill(
    'SELECT time, sum(volume_delta) OVER (ORDER BY time) AS cumulative_volume_delta\nFROM metrics.flow\nORDER BY time',
  )
  await query.press('Control+Enter')
  await page.getByText(/rows in/).waitFor()
  await page.getByText('Chart', { exact: true }).click()
  await page.getByRole('img', { name: 'cumulative_volume_delta (base asset) over time' }).waitFor()
  await show(page, '20-sql-chart')
  await openScreen(page, 'Boards')
  await page.getByRole('button', { name: /^Morning look/ }).click()
  await page.getByRole('img', { name: 'Price' }).waitFor()
  await page.getByRole('article', { name: 'Moves within a day' }).getByRole('cell', { name: '5m' }).first().waitFor()
  await show(page, '21-board')
  const report = await saved(page, () => page.getByRole('button', { name: 'Save as report' }).click())
  await showReport(report.bytes)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('heading', { name: 'Checks' }).waitFor()
  await show(page, '23-inbox')
}

async function rawEvents(page: Page): Promise<void> {
  await openScreen(page, 'Raw events')
  await openTab(page, 'Rows')
  await page
    .getByRole('grid', { name: /^Events of trades/ })
    .getByRole('gridcell')
    .first()
    .waitFor()
  await show(page, '10-raw-rows')
  await openTab(page, 'Latency')
  await page.getByRole('img', { name: /Distribution of the latency/ }).waitFor()
  await show(page, '11-latency')
}

async function exportFiles(page: Page): Promise<void> {
  await openScreen(page, 'Workbench')
  await page.getByRole('application', { name: /^Sample/ }).waitFor()
  const exportAs = (item: string) => async () => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const picture = await saved(page, exportAs('PNG'))
  expect(picture.bytes.subarray(1, 4).toString()).toBe('PNG')
  const rows = await saved(page, exportAs('Visible range as CSV'))
  expect(rows.bytes.toString().split('\n').length).toBeGreaterThan(100)
}

async function settings(page: Page): Promise<void> {
  await openScreen(page, 'Settings')
  await openTab(page, 'Connections')
  await page.getByText('Sandbox').first().waitFor()
  await show(page, '12-connections')
  await openTab(page, 'Cache')
  await page.getByRole('row', { name: /^funding 10/ }).waitFor()
  await show(page, '13-cache')
  await openScreen(page, 'Guide')
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await show(page, '14-guide')
}

async function offline(page: Page): Promise<void> {
  await page.getByRole('switch', { name: 'Online' }).click()
  await page.getByRole('status').getByText('Offline.').waitFor()
  await openScreen(page, 'Workbench')
  await page.getByRole('application', { name: /^Sample/ }).waitFor()
  await show(page, '15-offline')
  // The first click on Portfolios returns to the prices, the second to the start screen.
  await openScreen(page, 'Portfolios')
  await page.getByRole('textbox', { name: 'Tickers' }).waitFor()
  await openScreen(page, 'Portfolios')
  await page.getByRole('button', { name: 'momentum_ls.20', exact: true }).click()
  await page.getByRole('button', { name: 'Sharpe', exact: true }).waitFor()
  await openScreen(page, 'Coverage')
  await page.getByText('Cached on').first().waitFor()
  await page.getByRole('button', { name: 'Go online' }).click()
}

it('leads a newcomer from the first start through every screen, to exports, and offline', async () => {
  mkdirSync(folder, { recursive: true })
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const { page } = await openWindow('about:blank')
  page.setDefaultTimeout(patience.timeout)
  // The sandbox, the core and the window use the same day.
  await page.clock.setFixedTime(testNowMs)
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  void desk.app.firstScreen.then(desk.app.fetchSampleOnce)

  await firstMinute(page, desk.host.url)
  await explore(page)
  await download(page)
  await portfolios(page)
  await rawEvents(page)
  await research(page)
  await exportFiles(page)
  await settings(page)
  await offline(page)
}, 240_000)
