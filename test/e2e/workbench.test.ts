import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { ParquetFile } from '#core/parquet/parquetFile.ts'
import { openStore } from '#core/store/store.ts'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import {
  announced,
  artifactsDir,
  choose,
  openSandboxDesk,
  openWindow,
  savedFile,
  useBrowser,
  type Desk,
} from './harness.ts'

useBrowser()

const bitcoin = {
  exchange: venues.first,
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
} as const
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 })

/** Opens a desk on the sandbox whose cache has hourly candles of 3 and 5 August, but not of the day between. */
async function openDeskWithDays(): Promise<Desk> {
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const client = desk.app.clientFor(fakeHost())
  for (const day of ['2026-08-03', '2026-08-05']) {
    const { exchange, symbol, interval, timestamp } = bitcoin
    const request = { datasets: ['ohlcv'], exchanges: [exchange], symbols: [symbol], intervals: [interval] }
    await client.call('downloads.enqueue', {
      request: { ...request, timestamps: [timestamp], startDay: day, endDay: day },
    })
  }
  await eventually(async () => (await client.call('downloads.progress', {})).counts.done).toBe(2)
  return desk
}

async function openChart(desk: Desk, options: Parameters<typeof openWindow>[1] = {}): Promise<Page> {
  // The browser warns that pixels are read often; the warning is expected.
  const { page } = await openWindow(desk.host.url, { expected: /willReadFrequently/, ...options })
  await page.getByRole('heading', { name: 'No chart is open' }).waitFor()
  const show = JSON.stringify([{ dataset: 'ohlcv', ...bitcoin }])
  await page.evaluate((to) => (location.hash = `#/workbench?show=${encodeURIComponent(to)}`), show)
  await page.getByRole('application').waitFor()
  await page.locator('.chart-canvas canvas').first().waitFor()
  return page
}

/**
 * Returns the share of pixel columns that contain any of these colours of the theme, between two fractions of the
 * plot's width.
 */
const inkShare = (page: Page, from: number, to: number, names: string[], pane = 0) =>
  page.evaluate(
    ([start, end, colours, at]) => {
      const canvas = document.querySelectorAll<HTMLCanvasElement>('.chart-canvas canvas')[at]
      const overlay = document.querySelectorAll<HTMLElement>('.chart-overlay')[at]
      const style = getComputedStyle(canvas)
      const wanted = colours.map((name) => {
        const hex = style.getPropertyValue(name).trim()
        return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
      })
      const scale = canvas.width / canvas.offsetWidth
      const left = Math.round((overlay.offsetLeft + overlay.offsetWidth * start) * scale)
      const width = Math.round(overlay.offsetWidth * (end - start) * scale)
      const { data } = canvas.getContext('2d')!.getImageData(left, 0, width, canvas.height)
      const columns = new Set<number>()
      for (let at = 0; at < data.length; at += 4)
        if (wanted.some((colour) => colour.every((part, channel) => Math.abs(part - data[at + channel]) < 24)))
          columns.add((at / 4) % width)
      return columns.size / width
    },
    [from, to, names, pane] as const,
  )
const candleInk = ['--positive', '--negative']

it('draws candles with a day missing, fetches it from the chart, and finds all again after a reload', async () => {
  const desk = await openDeskWithDays()
  const page = await openChart(desk)
  // Three days are in view; the middle one is shaded and has no candles.
  await eventually(() => inkShare(page, 0.02, 0.31, candleInk)).toBeGreaterThan(0.3)
  expect(await inkShare(page, 0.69, 0.98, candleInk)).toBeGreaterThan(0.3)
  expect(await inkShare(page, 0.36, 0.64, candleInk)).toBe(0)
  const strip = page.getByRole('img', { name: /^Coverage/ })
  expect(await strip.getAttribute('aria-label')).toContain('available, not downloaded: 2026-08-04')
  await page.screenshot({ path: join(artifactsDir, 'workbench-gap-dark-1280.png') })
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  await eventually(() => inkShare(page, 0.36, 0.64, candleInk)).toBeGreaterThan(0.3)
  await eventually(() => strip.getAttribute('aria-label')).not.toContain('available')

  await choose(page, 'Scale of Pane 1', 'log')
  await page.locator('.chart-legend').getByText('log', { exact: true }).waitFor()
  expect(await inkShare(page, 0.02, 0.98, candleInk)).toBeGreaterThan(0.3)

  await page.getByRole('button', { name: 'Formula' }).click()
  const field = page.getByRole('textbox', { name: 'Formula' })
  await field.fill('sma(a, 5) - bogus')
  await page.getByText('Character 13: There is no series bogus.').waitFor()
  expect(await page.locator('mark').innerText()).toBe('bogus')
  expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await field.fill('sma(a, 5)')
  await page.keyboard.press('Enter')
  // A formula gets its own pane; undo removes the pane, and redo adds it again.
  await eventually(() => page.locator('.chart-canvas canvas').count()).toBe(2)
  await eventually(() => inkShare(page, 0.2, 0.98, ['--series-2'], 1)).toBeGreaterThan(0.5)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await eventually(() => page.locator('.chart-canvas canvas').count()).toBe(1)
  await page.getByRole('button', { name: 'Redo', exact: true }).click()
  await eventually(() => inkShare(page, 0.2, 0.98, ['--series-2'], 1)).toBeGreaterThan(0.5)
  await page.screenshot({ path: join(artifactsDir, 'workbench-formula-dark-1280.png') })

  // The Relationships tab compares the candles with their mean, and shows the number of pairs of rows.
  await page.getByRole('link', { name: 'Relationships', exact: true }).click()
  await page.getByRole('heading', { name: 'a against b' }).waitFor()
  const cards = page.locator('.relationships .stat')
  await eventually(() => cards.filter({ hasText: /^Pairs/ }).innerText()).toMatch(/Pairs\s+\d+/)
  await page.getByRole('button', { name: /a and b: 0\.\d+, \d+ pairs$/ }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('link', { name: 'Chart', exact: true }).click()
  await page.locator('.chart-canvas canvas').first().waitFor()

  // The workspace is saved automatically: the menu lists it with its two series, and it survives a reload.
  await page.getByRole('button', { name: /^Keep OHLC.* as a workspace$/ }).click()
  await page.getByRole('button', { name: /^Workspace: OHLC/ }).click()
  await page.getByRole('menuitemradio', { name: /OHLC.*2 series/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.reload()
  await page.locator('.chart-legend .name').getByText('sma(a, 5)').waitFor()
  await page.locator('.chart-legend').getByText('log', { exact: true }).waitFor()
  await eventually(() => inkShare(page, 0.02, 0.98, candleInk)).toBeGreaterThan(0.3)

  for (const poison of poisonDesk(desk)) {
    await page.evaluate((id) => localStorage.setItem('perpscope.workspace', JSON.stringify(id)), poison.id)
    await page.reload()
    // The window stays responsive: its menu opens, and a valid workspace opens from that menu.
    const refusal = new RegExp(`“${poison.name}” (is damaged|cannot be opened)`)
    if (poison.name !== 'Doubling') await page.getByText(refusal).first().waitFor()
    else
      await page.getByText('The formula is too long once the formulas it refers to are written out.').first().waitFor()
    await page.getByRole('button', { name: /^Workspace/ }).click()
    await page.getByRole('menuitemradio', { name: /OHLC.*2 series/ }).click()
    await page.locator('.chart-legend .name').getByText('sma(a, 5)').waitFor()
  }
})

it('locks an axis, makes it robust and draws a level from the menu of a pane, undone one by one and kept', async () => {
  const page = await openChart(await openDeskWithDays())
  const chart = page.getByRole('application')
  const legend = page.locator('.chart-legend')
  await eventually(() => inkShare(page, 0.02, 0.31, candleInk)).toBeGreaterThan(0.3)
  const menuItem = async (name: string | RegExp) => {
    // A dialog returns the focus only after it has faded out, and that would close a menu opened meanwhile.
    await eventually(() => page.getByRole('dialog').count()).toBe(0)
    await chart.focus()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menu').waitFor()
    return page.getByRole('menuitem', { name }).or(page.getByRole('menuitemcheckbox', { name }))
  }
  await (await menuItem('Lock left axis')).click()
  await legend.getByText('locked left axis').waitFor()
  await eventually(() => chart.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('End')
  await page.keyboard.press('Shift+ArrowLeft')
  await (await menuItem(/^Draw level at/)).click()
  const drawing = page.getByRole('button', { name: /^Drawing: / })
  await drawing.waitFor()
  await drawing.click()
  await page.getByRole('textbox', { name: 'Label of the drawing' }).fill('support')
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Drawing: support · / }).waitFor()

  await (await menuItem('Set left axis …')).click()
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('nothing')
  await page.getByText('Enter two numbers').waitFor()
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('1')
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('1000000')
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Lock', exact: true }).click()
  const axis = page.getByRole('slider', { name: /^Left axis/ })
  await eventually(() => axis.getAttribute('aria-valuemax')).toBe('1000000')

  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await undo.click()
  await eventually(() => axis.getAttribute('aria-valuemax')).not.toBe('1000000')
  await undo.click()
  await eventually(() => drawing.getAttribute('aria-label')).not.toContain('support')
  await page.getByRole('button', { name: 'Redo', exact: true }).click()
  await page.getByRole('tab', { name: 'Notes' }).click()
  await page.getByRole('list', { name: 'Drawings' }).getByText('support').waitFor()
  await page.reload()
  await legend.getByText('locked left axis').waitFor()
  await page.getByRole('button', { name: /^Drawing: support · / }).waitFor()
  await page.getByRole('button', { name: 'Remove drawing: support' }).click()
  await eventually(() => drawing.count()).toBe(0)
})

it('previews a formula, saves it as a function, and stores what the function stands for', async () => {
  const page = await openChart(await openDeskWithDays())
  await eventually(() => inkShare(page, 0.02, 0.31, candleInk)).toBeGreaterThan(0.3)
  await page.getByRole('button', { name: 'Formula' }).click()
  const field = page.getByRole('textbox', { name: 'Formula' })
  const preview = page.getByRole('group', { name: 'Preview in the visible range' })
  await preview.getByText('The values appear here as you type.').waitFor()
  await field.fill('a - sma(a, 3)')
  await preview.locator('canvas').waitFor()
  await page.getByRole('button', { name: 'Save as function …' }).click()
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('sma')
  await name.press('Enter')
  await page.getByText('The language already has a function sma.').waitFor()
  await name.fill('stretch')
  expect(await axeFindings(page)).toEqual([])
  await announced(page, 'Saved stretch(a)', () => name.press('Enter'))

  await field.fill('stretch(a) * 2 + bogus')
  await page.getByText('There is no series bogus.').waitFor()
  await preview.getByText('The values appear here as you type.').waitFor()
  await field.fill('stretch(a) * 2')
  await page.getByText('Stored as (a - sma(a, 3)) * 2').waitFor()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  const legend = page.locator('.chart-legend .name')
  await legend.getByText('(a - sma(a, 3)) * 2').waitFor()

  // The series stays as it is when its function is removed.
  await eventually(() => page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Formula' }).click()
  await page.getByRole('button', { name: 'Show functions and rules' }).click()
  await page.getByRole('button', { name: 'Remove function stretch' }).click()
  await eventually(() => page.getByText('Your functions').count()).toBe(0)
  await page.reload()
  await legend.getByText('(a - sma(a, 3)) * 2').waitFor()
})

/** Stores workspaces in the index, of kinds that once froze the window at every start. */
function poisonDesk({ dataDir }: Desk): { id: string; name: string }[] {
  const store = openStore({ dataDir, clock: { nowMs: () => Date.now() }, log: fakeLog() })
  const { document } = addSeries(emptyDocument(), null, {
    source: { kind: 'column', dataset: 'ohlcv', column: 'close', ...bitcoin, resampleTo: '', origin: 'service' },
  })
  const [pane] = document.panes
  const [first] = pane.series
  const doubled = Array.from({ length: 41 }, (_, at) => ({
    ...first,
    id: `d${at}`,
    name: `f${at + 1}`,
    source: { kind: 'formula' as const, formula: at === 0 ? 'a + a' : `f${at} + f${at}` },
  }))
  const doubling = { ...document, panes: [{ ...pane, series: [{ ...first, name: 'a' }, ...doubled] }] }
  const poisons = ['Doubling', 'Deep', 'Wide'].map((name) => store.documents.workspace.create(name, doubling))
  const texts = { Deep: `${'['.repeat(100_000)}${']'.repeat(100_000)}`, Wide: `[${'{},'.repeat(1_500_000)}{}]` }
  for (const [name, text] of Object.entries(texts))
    store.database.writes.run("UPDATE user_documents SET body = ? WHERE kind = 'workspace' AND name = ?", text, name)
  store.close()
  return poisons
}

/** Returns the file that an entry of the export menu saves. */
async function exportedFile(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Chart and rows: Export' }).click()
  const { path } = await savedFile(page, () => page.getByRole('menuitem', { name, exact: true }).click())
  return path
}

it('shows rows, figures and a scan of what is charted, in light and by keys', async () => {
  const page = await openChart(await openDeskWithDays(), {
    colorScheme: 'light',
    viewport: { width: 1920, height: 1080 },
  })
  await eventually(() => inkShare(page, 0.02, 0.31, candleInk)).toBeGreaterThan(0.3)
  await page.getByRole('tab', { name: 'Statistics' }).click()
  await page
    .getByRole('region', { name: 'Statistics of the visible range' })
    .getByText('Lag-1 ACF', { exact: true })
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'workbench-statistics-light-1920.png') })
  await page.keyboard.press('2')
  await page
    .getByRole('grid', { name: /^Rows of/ })
    .getByText('2026-08-03 00:00')
    .waitFor()
  await page.getByText('48 rows', { exact: true }).first().waitFor()
  const filter = page.getByRole('searchbox', { name: /^Filter, e.g./ })
  await filter.fill('close > 0 and not time < 2026-08-05')
  await page.getByText('24 of 48 rows', { exact: true }).waitFor()
  await filter.fill('clse > 0')
  await page.getByText(/Showing all rows. “clse” is not a column of this table/).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'workbench-filter-light-1920.png') })
  await filter.fill('')
  await page.getByText('48 rows', { exact: true }).first().waitFor()
  await page.getByRole('gridcell', { name: '2026-08-03 02:00' }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Copy row' }).waitFor()
  await page.screenshot({ path: join(artifactsDir, 'workbench-menu-light-1920.png') })
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'workbench-data-light-1920.png') })
  const lines = (await readFile(await exportedFile(page, 'Visible range as CSV'), 'utf8')).trim().split(/\r?\n/)
  expect(lines[0]).toBe('time,open,high,low,close,volume')
  expect(lines).toHaveLength(1 + 48)
  expect(lines[1]).toMatch(/^2026-08-03T00:00:00\.000Z,[\d.]+,/)
  const parquet = new ParquetFile(await exportedFile(page, 'Visible range as Parquet'))
  expect([parquet.rows, parquet.columns.map(({ name }) => name)]).toEqual([48, lines[0].split(',')])
  parquet[Symbol.dispose]()

  await page.keyboard.press('1')
  await eventually(() => inkShare(page, 0.02, 0.31, candleInk)).toBeGreaterThan(0.3)
  const png = await readFile(await exportedFile(page, 'Image (PNG)'))
  expect(png.subarray(1, 4).toString()).toBe('PNG')
  // The picture is twice as wide as the drawing, so that it is sharp on any screen and in print.
  expect(png.readUInt32BE(16)).toBe(2560)
  const svg = await readFile(await exportedFile(page, 'Vector image (SVG)'), 'utf8')
  const drawn = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml')
    const texts = [...parsed.querySelectorAll('text')].map(({ textContent }) => textContent)
    return {
      isWrong: parsed.querySelector('parsererror') !== null,
      width: parsed.documentElement.getAttribute('width'),
      texts,
    }
  }, svg)
  expect(drawn).toMatchObject({ isWrong: false, width: '1280' })
  expect(drawn.texts.join('\n')).toMatch(/UTC[^]*2 files, sha256 [0-9a-f]{8} [0-9a-f]{8}, fetched/)

  await page.locator('body').press('3')
  await page.getByRole('button', { name: 'Scan', exact: true }).click()
  await page.getByRole('grid', { name: 'Symbols' }).getByRole('gridcell', { name: 'BTC', exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'workbench-scan-light-1920.png') })

  await page.getByRole('button', { name: 'Series', exact: true }).click()
  await page.getByText(/more: type to narrow/).waitFor()
  expect(await axeFindings(page)).toEqual([])
})

it('shades where a formula holds, says how often, and opens a study of the spells; undo takes it back', async () => {
  const desk = await openDeskWithDays()
  const page = await openChart(desk)
  await page.getByRole('application').focus()
  await page.keyboard.press('s')
  // A column of the charted instrument, which is no series of the workspace.
  await page.getByRole('textbox', { name: 'Formula' }).fill('ohlcv.volume > 0')
  await page.getByText('1 h rows').waitFor()
  await page.keyboard.press('Enter')
  const legend = page.getByRole('list', { name: 'Background shading' })
  // Two days of hours with volume, and the day between them is missing.
  await legend.getByText('100.0 % of the time, 2 spells').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => legend.count()).toBe(0)
  await page.getByRole('button', { name: 'Redo' }).click()
  await page.reload()
  await legend.getByText('2 spells').waitFor()
  await legend.getByRole('button', { name: 'ohlcv.volume > 0' }).click()
  await page.getByText(/The state was on in 2 spells/).waitFor()
})
