import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { testNowMs } from '../fakes/testSandbox.ts'
import { axeFindings } from './axe.ts'
import { openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }

async function openDeskAt(address: string) {
  const desk = await openSandboxDesk()
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  desk.app.runDownloads()
  const { page } = await openWindow('about:blank')
  await page.clock.setFixedTime(testNowMs)
  await page.goto(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await go(page, address)
  return page
}

const go = (page: Page, address: string) => page.evaluate((to) => (location.hash = `#/${to}`), address)
/** Returns the name or text of the focused element; `nothing` if no element has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    if (!at || at === document.body) return 'nothing'
    return at.getAttribute('aria-label') ?? ((at as HTMLElement).innerText.trim() || at.tagName)
  })
const expectFocus = (page: Page, name: string) => expect.poll(() => focused(page), patience).toBe(name)
/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await focused(page)) === name) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab never comes to “${name}”.`)
}

it('keeps the focus in its place through actions on connections, the cache and sets', async () => {
  const page = await openDeskAt('settings/connections')
  await page.getByRole('button', { name: 'Test connection' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('works').first().waitFor(patience)
  await expectFocus(page, 'Test connection')
  await tabTo(page, 'Add connection')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Desk')
  await page.keyboard.press('Tab')
  await page.keyboard.type('https://127.0.0.1:9')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Desk')
  await tabTo(page, 'Set key')
  await page.keyboard.press('Enter')
  await page.keyboard.type('canary-0123456789')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Replace')
  const card = page.getByRole('region', { name: 'Desk' })
  await card.getByRole('button', { name: 'Remove', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expectFocus(page, 'Remove')

  await go(
    page,
    'downloads/new?dataset=flow&symbol=perpetual-BTC-USDT:USDT&interval=1d&start=2026-09-01&end=2026-09-03',
  )
  await page.getByRole('button', { name: 'Download 3 files' }).waitFor(patience)
  await page.getByRole('button', { name: 'Remove perpetual-BTC-USDT:USDT' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Choose at least one symbol.').waitFor(patience)
  await expect.poll(() => focused(page), patience).toMatch(/^Add /)
  await page.getByLabel('Symbols', { exact: true }).focus()
  await page.keyboard.type('perpetual-BTC-USDT:USDT')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Download 3 files' }).waitFor(patience)
  await page.keyboard.press('Escape')
  await tabTo(page, 'Show files')
  await page.keyboard.press('Enter')
  await page.getByRole('grid', { name: 'Files in the plan' }).waitFor(patience)
  await tabTo(page, 'Back', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Show files')
  await tabTo(page, 'Save as set …')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor(patience)
  await page.keyboard.type('By hand')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Save as set …')
  await tabTo(page, 'Download 3 files', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('grid', { name: 'Downloads: Queue' }).waitFor(patience)
  expect(await focused(page)).not.toBe('nothing')

  await go(page, 'downloads/sets')
  const set = page.getByRole('article', { name: 'By hand' })
  await set.getByRole('button', { name: 'Remove …' }).focus(patience)
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Cancel')
  await page.keyboard.press('Enter')
  await expectFocus(page, 'Remove …')

  await page.getByRole('link', { name: /^History [1-9]/ }).waitFor(patience)
  await go(page, 'settings/cache')
  await page.getByPlaceholder('e.g. 20').focus(patience)
  await page.keyboard.type('0')
  await tabTo(page, 'Preview')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Remove [\d ]+files?$/ }).waitFor(patience)
  await expectFocus(page, 'Preview')
  await tabTo(page, 'Verify all files')
  await page.keyboard.press('Enter')
  await page.getByText(/no problems found/).waitFor(patience)
  await expectFocus(page, 'Verify all files')
  expect(await axeFindings(page)).toEqual([])
}, 120_000)
