import { join } from 'node:path'
import type { Stage } from '../stage.ts'
import { cell, chart, dark, light, picture, visit, wideLight, type Scene } from './scene.ts'

const panels = join(import.meta.dirname, '..', '..', 'conformance', 'data')
const signalPanel = join(panels, 'studies', 'panels', 'planted.csv')
const testPanel = join(panels, 'portfolio-tests', 'v10-walk-forward', 'panel.csv')

/** How long a query took. */
const mask = '.facts'

const field = ({ page }: Stage, name: string) => page.getByRole('textbox', { name, exact: true })

async function fillFile(stage: Stage, path: string): Promise<void> {
  await field(stage, 'File').fill(path)
  await field(stage, 'File').blur()
}

async function fillPhrase(stage: Stage, name: string, text: string): Promise<void> {
  await stage.page.getByRole('button', { name: new RegExp(`^${name}: `) }).click()
  await field(stage, name).fill(text)
}

async function runTrial({ page }: Stage, trial: number): Promise<void> {
  await page.getByRole('button', { name: `Run trial ${trial}`, exact: true }).click()
  await page.getByText(`Already recorded as entry ${trial}`).waitFor()
}

export const lab: readonly Scene[] = [
  {
    name: 'lab-start',
    views: [dark, light],
    async open(stage) {
      await stage.go('lab', 'main h1')
      // The last ready-made study whose files are looked up.
      await stage.page.getByRole('button', { name: /^Funding carry, tested.*(fetch|cached)$/ }).waitFor()
    },
  },
  {
    name: 'lab-test',
    views: [dark, light, wideLight],
    async open(stage) {
      await stage.page.getByRole('button', { name: 'New portfolio test' }).click()
      await fillFile(stage, testPanel)
      await fillPhrase(stage, 'Interval', '1d')
      await field(stage, 'Signal').fill('signal')
      await runTrial(stage, 1)
    },
  },
  {
    name: 'lab-compare',
    async open(stage) {
      await field(stage, 'Signal').fill('sma(signal, 3)')
      await runTrial(stage, 2)
      const trials = stage.page.getByRole('navigation', { name: 'Trials of this idea' })
      await trials.getByRole('button', { name: 'Compare' }).click()
      await stage.page.getByRole('heading', { name: 'What differs in the recipes' }).waitFor()
    },
  },
  {
    name: 'lab-signal',
    views: [light],
    async open(stage) {
      await stage.go('lab', 'main h1')
      await stage.page.getByRole('button', { name: 'New signal study' }).click()
      await fillFile(stage, signalPanel)
      await field(stage, 'Signal').fill('signal')
      await stage.page.getByText('naive t').waitFor()
    },
  },
]

export const research: readonly Scene[] = [
  { name: 'watch', views: [dark, light], open: visit('watch', cell) },
  { name: 'inbox', views: [light], open: visit('inbox', 'main h1') },
  { name: 'quality', open: visit('quality', 'main h1') },
  { name: 'sql-start', views: [light], open: visit('sql', 'main h1') },
  {
    name: 'sql',
    views: [dark, light],
    mask,
    async open({ page }) {
      await page.getByRole('button', { name: 'New query' }).click()
      const query = page.getByRole('textbox', { name: 'Query' })
      await query.fill('SELECT time, symbol, funding_rate\nFROM metrics.funding\nORDER BY time')
      await query.press('Control+Enter')
      await page.getByText(/^[\d\s]+ rows in/).waitFor()
      await page.getByText('Chart', { exact: true }).click()
      await page.locator(picture).first().waitFor()
    },
  },
  { name: 'boards', views: [light], open: visit('boards', 'main h1') },
  {
    name: 'board',
    views: [dark, light],
    async open({ page }) {
      await page.getByRole('button', { name: /^Morning look/ }).click()
      await page.locator(`${picture}, ${chart}`).first().waitFor()
    },
  },
]
