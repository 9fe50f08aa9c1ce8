import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { startCachedSandbox, testNowMs } from '../fakes/testSandbox.ts'
import { testVenues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { announced, artifactsDir, openDesk, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }

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
  await announced(page, 'Saved set “Daily flow”', () => page.keyboard.press('Enter'))
  await page.getByRole('link', { name: 'Sets' }).click()
  const set = page.getByRole('article', { name: 'Daily flow' })
  await set.getByText("perpscope fetch --set 'Daily flow'").waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'sets-light.png') })
  await announced(page, /1\d files downloaded/, async () => {
    await set.getByRole('button', { name: 'Update' }).click()
    await set.getByText('Last update: 2026-09-15').waitFor(patience)
  })

  const target = temporaryFolder()
  await go(page, 'settings/cache')
  await page.getByRole('textbox', { name: 'New cache folder' }).fill(join(desk.dataDir, 'files', 'in'))
  await page.getByRole('button', { name: 'Move files' }).click()
  await page.getByText('The folder is inside the folder that is to be moved.').waitFor(patience)
  await page.getByRole('textbox', { name: 'New cache folder' }).fill(target)
  await announced(page, 'Files moved', () => page.getByRole('button', { name: 'Move files' }).click())
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
