import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { playbooksFor } from '#shared/contract/playbooks/playbooks.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { testNowMs } from '../fakes/testSandbox.ts'
import { axeFindings } from './axe.ts'
import { artifactsDir, type Desk, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const folder = join(artifactsDir, 'playbooks')
const patience = { timeout: 120_000 }
const playbooks = playbooksFor({ venue: null, symbol: '', portfolio: '', nowMs: testNowMs })

/** Waits until every part of the open board shows what it computed from all files that the board needs. */
async function filled(page: Page, { app }: Desk): Promise<void> {
  const client = app.clientFor(fakeHost())
  const queued = async () => {
    const { counts } = await client.call('downloads.progress', {})
    return counts.queued + counts.running + counts.waiting
  }
  await expect.poll(queued, patience).toBe(0)
  await page.getByRole('button', { name: /^Download \d+ missing file/ }).waitFor({ state: 'hidden', ...patience })
  await page.getByText(/^Computing \d+ part/).waitFor({ state: 'hidden', ...patience })
}

/** Takes the picture that the guide shows, in both themes. */
async function takePicture(page: Page, id: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme)
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50))))
    await page.screenshot({ path: join(folder, `${id}-${theme}.png`) })
  }
}

it('runs each playbook on what it downloads, explains how to read it, and fills each of its parts', async () => {
  mkdirSync(folder, { recursive: true })
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const { page } = await openWindow('about:blank')
  page.setDefaultTimeout(patience.timeout)
  await page.clock.setFixedTime(testNowMs)
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  await page.goto(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  for (const { id, name } of playbooks) {
    await page.evaluate(() => (location.hash = '#/boards'))
    await page.getByRole('button', { name: new RegExp(`^${name} ?[A-Z]`) }).click()
    await page
      .getByRole('dialog', { name })
      .getByRole('button', { name: /^(Download and open|Open)$/ })
      .click()
    await page.waitForURL(/#\/boards\/.+/)
    await filled(page, desk)
    if (id === 'column-screen') {
      await page.getByRole('button', { name: 'Refresh', exact: true }).click()
      await filled(page, desk)
    }
    await expect.poll(() => page.locator('.part .trouble').allInnerTexts(), patience).toEqual([])
    await filled(page, desk)
    await page
      .getByRole('button', { name: 'Close message' })
      .evaluateAll((all) => all.forEach((one) => (one as HTMLElement).click()))
    await takePicture(page, id)
    await page.getByRole('link', { name: 'How to read this' }).click()
    await page.getByRole('heading', { name: `Job: ${name.toLowerCase()}` }).waitFor()
  }
  expect(await axeFindings(page)).toEqual([])
}, 600_000)
