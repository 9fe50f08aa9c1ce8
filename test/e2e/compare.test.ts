import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, openSandboxDesk, openWindow, useBrowser, type Desk } from './harness.ts'

useBrowser()

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 })
const perpetual = (asset: string) => `perpetual-${asset}-USDT:USDT`
const cached = ['BTC', 'ETH', 'SOL', 'XRP']

/** Opens a desk with two days of hourly candles of some symbols of two venues. */
async function openDeskWithSymbols(): Promise<Desk> {
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const client = desk.app.clientFor(fakeHost())
  await client.call('downloads.enqueue', {
    request: {
      datasets: ['ohlcv'],
      exchanges: [venues.first, venues.second],
      symbols: cached.map(perpetual),
      intervals: ['1h'],
      timestamps: ['exchange'],
      startDay: '2026-08-04',
      endDay: '2026-08-05',
    },
  })
  await eventually(async () => {
    const { counts } = await client.call('downloads.progress', {})
    return counts.queued + counts.running + counts.waiting
  }).toBe(0)
  return desk
}

async function openChart(desk: Desk): Promise<Page> {
  const { page } = await openWindow(desk.host.url, { expected: /willReadFrequently/ })
  await page.getByRole('heading', { name: 'No chart is open' }).waitFor()
  const bitcoin = { exchange: venues.first, symbol: perpetual('BTC'), interval: '1h', timestamp: 'exchange' }
  const show = JSON.stringify([{ dataset: 'ohlcv', ...bitcoin }])
  await page.evaluate((to) => (location.hash = `#/workbench?show=${encodeURIComponent(to)}`), show)
  await page.getByRole('application').waitFor()
  return page
}

it('compares pasted symbols in one pane and as small multiples, all by keyboard', async () => {
  const page = await openChart(await openDeskWithSymbols())
  await page.keyboard.press('v')
  const dialog = page.getByRole('dialog', { name: 'Compare' })
  const options = dialog.getByRole('option')
  await eventually(() => options.first().textContent()).toMatch(/\d$/)
  await page.keyboard.type('eth, SOL nosuch')
  await page.keyboard.press('Enter')
  await dialog.getByText('Not found: nosuch').waitFor()
  const selected = () => dialog.getByRole('option', { selected: true }).allTextContents()
  // A heading says how the list is sorted, and those of figures stand over them.
  await dialog.getByRole('button', { name: 'Symbol most traded first', pressed: true }).waitFor()
  const rightOf = (text: Locator) =>
    text.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return Math.round(range.getBoundingClientRect().right)
    })
  const figure = options.first().locator('.figure').last()
  expect(await rightOf(dialog.getByRole('button', { name: 'Change %' }))).toBe(await rightOf(figure))
  // Majors come first, by what they turned over here.
  expect((await selected()).map((text) => /✓([A-Z]{3})/.exec(text)?.[1]).toSorted()).toEqual(['BTC', 'ETH', 'SOL'])
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'compare-dialog-dark-1280.png') })
  await page.keyboard.press('Control+Enter')

  const legend = page.locator('.chart-legend').nth(1)
  await eventually(() => legend.getByRole('listitem').count()).toBe(3)
  expect(await legend.textContent()).toContain('start of view = 100')
  expect(await page.getByRole('application').count()).toBe(1)

  // The list is used with the arrow keys and Space; clicking the heading sorts the list, and the panes open in that
  // order.
  await page.keyboard.press('v')
  await eventually(() => options.first().textContent()).toMatch(/\d$/)
  await dialog.getByRole('button', { name: 'Change %' }).press('Enter')
  await dialog.getByRole('listbox', { name: 'Symbols to compare' }).focus()
  const wanted = await options.evaluateAll((all) =>
    all.slice(0, 4).map((each) => /[A-Z]{3}/.exec(each.textContent)![0]),
  )
  expect(wanted.toSorted()).toEqual(cached)
  for (let row = 0; row < 4; row += 1) {
    const isOn = (await options.nth(row).getAttribute('aria-selected')) === 'true'
    if (!isOn) await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
  }
  await dialog.getByRole('radio', { name: 'Small multiples' }).press('Space')
  await dialog.getByRole('button', { name: 'Add 4 series' }).press('Enter')
  await eventually(() => page.getByRole('application').count()).toBe(2)
  await eventually(() => page.locator('.chart-legend').count()).toBe(6)
  const panes = await page
    .getByRole('region')
    .evaluateAll((all) =>
      all.flatMap((each) => (each.ariaLabel?.startsWith('Pane') ? /· ([A-Z]+) ·/.exec(each.textContent)![1] : [])),
    )
  expect(panes).toEqual(['BTC', ...wanted])
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'compare-multiples-dark-1280.png') })

  // The grid is saved in the workspace, and one menu entry puts the panes below each other again.
  await page.reload()
  await eventually(() => page.getByRole('application').count()).toBe(2)
  await page.getByRole('button', { name: 'Arrange panes and series' }).click()
  await page.getByText('Panes in 1 column').click()
  await eventually(() => page.getByRole('application').count()).toBe(1)
})

it('saves what is ticked as a list, and ticks the symbols of a list at its venues', async () => {
  const desk = await openDeskWithSymbols()
  const page = await openChart(desk)
  const dialog = page.getByRole('dialog', { name: 'Compare' })
  const ticked = async () =>
    (await dialog.getByRole('option', { selected: true }).allTextContents()).map(
      (text) => /✓([A-Z]{3})/.exec(text)?.[1],
    )
  await page.keyboard.press('v')
  await eventually(() => dialog.getByRole('option').first().textContent()).toMatch(/\d$/)
  await page.keyboard.type('eth, sol')
  await page.keyboard.press('Enter')
  await eventually(async () => (await ticked()).toSorted()).toEqual(['BTC', 'ETH', 'SOL'])
  await dialog.getByRole('button', { name: 'Save as list …' }).press('Enter')
  const saving = page.getByRole('dialog', { name: 'Save selection as list' })
  await page.keyboard.type('three')
  await page.keyboard.press('Enter')
  await saving.waitFor({ state: 'hidden' })
  const client = desk.app.clientFor(fakeHost())
  const listed = await client.call('lists.list', { connectionId: '' })
  expect(listed.map(({ list, exchange, symbol }) => [list, exchange, symbol]).toSorted()).toEqual(
    ['BTC', 'ETH', 'SOL'].map((asset) => ['three', venues.first, perpetual(asset)]),
  )

  // The comparison is still open; the symbols of a list replace the ticked ones.
  const text = `list,exchange,symbol\nboth,${venues.first},${perpetual('XRP')}\nboth,${venues.second},${perpetual('ETH')}\n`
  await client.call('lists.import', { text })
  await dialog.getByRole('combobox', { name: 'List' }).click()
  await page.getByText('both', { exact: true }).click()
  await eventually(async () => (await ticked()).toSorted()).toEqual(['ETH', 'XRP'])
  await dialog.getByRole('button', { name: 'Add 2 series' }).press('Enter')
  await eventually(() => page.locator('.chart-legend').nth(1).getByRole('listitem').count()).toBe(2)
})

it('scans all symbols by formulas too, saves the scan, and sends rows to the chart, a download and the Lab', async () => {
  const page = await openChart(await openDeskWithSymbols())
  await page.keyboard.press('3')
  await page.getByRole('button', { name: 'Formula columns …' }).press('Enter')
  const columns = page.getByRole('dialog', { name: 'Formula columns' })
  await columns.getByRole('textbox', { name: 'Name' }).fill('range %')
  await columns.getByRole('textbox', { name: 'Formula' }).fill('(high - low) / close * 100')
  await columns.getByRole('button', { name: 'Save columns' }).press('Enter')
  const table = page.getByRole('grid', { name: 'Symbols' })
  await table.getByText('SOL', { exact: true }).waitFor()
  await columns.waitFor({ state: 'hidden' })
  const headers = await table.getByRole('columnheader').allTextContents()
  for (const title of ['z-score', 'Percentile', 'range %, z', 'range %, percentile'])
    expect(headers.some((header) => header.startsWith(title))).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'scan-dark-1280.png') })

  await page.getByRole('button', { name: 'Saved scans', exact: true }).click()
  await page.getByText('Save scan …').click()
  const naming = page.getByRole('dialog', { name: 'Save scan in this workspace' })
  await naming.getByRole('textbox').fill('hourly range')
  await naming.getByRole('textbox').press('Enter')
  // The dialog returns the focus only after it has faded out; a dialog opened before that would lose the focus.
  await naming.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Saved scans' }).getByText('hourly range').waitFor()

  // The scan stays as it was when the user leaves its tab and returns, including a formula that is not saved.
  await page.getByRole('button', { name: 'Formula columns (1) …' }).press('Enter')
  await columns.getByRole('textbox', { name: 'Formula' }).fill('(high - low) / open * 100')
  await columns.getByRole('button', { name: 'Save columns' }).press('Enter')
  await columns.waitFor({ state: 'hidden' })
  await page.keyboard.press('2')
  await table.waitFor({ state: 'detached' })
  await page.keyboard.press('3')
  await table.getByText('SOL', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Formula columns (1) …' }).press('Enter')
  expect(await columns.getByRole('textbox', { name: 'Formula' }).inputValue()).toBe('(high - low) / open * 100')
  await page.keyboard.press('Escape')

  // The scan is saved in the workspace: after a reload it is still listed, and opening it scans again with its columns.
  await page.reload()
  await page.getByRole('button', { name: 'Saved scans' }).click()
  await page.getByText('hourly range').click()
  await table.getByText('SOL', { exact: true }).waitFor()
  expect((await table.getByRole('columnheader').allTextContents()).some((each) => each.startsWith('range %'))).toBe(
    true,
  )

  // One download fetches all symbols of the venue that are not cached, over the range of the scan.
  await page.getByRole('button', { name: 'Download all …' }).click()
  await page.waitForURL(/downloads\/new\?.*start=2026-08-0\d/)
  await page.goBack()
  await page.getByRole('button', { name: 'Scan', exact: true }).press('Enter')
  await table.getByText('SOL', { exact: true }).waitFor()
  // The table may still show the scan before, whose rows are replaced when this one ends.
  const chartAll = page.getByRole('button', { name: 'Chart 4' })
  await eventually(async () => {
    await table.focus()
    await page.keyboard.press('Control+a')
    return chartAll.isVisible()
  }).toBe(true)
  await chartAll.press('Enter')
  await eventually(() => page.locator('.chart-legend').nth(1).getByRole('listitem').count()).toBe(4)

  await page.keyboard.press('3')
  await page.getByRole('button', { name: 'Scan', exact: true }).press('Enter')
  await table.getByText('SOL', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Study', exact: true }).press('Enter')
  await page.waitForURL(/#\/lab\//)
  await page.getByText('ohlcv.close').first().waitFor()
})
