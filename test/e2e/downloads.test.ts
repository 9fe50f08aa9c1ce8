import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testNowMs } from '../fakes/testSandbox.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

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
