import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, openSandboxDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }

it('shows what checks found, and which could not be evaluated', async () => {
  const desk = await openSandboxDesk()
  const { checks } = desk.app
  const funding = { exchange: venues.first, symbol: 'perpetual-BTC-USDT:USDT', interval: '1h' }
  const rule = {
    kind: 'formula' as const,
    formula: 'funding.funding_rate > 0',
    timestamp: 'exchange' as const,
    ...funding,
  }
  checks.save({ name: 'funding', connectionId: 'sandbox', rule })
  checks.save({ name: 'always', connectionId: 'sandbox', rule: { kind: 'sql', sql: 'SELECT 42 AS a' } })
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('button', { name: 'Run checks' }).click()
  const entries = page.getByRole('table', { name: 'Entries' })
  await entries.getByRole('row', { name: /always Hit 1 row/ }).waitFor(patience)
  await entries.getByRole('row', { name: /funding Could not be evaluated No rows of funding.funding_rate/ }).waitFor()
  await page.getByRole('link', { name: 'Inbox: 2 unread entries' }).waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(artifactsDir, `inbox-${colorScheme}.png`) })
  }
  await entries
    .getByRole('row', { name: /always/ })
    .getByRole('button', { name: 'Mark as read' })
    .click()
  await page.getByRole('link', { name: 'Inbox: 1 unread entry' }).waitFor(patience)
  await entries
    .getByRole('row', { name: /funding/ })
    .getByRole('button', { name: 'Chart' })
    .click()
  await page.waitForURL(/workbench/, patience)
}, 60_000)

it('arranges a board by keyboard, keeps it, and saves it as a report', async () => {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Boards' }).click()
  await page.getByRole('button', { name: /^Morning look/ }).click()
  const part = (name: string) => page.getByRole('article', { name })
  await part('What is cached').getByRole('columnheader', { name: 'dataset' }).waitFor(patience)
  // A part without rows shows a message, and the parts after it still show.
  await part('Sample').getByText('No rows of “Sample” are cached').waitFor(patience)
  expect(await axeFindings(page)).toEqual([])

  // In a high window the parts use the height.
  const lowest = () =>
    page.getByRole('article').evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().bottom)))
  const lowestBefore = await lowest()
  await page.setViewportSize({ width: 1280, height: 1440 })
  await expect.poll(lowest, patience).toBeGreaterThan(lowestBefore + 300)
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect.poll(lowest, patience).toBe(lowestBefore)

  const names = () => page.getByRole('article').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
  const before = await names()
  const handle = part('What is cached').getByRole('button', { name: /arrow keys move/ })
  await handle.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(names, patience).toEqual([before[0], before[2], before[1], before[3]])
  const width = async () => (await part('What is cached').boundingBox())!.width
  const narrow = await width()
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(width, patience).toBeGreaterThan(narrow)

  await part('Sample')
    .getByRole('button', { name: /Actions on/ })
    .click()
  await page.getByRole('menuitem', { name: 'Remove from board' }).click()
  await page.getByRole('button', { name: 'Add part' }).click()
  await page.getByRole('combobox', { name: 'Kind' }).click()
  await page.getByText('Note', { exact: true }).last().click()
  await page.getByRole('textbox', { name: 'Text (Markdown)' }).fill('# Mine\n\n<img src=x onerror=alert(1)> **bold**')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await part('Mine').locator('strong').getByText('bold').waitFor(patience)
  expect(await part('Mine').locator('img').count()).toBe(0)

  const saved = await savedFile(page, () => page.getByRole('button', { name: 'Save as report' }).click())
  expect(saved.name).toBe('Morning look.html')
  const html = readFileSync(saved.path, 'utf8')
  for (const text of ['What is cached', '>Mine</h', 'data-kind="sources"']) expect(html).toContain(text)
  const arranged = await names()
  await page.reload()
  await part('Mine').waitFor(patience)
  expect(await names()).toEqual(arranged)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(artifactsDir, `board-${colorScheme}.png`) })
  }
}, 60_000)

it('has the name and the parameters of a board in one row, which wraps only in a narrow window', async () => {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Boards' }).click()
  await page.getByRole('button', { name: /^Portfolio morning/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Portfolio morning' })
  await dialog.getByRole('button', { name: /^(Download and open|Open)$/ }).click()
  // The dialog that fades out has the same fields.
  await dialog.waitFor({ state: 'hidden' })
  const parameters = page.getByRole('group', { name: 'What the board is about' })
  await parameters.waitFor(patience)
  const controls = [
    page.getByRole('combobox', { name: 'Venue' }),
    page.getByRole('textbox', { name: 'Last days' }),
    page.getByRole('link', { name: 'How to read this' }),
    page.getByRole('button', { name: 'Save as report' }),
    page.getByRole('button', { name: 'Add part' }),
  ]
  const middles = async () => {
    const boxes = await Promise.all(controls.map((control) => control.boundingBox()))
    return new Set(boxes.map((box) => Math.round((box!.y + box!.height / 2) / 4)))
  }
  await expect.poll(async () => (await middles()).size, patience).toBe(1)
  await page.setViewportSize({ width: 800, height: 800 })
  await expect.poll(async () => (await middles()).size, patience).toBeGreaterThan(1)
  for (const control of controls) {
    const box = (await control.boundingBox())!
    expect(box.x + box.width).toBeLessThanOrEqual(800)
  }
}, 60_000)
