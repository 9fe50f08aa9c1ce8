import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addSeries } from '#shared/workspace/edit.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { announced, openShell, useBrowser } from './harness.ts'

useBrowser()

const btcHourly = {
  ...{ symbol: 'BTC', interval: '1h', timestamp: 'exchange' as const, resampleTo: '', origin: 'service' as const },
}

const go = (page: Page, address: string) => page.evaluate((to) => (location.hash = to), `#/${address}`)

it('uses the room of a wide window', async () => {
  const { page } = await openShell({ viewport: { width: 1920, height: 1080 }, colorScheme: 'light' })
  await go(page, 'settings/requests')
  const requests = page.getByRole('grid', { name: 'Requests' })
  await requests.waitFor()
  expect((await requests.boundingBox())!.height).toBeGreaterThan(600)
  for (const [address, card] of [
    ['sql', 'What is cached'],
    ['lab', 'Basis reversion'],
    ['boards', 'Study at a glance'],
  ]) {
    await go(page, address)
    const cards = page.getByRole('listitem').filter({ has: page.getByRole('button') })
    await page.getByRole('button', { name: card }).waitFor()
    const rights = await cards.evaluateAll((items) => items.map((item) => item.getBoundingClientRect().right))
    expect(Math.max(...rights), address).toBeGreaterThan(1400)
  }
  await go(page, 'guide/sql')
  const contents = page.getByRole('complementary', { name: 'On this page' })
  await contents.getByRole('button', { name: 'Limits' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Limits')
  expect(await axeFindings(page)).toEqual([])
}, 60_000)

it('resizes the details of a file to import and the plan of a download by their edges', async () => {
  const { page, desk } = await openShell()
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'table.parquet'), 'exchange_timestamp,price\n')
  await desk.app.receiveFiles([folder])
  await go(page, 'raw/import')
  await page.getByRole('gridcell', { name: 'table.parquet' }).click()
  const details = page.getByRole('region', { name: 'Issues of the selected file' })
  const height = async () => (await details.boundingBox())!.height
  const before = await height()
  await details.getByRole('separator').focus()
  await page.keyboard.press('ArrowUp')
  await expect.poll(height).toBe(before + 24)
  await page.keyboard.press('Escape')
  await details.waitFor({ state: 'hidden' })

  await go(page, 'downloads/new')
  const plan = page.getByRole('complementary', { name: 'Plan' })
  const edge = plan.getByRole('separator')
  await edge.focus()
  await page.keyboard.press('ArrowLeft')
  await expect.poll(async () => (await plan.boundingBox())!.width).toBe(324)
  await page.reload()
  await expect.poll(async () => (await plan.boundingBox())!.width).toBe(324)

  // A message does not cover the plan beside the form.
  writeFileSync(join(folder, 'later.parquet'), 'exchange_timestamp,price\n')
  const message = page.getByRole('region', { name: 'Messages' }).getByText('Received later.parquet')
  await announced(page, 'Received later.parquet', () => desk.app.receiveFiles([join(folder, 'later.parquet')]))
  const [shown, beside] = [(await message.boundingBox())!, (await plan.boundingBox())!]
  expect(shown.x + shown.width).toBeLessThanOrEqual(beside.x)
  expect(await axeFindings(page)).toEqual([])
}, 60_000)

it('keeps the controls of a bar apart in a narrow window, however long a name is', async () => {
  const { page, desk } = await openShell()
  const client = desk.app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null })
  const name = 'Funding carry against basis over all venues, hourly, with costs, '.repeat(2).slice(0, 120)
  const source = { kind: 'column', dataset: 'funding', column: 'funding_rate', exchange: venues.first } as const
  const { document } = addSeries(emptyDocument(), null, { source: { ...source, ...btcHourly } })
  const study = { version: 1 as const, study: { version: 1, kind: 'signal', interval: '1h' }, panel: null }
  const ids = {
    workbench: (await client.call('documents.create', { kind: 'workspace', name, document })).id,
    lab: (await client.call('documents.create', { kind: 'study', name, document: study })).id,
    sql: (
      await client.call('documents.create', { kind: 'query', name, document: { version: 1, sql: '', parameters: {} } })
    ).id,
    boards: (await client.call('documents.create', { kind: 'board', name, document: { version: 1, parts: [] } })).id,
  }
  await page.reload()
  for (const [screen, id] of Object.entries(ids)) {
    await go(page, screen === 'workbench' ? screen : `${screen}/${id}`)
    const opener = page.getByRole('main').getByRole('button', { name }).first()
    await opener.waitFor()
    const controls = opener.locator('xpath=ancestor::header').locator('button, a')
    for (const width of [640, 900, 1280]) {
      await page.setViewportSize({ width, height: 760 })
      const boxes = await controls.evaluateAll((all) =>
        all.map((each) => ({ name: each.textContent, ...each.getBoundingClientRect().toJSON() })),
      )
      expect(boxes.filter(({ right }) => right > width)).toEqual([])
      for (const one of boxes) {
        const isOver = (other: typeof one) =>
          other !== one &&
          one.left < other.right - 1 &&
          other.left < one.right - 1 &&
          one.top < other.bottom - 1 &&
          other.top < one.bottom - 1
        expect(boxes.filter(isOver), `${screen}, ${width} px: ${one.name}`).toEqual([])
      }
    }
  }
})

/** Tells whether an element is inside the window and nothing covers or cuts its corners. */
const isWhole = (page: Page, role: 'menu' | 'listbox') =>
  page
    .getByRole(role)
    .last()
    .evaluate((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect()
      const corners = [left + 4, right - 4].flatMap((x) => [top + 4, bottom - 4].map((y) => [x, y] as const))
      return (
        Math.min(left, top) >= 0 &&
        right <= innerWidth &&
        bottom <= innerHeight &&
        corners.every(([x, y]) => element.contains(document.elementFromPoint(x, y)))
      )
    })

it.each([
  { width: 412, height: 915 },
  { width: 1280, height: 800 },
])('draws menus and lists whole, above what contains them, at $width px', async (viewport) => {
  const { page, desk } = await openShell({ viewport })
  const client = desk.app.clientFor({ kind: 'command line', pickFiles: null, save: async () => null })
  const source = { kind: 'formula' as const, formula: '1' }
  const { document } = addSeries(addSeries(emptyDocument(), null, { source }).document, null, { source })
  await client.call('documents.create', { kind: 'workspace', name: 'Two panes', document })
  const content = { kind: 'text' as const, markdown: 'A short part' }
  const parts = [{ id: 'p1', columns: 3, rows: 1, content }]
  const { id } = await client.call('documents.create', {
    kind: 'board',
    name: 'Low parts',
    document: { version: 1, parts },
  })
  await page.reload()

  const openMenu = async (name: RegExp) => {
    await page.getByRole('main').getByRole('button', { name }).first().click()
    await page.getByRole('menu').waitFor()
    expect(await isWhole(page, 'menu'), String(name)).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: /^Workspace: Two panes/ }).waitFor()
  await openMenu(/^Workspace/)
  await openMenu(/^Chart and rows/)
  await openMenu(/^Arrange/)
  await page.getByRole('main').getByRole('button', { name: 'Series', exact: true }).click()
  await page.getByRole('combobox', { name: 'Add to' }).click()
  await page.getByRole('option', { name: 'a new pane' }).waitFor()
  await expect.poll(() => isWhole(page, 'listbox')).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await axeFindings(page)).toEqual([])

  await go(page, `boards/${id}`)
  await page.getByRole('article').waitFor()
  await openMenu(/^Actions on/)
})

it('draws dialogs whole at 412 × 800', async () => {
  const { page } = await openShell({ viewport: { width: 412, height: 800 } })
  const areWhole = (role: 'button' | 'searchbox' | 'textbox') =>
    page
      .getByRole('dialog')
      .getByRole(role)
      .evaluateAll((all) =>
        all.every((one) => {
          const { left, right, width } = one.getBoundingClientRect()
          const sheet = one.closest('[role=dialog]')!.getBoundingClientRect()
          one.scrollIntoView({ block: 'nearest' })
          const { bottom } = one.getBoundingClientRect()
          return left >= sheet.left && right <= sheet.right && bottom <= sheet.bottom + 1 && width >= 20
        }),
      )
  await go(page, 'watch')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.getByRole('menuitem', { name: 'New list …' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save list' }).waitFor()
  expect([await areWhole('button'), await areWhole('textbox')]).toEqual([true, true])
  await page.keyboard.press('Escape')
  await go(page, 'workbench')
  await page.getByRole('main').getByRole('button', { name: 'Series', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add another' }).waitFor()
  expect(await areWhole('button')).toBe(true)
  for (const label of ['Search columns and datasets', 'Search symbols']) {
    const box = await page.getByRole('dialog').getByPlaceholder(label).boundingBox()
    expect(box?.width, label).toBeGreaterThan(200)
  }
})
