import { createHash } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportHtml } from '#shared/report/reportHtml.ts'
import { openStore } from '#core/store/store.ts'
import { expect, it } from 'vitest'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { hostilePage } from '../fakes/hostileReport.ts'
import { addCachedFile } from '../fakes/parquetCache.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, openBlankPage, openDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 20_000 }

/**
 * Opens a report from its file and checks that it sends no request, runs only its own hover script, and shows the
 * values under the pointer.
 */
async function opensAlone(path: string, chart: string): Promise<void> {
  const report = await openBlankPage()
  const [requests, problems]: [string[], string[]] = [[], []]
  report.on('request', (request) => requests.push(request.url()))
  report.on('pageerror', (error) => problems.push(error.message))
  report.on('console', (message) => problems.push(message.text()))
  const address = pathToFileURL(path).href
  await report.goto(address)
  const drawing = report.getByRole('img', { name: new RegExp(`^${chart}`) }).first()
  await drawing.focus()
  await report.keyboard.press('ArrowLeft')
  expect(await report.locator('#tip').innerText()).toMatch(/^2026-08-0\d/)
  expect(await report.evaluate('window.ran')).toBeUndefined()
  expect([requests, problems]).toEqual([[address], []])
  expect(await axeFindings(report)).toEqual([])
  await report.close()
}

/** Opens an empty query offline, with two days of one dataset in the cache. */
async function openQuery() {
  const desk = await openDesk()
  const store = openStore({ dataDir: desk.dataDir, clock: fakeClock(), log: fakeLog() })
  for (const period of ['2026-08-01', '2026-08-02'])
    addCachedFile(store, desk.dataDir, flowSeries({ dataset: 'ohlcv', exchange: venues.first, interval: '1h' }), period)
  store.close()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('switch').click()
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'SQL' }).click()
  await page.getByRole('button', { name: 'New query' }).click()
  const editor = page.getByRole('textbox', { name: 'Query' })
  return { desk, page, editor }
}

it('finds tables and columns in the tree, and puts their names into the query', async () => {
  const { page, editor } = await openQuery()
  const tree = page.getByRole('tree', { name: 'Tables' })
  const find = page.getByRole('searchbox', { name: 'Find a table or column' })
  await tree.getByRole('treeitem', { name: 'ohlcv 1 series' }).click(patience)
  await tree.getByRole('treeitem', { name: /^close DOUBLE.*price/ }).waitFor(patience)
  expect((await tree.getByRole('treeitem').allInnerTexts()).slice(0, 2).map((text) => text.split('\n')[0])).toEqual([
    'metrics',
    'ohlcv',
  ])
  await tree.getByRole('treeitem', { name: 'ohlcv' }).click({ button: 'right' })
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Query its first rows' }).click()
  expect(await editor.innerText()).toBe('SELECT *\nFROM metrics.ohlcv\nLIMIT 100')
  await editor.press('Control+Enter')
  await page.getByText(/^48 rows in/).waitFor(patience)
  await editor.fill('FROM')
  await find.fill('funding_periods')
  await find.press('ArrowDown')
  await page.keyboard.press('f')
  await page.keyboard.press('Enter')
  expect(await editor.innerText()).toBe('FROM cache.funding_periods')
  await find.fill('no such thing')
  await page.getByText('No table or column matches “no such thing”.').waitFor(patience)
  await find.press('Escape')
  await page.setViewportSize({ width: 900, height: 800 })
  await tree.waitFor({ state: 'hidden', ...patience })
  await page.getByRole('button', { name: 'Tables', exact: true }).click()
  await tree.waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await tree.waitFor({ state: 'hidden', ...patience })
  await page.setViewportSize({ width: 1280, height: 800 })
  await tree.waitFor(patience)
  await page.keyboard.press('p')
  await tree.waitFor({ state: 'hidden', ...patience })
  await page.reload()
  await editor.waitFor(patience)
  expect(await tree.count()).toBe(0)
  await page.getByRole('button', { name: 'Tables', exact: true }).click()
  await tree.waitFor(patience)
}, 60_000)

it('writes a query with completion, sees its rows, chart and errors, and opens it again offline', async () => {
  const { desk, page, editor } = await openQuery()
  await editor.fill('SELECT time, "value" FROM metrics.oh')
  await editor.press('End')
  await editor.press('Control+Space')
  await page.getByRole('option', { name: /^metrics\.ohlcv/ }).waitFor(patience)
  await editor.press('Enter')
  expect(await editor.innerText()).toBe('SELECT time, "value" FROM metrics.ohlcv')
  await page.getByText('Reads 2 files').waitFor(patience)
  await editor.press('Control+Enter')
  await page.getByText(/^48 rows in/).waitFor(patience)
  await page.getByRole('grid', { name: 'Rows of Query' }).getByText('2026-08-01 03:00').first().waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  const report = await savedFile(page, async () => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Report (HTML) …' }).click()
  })
  expect(report.name).toBe('SQL result.html')
  const hostile = join(artifactsDir, 'hostile-report.html')
  writeFileSync(hostile, reportHtml(hostilePage((text) => createHash('sha256').update(text).digest('base64'))))
  // A browser's download has a random name without extension on disk, so the browser would not open it as a page.
  const saved = join(artifactsDir, 'sql-report.html')
  copyFileSync(report.path, saved)
  await opensAlone(saved, 'value')
  await opensAlone(hostile, 'Chart')
  const csv = await savedFile(page, async () => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'CSV …' }).click()
  })
  expect(csv.name).toBe('Query.csv')
  await page.getByText('Chart', { exact: true }).click()
  await page.getByRole('img', { name: 'value over time' }).waitFor(patience)
  await page.screenshot({ path: join(artifactsDir, 'sql-chart.png') })
  // A histogram is put on a new board, which shows it as the query did.
  await page.getByText('Histogram', { exact: true }).click()
  await page.getByRole('img', { name: 'Distribution of value' }).waitFor(patience)
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Add to board …' }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Board' }).waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Open board' }).click()
  await page.getByRole('img', { name: 'Distribution of value' }).waitFor(patience)
  await page.screenshot({ path: join(artifactsDir, 'sql-on-board.png') })
  await page.goBack()
  await editor.waitFor(patience)
  // The numbers of the result become series of the workbench, and the query is still there when the user returns.
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Add to workbench' }).click()
  await page.getByText('value · Query').first().waitFor(patience)
  await page.goBack()
  // An error is marked at its position in the query, and a parameter gets an input field.
  await editor.fill('SELECT $day AS day,\n  nope')
  await page.getByRole('textbox', { name: '$day' }).fill('2')
  await page.getByRole('textbox', { name: '$day' }).press('Enter')
  await editor.press('Control+Enter')
  await page.getByText(/^Line 2, column 3: .*nope/).waitFor(patience)
  expect(await page.locator('.wrong').innerText()).toBe('nope')
  await editor.press('Control+Shift+F')
  await editor.press('Control+End')
  await editor.pressSequentially(' FROM')
  await editor.press('Escape')
  await editor.press('Control+Enter')
  await page.getByText(/^Line \d, column \d+: .*end of input/).waitFor(patience)
  expect(await page.locator('.wrong').innerText()).toBe('FROM')
  await page.screenshot({ path: join(artifactsDir, 'sql-error.png') })
  // The first undo removes the typed text, the second one the change made by the formatter.
  await editor.press('Control+Z')
  expect(await editor.innerText()).toBe('SELECT $day AS day, nope')
  await editor.press('Control+Z')
  expect(await editor.innerText()).toBe('SELECT $day AS day,\n  nope')
  await editor.press('Control+Shift+Z')
  expect(await editor.innerText()).toBe('SELECT $day AS day, nope')
  await editor.fill('SELECT $day AS day')
  await editor.press('Control+Enter')
  await page.getByText(/^1 row in/).waitFor(patience)
  const address = page.url()
  const id = address.split('/').at(-1)!
  const client = desk.app.clientFor(fakeHost())
  const savedSql = async () => (await client.call('documents.read', { kind: 'query', id })).document.sql
  await expect.poll(savedSql, patience).toBe('SELECT $day AS day')
  await page.reload()
  await editor.waitFor(patience)
  expect([page.url(), await editor.innerText()]).toEqual([address, 'SELECT $day AS day'])
  await page.getByRole('button', { name: /^Query/ }).click()
  await page.getByRole('menuitem', { name: 'All queries' }).click()
  await page.getByRole('grid', { name: 'Queries' }).getByText('Query', { exact: true }).waitFor(patience)
  await page.getByRole('grid', { name: 'History' }).getByText('SELECT $day AS day', { exact: true }).waitFor(patience)
}, 60_000)
