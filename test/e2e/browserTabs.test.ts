import { expect, it } from 'vitest'
import { fakeHost } from '../fakes/fakePorts.ts'
import { testNowMs } from '../fakes/testSandbox.ts'
import { venues } from '../fakes/testVenues.ts'
import { axeFindings } from './axe.ts'
import { announced, browserOnly, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }
const eventually = <Value>(read: () => Value) => expect.poll(read, patience)

it('a pane in a tab of its own leaves the chart, follows its range, and comes back', async ({ skip }) => {
  skip(...browserOnly)
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.evaluate(() => (location.hash = '#/portfolios/portfolio?portfolio=momentum_ls.20'))
  await page.getByRole('button', { name: /Open or save$/ }).click(patience)
  await page.getByRole('menuitem', { name: 'Chart in workbench' }).click(patience)
  const chart = page.getByRole('application')
  await chart.getByText('Equity, growth of 1 · momentum_ls.20').waitFor(patience)
  await chart.focus()
  await page.keyboard.press('Shift+F10')
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Open in its own tab' }).click(patience),
  ])
  await tab.getByRole('application').getByText('momentum_ls.20').first().waitFor(patience)
  const apart = page.getByRole('list', { name: 'Panes in their own windows' })
  await apart.waitFor(patience)
  await page.getByText('Every pane of this workspace is in a window of its own.').waitFor()
  expect(await axeFindings(tab)).toEqual([])

  const inView = () => tab.getByRole('application').getAttribute('aria-label')
  const before = await inView()
  await tab.getByRole('button', { name: '3m', exact: true }).click()
  await eventually(inView).not.toBe(before)
  const narrow = await inView()
  // A reload of the pane's tab keeps the pane in that tab.
  await tab.reload()
  await tab.getByRole('application').waitFor(patience)
  await eventually(inView).toBe(narrow)
  await apart.waitFor(patience)

  await page.getByRole('button', { name: /^Bring .* back$/ }).click()
  await chart.getByText('Equity, growth of 1 · momentum_ls.20').waitFor(patience)
  expect(await apart.count()).toBe(0)
  await eventually(() => tab.isClosed()).toBe(true)
})

interface Noticing {
  isHidden: boolean
  notices: Notification[]
  shown: string[]
}

it('notifies when all downloads have ended while the tab is hidden, and leads there', async ({ skip }) => {
  skip(...browserOnly)
  const desk = await openSandboxDesk()
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
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
  await announced(page, '1 file downloaded', async () => {
    await client.call('downloads.enqueue', request('2026-09-01'))
    desk.app.runDownloads()
  })
  expect(await shown()).toEqual([])

  await page.evaluate(() => ((window as unknown as { seen: Noticing }).seen.isHidden = true))
  await client.call('downloads.enqueue', request('2026-09-02'))
  await expect.poll(shown, patience).toEqual(['Perpscope: 1 file downloaded'])
  await page.evaluate(() => (window as unknown as { seen: Noticing }).seen.notices[0].dispatchEvent(new Event('click')))
  await page.getByRole('grid', { name: 'Downloads: History' }).waitFor(patience)
}, 60_000)
