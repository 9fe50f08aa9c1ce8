import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testNowMs } from '../fakes/testSandbox.ts'
import { axeFindings } from './axe.ts'
import { announced, artifactsDir, openSandboxDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 30_000 }

it('shows a sample within the first minute, leads on, and removes all of it again', async () => {
  const desk = await openSandboxDesk()
  desk.app.runDownloads()
  const { page } = await openWindow('about:blank')
  // The sandbox, the core and the window use the same day.
  await page.clock.setFixedTime(testNowMs)
  desk.ports.clock.advance(testNowMs - desk.ports.clock.nowMs())
  void desk.app.firstScreen.then(desk.app.fetchSampleOnce)
  const band = page.getByRole('region', { name: 'Getting started' })
  await announced(page, '30 files downloaded', async () => {
    await page.goto(desk.host.url)
    await band.getByRole('heading', { name: 'Explore sample data' }).waitFor(patience)
    await page.getByRole('application', { name: /^Sample.*candles.*Order flow/ }).waitFor(patience)
    await page.getByRole('main').getByText('Sandbox', { exact: true }).first().waitFor()
  })
  expect(await axeFindings(page)).toEqual([])
  const sentence = band.getByText('Ten synthetic days of BTC')
  expect(await sentence.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0)
  expect((await band.boundingBox())!.height).toBeLessThanOrEqual(56)
  await page.screenshot({ path: join(artifactsDir, 'first-minute-dark-1280.png') })

  const firstSteps = band.getByRole('button', { name: /^First steps/ })
  await firstSteps.click()
  await band.getByRole('link', { name: 'Explore coverage' }).click()
  await page.getByRole('grid').locator('.rows .row').first().waitFor(patience)
  await page.getByRole('navigation').getByRole('link', { name: 'Workbench' }).click()
  await firstSteps.getByText('1 of 4').waitFor(patience)
  await firstSteps.click()
  await band.getByRole('link', { name: /Explore coverage.*done/ }).waitFor(patience)

  await page.evaluate(() => (location.hash = '#/settings/cache'))
  await page.getByRole('row', { name: /^funding 10/ }).waitFor(patience)
  await page.getByRole('button', { name: 'Verify all files' }).click()
  await page.getByText(/^30 files, .* no problems found/).waitFor(patience)
  const pin = page.getByRole('button', { name: 'Pin funding', exact: true })
  await announced(page, '10 files pinned', () => pin.click())
  await page.getByRole('textbox', { name: 'Free up space' }).fill('0')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('This would remove 20 files').waitFor(patience)
  await page.getByRole('button', { name: /^Remove [\d ]+files?$/ }).click()
  await page.getByRole('row', { name: /^flow/ }).waitFor({ state: 'detached', ...patience })
  await page.getByRole('switch', { name: 'Online' }).click()
  await page.getByRole('status').getByText('Offline.').waitFor(patience)
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Go online' }).click()

  await page.getByRole('navigation').getByRole('link', { name: 'Workbench' }).click()
  const remove = band.getByRole('button', { name: 'Remove sample data' })
  await announced(page, /^Sample data removed: 10 files/, () => remove.click())
  await page.getByRole('heading', { name: 'No chart is open' }).waitFor(patience)
  await band.getByRole('button', { name: 'Hide the first steps' }).click()
  await band.waitFor({ state: 'detached', ...patience })
  await page.reload()
  await page.getByRole('heading', { name: 'No chart is open' }).waitFor(patience)
  expect(await band.count()).toBe(0)
}, 120_000)
