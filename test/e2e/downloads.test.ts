import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { testNowMs } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, face, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

/** Timeout that a busy machine needs. */
const patience = { timeout: 30_000 }

async function openOnSandbox(colorScheme: 'dark' | 'light') {
  const desk = await openSandboxDesk()
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  const { page } = await openWindow(desk.host.url, { colorScheme })
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  return { desk, page }
}

it.each(['dark', 'light'] as const)(
  'composes, puts into the queue, pauses, resumes and downloads, in the %s theme',
  async (theme) => {
    const { desk, page } = await openOnSandbox(theme)
    const shot = (name: string) => page.screenshot({ path: join(artifactsDir, `downloads-${name}-${theme}.png`) })
    await page.evaluate(() => (location.hash = '#/downloads/new?dataset=vtwap&start=2026-09-01&end=2026-09-04'))
    await page.getByText('Choose at least one symbol.').waitFor()
    await page.getByLabel('Symbols', { exact: true }).fill('BTC-USDT')
    await page.getByRole('button', { name: 'Add perpetual-BTC-USDT:USDT' }).click(patience)
    const send = page.getByRole('button', { name: 'Download 4 files' })
    await send.waitFor(patience)
    await shot('composer')
    expect(await axeFindings(page)).toEqual([])

    await send.click()
    await page.waitForURL(/#\/downloads$/)
    const grid = page.getByRole('grid', { name: 'Downloads: Queue' })
    await expect.poll(() => grid.getByText('queued', { exact: true }).count(), patience).toBe(4)
    await page.getByRole('button', { name: 'Pause all', exact: true }).click()
    await expect.poll(() => grid.getByText('paused', { exact: true }).count(), patience).toBe(4)
    await page.getByText('4 paused').waitFor(patience)
    await shot('queue')
    expect(await axeFindings(page)).toEqual([])

    const row = (at: number) => grid.locator(`[data-row="${at}"]`)
    const days = async () =>
      (await grid.innerText())
        .match(/2026-09-\d\d/g)
        ?.map((day) => day.slice(-2))
        .join(' ')
    expect(await days()).toBe('04 01 02 03')
    await row(3)
      .locator('.grip')
      .dragTo(row(0), { targetPosition: { x: 240, y: 4 } })
    await expect.poll(days, patience).toBe('03 04 01 02')

    desk.app.runDownloads()
    await grid.focus()
    for (const key of ['Control+Home', 'Space', 'r']) await page.keyboard.press(key)
    await page.getByRole('link', { name: 'History 1', exact: true }).waitFor(patience)
    await page.getByRole('button', { name: 'Resume all downloads' }).click()
    await page.getByRole('link', { name: 'History 4', exact: true }).waitFor(patience)
    await page.getByRole('link', { name: /^History/ }).click()
    const history = page.getByRole('grid', { name: 'Downloads: History' })
    await expect.poll(() => history.getByText('downloaded', { exact: true }).count(), patience).toBe(4)
    await shot('history')
    expect(await axeFindings(page)).toEqual([])
  },
  120_000,
)

interface Noticing {
  isHidden: boolean
  notices: Notification[]
  shown: string[]
}

it('notifies when all downloads have ended while the tab is hidden, and leads there', async ({ skip }) => {
  skip(face !== 'browser', 'the desktop notifies through the system, not through the page')
  const { desk, page } = await openOnSandbox('dark')
  await page.context().grantPermissions(['notifications'])
  await page.addInitScript(() => {
    const seen: Noticing = { isHidden: false, notices: [], shown: [] }
    Object.assign(window, { seen })
    Object.defineProperty(document, 'hidden', { get: () => seen.isHidden })
    // The browser's notifications are recorded, because a test cannot see the desktop.
    window.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options)
        seen.notices.push(this)
        this.addEventListener('show', () => seen.shown.push(`${title}: ${options?.body}`))
      }
    }
  })
  await page.reload()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  const shown = () => page.evaluate(() => (window as unknown as { seen: Noticing }).seen.shown)
  const client = desk.app.clientFor(fakeHost())
  const request = (day: string) => ({
    request: {
      datasets: ['vtwap'],
      exchanges: [venues.first],
      symbols: ['perpetual-BTC-USDT:USDT'],
      startDay: day,
      endDay: day,
    },
  })
  await client.call('downloads.enqueue', request('2026-09-01'))
  desk.app.runDownloads()
  await page.getByText('1 file downloaded').waitFor(patience)
  expect(await shown()).toEqual([])

  await page.evaluate(() => ((window as unknown as { seen: Noticing }).seen.isHidden = true))
  await client.call('downloads.enqueue', request('2026-09-02'))
  await expect.poll(shown, patience).toEqual(['Perpscope: 1 file downloaded'])
  await page.evaluate(() => (window as unknown as { seen: Noticing }).seen.notices[0].dispatchEvent(new Event('click')))
  await page.getByRole('grid', { name: 'Downloads: History' }).waitFor(patience)
}, 60_000)
