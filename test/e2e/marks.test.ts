import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings, findingsInBothThemes } from './axe.ts'
import { announced, choose, face, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }
const bitcoin = {
  exchange: venues.first,
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
} as const

/** Opens a window whose chart has two days of hourly rows of a column. */
async function openChart(dataset: string, column: string): Promise<Page> {
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const client = desk.app.clientFor(fakeHost())
  const { exchange, symbol, interval, timestamp } = bitcoin
  const request = { datasets: [dataset], exchanges: [exchange], symbols: [symbol], intervals: [interval] }
  await client.call('downloads.enqueue', {
    request: { ...request, timestamps: [timestamp], startDay: '2026-08-03', endDay: '2026-08-04' },
  })
  await expect.poll(async () => (await client.call('downloads.progress', {})).counts.done, patience).toBe(2)
  const { page } = await openWindow(desk.host.url, { expected: /willReadFrequently/ })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await show(page, new URLSearchParams({ show: JSON.stringify([{ dataset, column, ...bitcoin }]) }))
  await page.getByRole('application').waitFor(patience)
  return page
}

const show = (page: Page, query: URLSearchParams) =>
  page.evaluate((to) => (location.hash = `#/workbench?${to}`), String(query))

/** Chooses an entry of the menu of all that is drawn beside lines. */
async function mark(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: /Marks$/ }).click()
  await page.getByRole('menuitemcheckbox', { name: title }).click()
}

it('shows the values in view as histogram, as boxes and as a line again, by menu, panel and key', async () => {
  const page = await openChart('flow', 'volume_delta')
  await page.getByRole('button', { name: /Marks$/ }).click()
  await page.getByRole('menu').waitFor(patience)
  expect(await findingsInBothThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await mark(page, 'Histogram of the values in view')
  const histogram = page.getByRole('region', { name: /^Distribution of a Volume delta/ })
  await histogram.getByRole('img').waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  const chosen = page.getByText('histogram', { exact: true })
  expect(await chosen.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
  await choose(page, 'What Pane 1 shows', 'by hour')
  const boxes = page.getByRole('region', { name: /by hour \(UTC\)/ })
  await boxes.getByRole('img').focus()
  await page.keyboard.press('Home')
  await boxes.getByRole('status').getByText(/^00/).waitFor(patience)
  await page.getByRole('button', { name: /Marks$/ }).focus()
  await page.keyboard.press('ArrowDown')
  const checked = page.getByRole('menuitemcheckbox', { name: 'Boxes by hour', checked: true })
  await checked.focus()
  await page.keyboard.press('Enter')
  await boxes.waitFor({ state: 'detached', ...patience })
  await page.locator('.chart-canvas canvas').waitFor(patience)
})

it('fills a line to zero and between two, and copies a link that opens the same picture', async ({ skip }) => {
  skip(face === 'electron', 'the clipboard belongs to the desktop')
  const page = await openChart('flow', 'volume_delta')
  await mark(page, 'Fill a to zero')
  await page.getByRole('button', { name: 'Formula' }).click()
  const formula = page.getByRole('textbox', { name: 'Formula' })
  await formula.fill('sma(a, 5)')
  await choose(page, 'Add to', 'pane 1')
  await formula.press('Enter')
  await formula.waitFor({ state: 'detached' })
  await mark(page, 'Fill between a and b')
  await page.keyboard.press('s')
  await formula.fill('a > 0')
  await formula.press('Enter')
  const figures = page.getByRole('list', { name: 'Background shading' })
  await figures.getByText(/% of the time/).waitFor(patience)
  const said = await figures.textContent()

  const copied = page.evaluate(
    () => new Promise<string>((done) => (navigator.clipboard.writeText = async (text) => done(text))),
  )
  await announced(page, 'Copied a link that opens this chart', async () => {
    await page.getByRole('button', { name: /Export$/ }).click()
    await page.getByRole('menuitem', { name: 'Copy link to this chart' }).click()
  })
  const query = new URLSearchParams((await copied).split('?')[1])
  query.set('name', 'From a colleague')
  await show(page, query)
  const tab = page.getByRole('navigation', { name: 'Quick looks' }).getByRole('button', { name: 'From a colleague' })
  await tab.and(page.locator('[aria-current]')).waitFor(patience)
  await expect.poll(() => figures.textContent(), patience).toBe(said)
  await page.getByRole('button', { name: /Marks$/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Fill between a and b', checked: true }).waitFor(patience)
  await page.keyboard.press('Escape')

  await announced(page, /^The chart of the link could not be opened\. The link is incomplete/, () =>
    show(page, new URLSearchParams({ show: '{"version":1,"panes":[' })),
  )
})
