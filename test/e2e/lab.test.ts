import { join } from 'node:path'
import { expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { artifactsDir, openDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 20_000 }
const panel = join(import.meta.dirname, '..', 'conformance', 'data', 'studies', 'panels', 'planted.csv')

it('asks a question of a panel, sees the cells behind the answer, and opens it again offline', async () => {
  const desk = await openDesk()
  const { page } = await openWindow(desk.host.url)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Lab' }).click()
  await page.getByRole('button', { name: 'New signal study' }).click()
  // The message about a missing field appears both at the field and beside the result.
  await page.getByText('Signal is needed.', { exact: true }).first().waitFor(patience)
  await page.getByRole('textbox', { name: 'File', exact: true }).fill(panel)
  await page.getByRole('textbox', { name: 'File', exact: true }).blur()
  await page.getByText('Columns: close, signal').waitFor(patience)
  await page.getByRole('textbox', { name: 'Signal' }).fill('signal')
  // A small study runs by itself when the user stops typing.
  await page.getByText('naive t').waitFor(patience)
  // Every run of the Lab is recorded in the trial ledger before its result appears.
  expect(await page.getByText('unrecorded').count()).toBe(0)
  await page.getByRole('heading', { name: 'Return by quantile', exact: true }).waitFor()
  expect(await page.locator('.answer').innerText()).not.toMatch(/NaN|undefined/)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'lab-signal.png') })
  // The attrition table leads to the symbols of a time, and a symbol to its rows.
  await page.getByRole('button', { name: 'Why is a symbol missing?' }).click()
  const symbols = page.getByRole('grid', { name: /^Symbols at/ })
  await symbols.getByText('P00').dblclick(patience)
  await page.getByRole('grid', { name: 'Rows of P00' }).waitFor(patience)
  const [download] = await Promise.all([
    page.waitForEvent('download', patience),
    page.getByRole('button', { name: 'SVG of Decay' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Signal-study-Decay.svg')
  // Every figure is available as a table, too.
  await page.getByRole('button', { name: 'Table of Decay' }).click()
  await page.getByRole('region', { name: 'Table of Decay' }).getByRole('columnheader').first().waitFor(patience)
  await page.getByRole('button', { name: 'Table of Decay' }).click()
  // The message about a formula with an unknown column names the field and the column.
  await page.getByRole('textbox', { name: 'Signal' }).fill('nothere')
  await page.getByText('it says what is wrong at “Signal”').waitFor(patience)
  await page
    .getByRole('alert')
    .getByText(/nothere/)
    .waitFor()
  await page.getByRole('textbox', { name: 'Signal' }).fill('signal')
  const address = page.url()
  await page.getByRole('switch').click()
  await page.reload()
  await page.getByText('naive t').waitFor(patience)
  expect(page.url()).toBe(address)
  await page.getByRole('button', { name: /^Study/ }).click()
  await page.getByRole('menuitem', { name: 'All studies' }).click()
  await page.getByRole('grid', { name: 'Studies' }).getByText('Signal study').waitFor(patience)
  // A ready-made study opens as a new study with all its fields filled in.
  await page.getByRole('button', { name: /^Funding carry.*Do perpetuals/ }).click()
  await page.getByRole('button', { name: /^Signal: / }).click()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Signal' }).inputValue())
    .toBe('-sma(funding.funding_rate, 24)')
})
