import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { get } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, choose, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const day = '2026-08-30'
const exchange = venues.first
const symbol = 'perpetual-AVAX-USDT:USDT'
const patience = { timeout: 30_000 }

/** Opens a desk on the sandbox; files of its raw events are on disk but not in the cache. */
async function openRawDesk() {
  const desk = await openSandboxDesk()
  const folder = temporaryFolder()
  for (const dataset of ['trades', 'quotes']) {
    const { files } = await desk.sandbox.rawFiles({ dataset, exchange, symbol, start: day })
    writeFileSync(join(folder, `${dataset}_${exchange}_${symbol}_${day}.parquet`), (await get(files[0].url)).bytes)
  }
  writeFileSync(join(folder, 'table.parquet'), 'exchange_timestamp,price\n')
  return { desk, folder, client: desk.app.clientFor(fakeHost()) }
}

/** Downloads the served metric file for the day of the raw events. */
async function downloadServed({ desk, client }: Awaited<ReturnType<typeof openRawDesk>>) {
  const request = {
    datasets: ['ohlcv'],
    exchanges: [exchange],
    symbols: [symbol],
    intervals: ['1h'],
    startDay: day,
    endDay: day,
  }
  await client.call('downloads.enqueue', { request })
  desk.app.runDownloads()
  await expect.poll(async () => (await client.call('cache.list', { kind: 'metrics' })).files.length, patience).toBe(1)
}

/** Waits until the window shows its first screen, because an address that is set earlier would be lost. */
const waitForStart = (page: Page) => expect.poll(() => page.title(), patience).toBe('Workbench · Perpscope')
const go = async (page: Page, address: string) => {
  await page.evaluate((to) => (location.hash = `#/${to}`), address)
  await expect.poll(() => page.title(), patience).toMatch(/Raw events · Perpscope$/)
}
const shot = (page: Page, name: string) => page.screenshot({ path: join(artifactsDir, `raw-${name}.png`) })

it('imports files, shows their rows, computes from them, and compares with what is served', async () => {
  const world = await openRawDesk()
  const { desk, folder } = world
  const { page } = await openWindow(desk.host.url)
  page.setDefaultTimeout(30_000)
  await waitForStart(page)
  await go(page, 'raw/import')
  await page.getByRole('button', { name: 'Open …' }).waitFor()
  await desk.app.receiveFiles([folder])
  await page
    .getByRole('row', { name: /table.parquet/ })
    .getByText('not a Parquet file')
    .waitFor()
  await page
    .getByRole('row', { name: /trades_/ })
    .getByText('no problems found')
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'import-dark')
  await page.getByRole('button', { name: 'Import 2 of 3 files' }).click()
  await page.getByText(/✓ 2 files of/).waitFor()
  await page.getByRole('link', { name: 'Rows', exact: true }).last().click()
  await choose(page, 'Dataset', 'trades')

  const grid = page.getByRole('grid', { name: `Events of trades ${day}` })
  await grid.getByRole('gridcell', { name: '1', exact: true }).first().waitFor()
  await page.getByRole('textbox', { name: 'Go to' }).fill('13:45')
  await page.getByRole('button', { name: 'Go', exact: true }).click()
  await grid
    .getByRole('gridcell', { name: /13:4[56]:/ })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await choose(page, 'Side', 'sell')
  await expect.poll(() => page.locator('.raw output').innerText(), patience).toMatch(/ of /)
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'rows-dark')

  await downloadServed(world)
  await go(page, 'raw/compute')
  await page.getByRole('combobox', { name: 'Interval' }).fill('7h')
  await page.getByText('that divides a day').first().waitFor()
  await page.getByRole('combobox', { name: 'Interval' }).fill('1h')
  await page.getByRole('button', { name: 'Compute', exact: true }).click()
  await page.getByText('Computed here:').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'compute-dark')
  await page.getByRole('link', { name: 'Compare ohlcv 1h with values from the service' }).click()
  await page.getByText('All values agree').waitFor()
  await page.getByRole('button', { name: '✓ close' }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'reconcile-dark')
})

it('shows the catalog, the conditions and the latency of a day, and draws trades over quotes, in the light theme', async () => {
  const { desk, folder, client } = await openRawDesk()
  await desk.app.receiveFiles([folder])
  const { files } = await client.call('raw.inspect', {})
  const good = files.filter(({ rows }) => rows !== null).map(({ id }) => ({ id, exchange, symbol }))
  await client.call('raw.import', { files: good })
  const { page } = await openWindow(desk.host.url, { colorScheme: 'light', viewport: { width: 1920, height: 1080 } })
  page.setDefaultTimeout(30_000)
  await waitForStart(page)
  await go(page, 'raw/catalog')
  await page.getByRole('heading', { name: /Open interest/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'catalog-light')
  await go(page, 'raw/files?dataset=quotes')
  await page.getByRole('row', { name: /Longest gap/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'files-light')
  await go(page, 'raw/latency')
  await page.getByRole('img', { name: /Distribution of the latency/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'latency-light')
  await go(page, 'raw/tape')
  await page.getByText(/\d trades: bought/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await shot(page, 'tape-light')
})
