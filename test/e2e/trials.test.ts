import { join } from 'node:path'
import { expect, it } from 'vitest'
import { axeFindings, findingsInBothThemes } from './axe.ts'
import { announced, artifactsDir, openDesk, openWindow, savedFile, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 20_000 }
const panel = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests', 'v10-walk-forward', 'panel.csv')

it('tests a portfolio as a trial, then a grid, and finds both in the ledger offline', async () => {
  const desk = await openDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Lab' }).click()
  await page.getByRole('button', { name: 'New portfolio test' }).click()
  await page.getByRole('switch').click()
  await page.getByRole('textbox', { name: 'File', exact: true }).fill(panel)
  await page.getByRole('textbox', { name: 'File', exact: true }).blur()
  // A phrase of the recipe opens its field.
  await page.getByRole('button', { name: /^Interval: / }).click()
  await page.getByRole('textbox', { name: 'Interval', exact: true }).fill('1d')
  await page.getByRole('textbox', { name: 'Signal' }).fill('signal')
  await page.getByRole('button', { name: /^Fee: / }).click()
  // A decimal number is not reformatted while the user types it.
  await page.getByRole('textbox', { name: 'Fee', exact: true }).pressSequentially('0.05')
  expect(await page.getByRole('textbox', { name: 'Fee', exact: true }).inputValue()).toBe('0.05')
  // The button shows the number that the trial will get; the test does not run by itself.
  await page.getByRole('button', { name: 'Run trial 1' }).waitFor(patience)
  await page.getByText('No answer yet').waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText(/the first trial of its family: nothing to deflate yet/).waitFor(patience)
  await page.getByText('Already recorded as entry 1').waitFor(patience)
  for (const name of ['Net Sharpe', 'Gross Sharpe', 'Deflated Sharpe', 'Break-even fee'])
    await page.getByRole('button', { name, exact: true }).waitFor()
  expect(await page.locator('.answer').innerText()).not.toMatch(/NaN|undefined/)
  expect(await axeFindings(page)).toEqual([])
  // The picture of the README shows the recipe with its fields closed, and so no path of a machine.
  const openPhrases = page.locator('.phrase[aria-expanded=true]')
  while ((await openPhrases.count()) > 0) await openPhrases.first().click()
  await page.screenshot({ path: join(artifactsDir, 'lab-test.png') })
  const saved = await savedFile(page, async () => {
    await page.getByRole('button', { name: /^Study/ }).click()
    await page.getByRole('menuitem', { name: /^Daily weights by symbol \(CSV\)/ }).click()
  })
  expect(saved.name).toBe('Portfolio test-weights.csv')
  // The result can be added to the workbench as series.
  const test = page.url()
  await page.getByRole('button', { name: /^Study/ }).click()
  await page.getByRole('menuitem', { name: 'Add to workbench' }).click()
  for (const name of ['Equity · Portfolio test', 'Gross exposure', 'Fees', 'Weight of BTC'])
    await page.getByText(name).first().waitFor(patience)
  expect(await page.getByText('computed here').count()).toBeGreaterThan(0)
  await page.goto(test)

  await page.getByRole('button', { name: /^Signal: / }).click()
  await page.getByRole('textbox', { name: 'Signal' }).fill('sma(signal, {n})')
  await page.getByRole('textbox', { name: '{n}' }).fill('1, 3, 10')
  await page.getByText('3 combinations: each counts as a trial.').waitFor(patience)
  await page.getByRole('button', { name: 'Run 3 trials' }).click(patience)
  await page.getByRole('heading', { name: 'Grid out of sample' }).waitFor(patience)
  expect(await page.locator('.answer').innerText()).toContain('3 trials of this family')

  // Every run is a trial of its own, which opens as it was; two lie over each other.
  const trials = page.getByRole('navigation', { name: 'Trials of this idea' })
  await trials.getByRole('button', { name: /^1 first/ }).click()
  await page.getByText(/the first trial of its family: nothing to deflate yet/).waitFor(patience)
  await expect.poll(() => page.getByRole('textbox', { name: 'Signal' }).inputValue(), patience).toBe('signal')
  await trials.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('heading', { name: 'What differs in the recipes' }).waitFor(patience)
  await page.getByRole('table', { name: 'What differs in the recipes' }).getByText('sma(signal, {n})').waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  await trials.getByRole('button', { name: 'Compare' }).click()
  // A narrow window shows the recipe or the answer, and brings forward what was asked for.
  await page.setViewportSize({ width: 412, height: 800 })
  const half = (name: string) => page.getByRole('radio', { name, exact: true })
  await half('Question').check({ force: true })
  await trials.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('heading', { name: 'What differs in the recipes' }).waitFor(patience)
  await half('Question').check({ force: true })
  await trials.getByRole('button', { name: 'Compare' }).click()
  await page.keyboard.press('Control+Enter')
  await page.locator('.answer .verdict').first().waitFor(patience)
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('button', { name: /^Study/ }).click()
  await page.getByRole('menuitem', { name: 'Trials' }).click()
  const families = page.getByRole('grid', { name: 'Families' })
  await families.getByText('sma(signal, {n})').dblclick(patience)
  await page.getByRole('grid', { name: 'Trials' }).getByText('Walk-forward').waitFor(patience)
  await page.getByRole('heading', { name: 'Trials against noise' }).waitFor()
  expect(await findingsInBothThemes(page)).toEqual([])
  // An entry of the record says how the days after its run came, or why none can.
  await page.getByRole('grid', { name: 'Trials' }).getByText('Walk-forward').dblclick(patience)
  await page.getByRole('status').getByText(/panel/).first().waitFor(patience)
  expect(await findingsInBothThemes(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'lab-trials.png') })
  const verify = page.getByRole('button', { name: 'Verify' })
  await announced(page, '6 entries; the chain and its copy are intact', () => verify.click())
})
