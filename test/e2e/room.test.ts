import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { axeFindings } from './axe.ts'
import { openShell, useBrowser } from './harness.ts'

useBrowser()

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
  await desk.app.receiveFiles([join(folder, 'later.parquet')])
  const message = page.getByRole('region', { name: 'Messages' }).getByText('Received later.parquet')
  await message.waitFor()
  const [shown, beside] = [(await message.boundingBox())!, (await plan.boundingBox())!]
  expect(shown.x + shown.width).toBeLessThanOrEqual(beside.x)
  expect(await axeFindings(page)).toEqual([])
}, 60_000)
