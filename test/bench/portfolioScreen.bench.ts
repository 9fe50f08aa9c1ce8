import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import type { DayMatrix } from '#shared/portfolio/dayMatrix.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { BEGINNING } from '#core/portfolio/rangesToAsk.ts'
import { systemClock } from '#core/ports.ts'
import { openStore } from '#core/store/store.ts'
import type { BenchLine, BenchTask } from './benchLine.ts'

const root = resolve(import.meta.dirname, '../..')
const today = Math.floor(Date.now() / MS_PER_DAY)

function matrix(dayCount: number, columns: string[], cell: (at: number) => number): DayMatrix {
  const values = Float64Array.from({ length: dayCount * columns.length }, (_, at) => cell(at))
  return { days: Int32Array.from({ length: dayCount }, (_, row) => today - dayCount + row), columns, values }
}

/** Answers as if they had been asked for just now: returns of ten years, and 2,200 days of 150 weights. */
function fill(dataDir: string): void {
  const store = openStore({ dataDir, clock: systemClock, log: { write() {} } })
  const { id: connectionId } = store.connections.active()
  const save = (endpoint: string, portfolio: string, answer: DayMatrix) => {
    const key = { connectionId, endpoint, query: `portfolio=${portfolio}&exchange=unconstrained` }
    const fetched = { fetchedAtMs: Date.now(), source: 'bench', problems: [] }
    store.portfolio.saveDays(key, { start: BEGINNING, end: today + 1 }, answer, fetched)
  }
  for (const [place, name] of ['one', 'two'].entries())
    save(
      'returns',
      name,
      matrix(3650, ['returns'], (at) => Math.sin(at * at * 0.7 + place) * 0.02),
    )
  const tickers = Array.from({ length: 150 }, (_, at) => `T${at}`)
  save(
    'history',
    'one',
    matrix(2200, tickers, (at) => Math.sin(at * 0.37) / 150),
  )
  store.close()
}

/** The built app in a real browser, on answers that are in the cache. */
async function onScreen(address: string, work: (page: Page) => Promise<() => Promise<number>>): Promise<BenchTask> {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  fill(dataDir)
  const served = spawn(process.execPath, ['scripts/cli.mjs', '--data-dir', dataDir, '--json', 'serve'], { cwd: root })
  const [line] = (await once(served.stdout, 'data')) as [Buffer]
  const browser = await chromium.launch({
    executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto((JSON.parse(line.toString()) as { url: string }).url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.evaluate((to) => (location.hash = to), address)
  const ours = await work(page)
  return {
    ours,
    rounds: 11,
    close: async () => {
      await browser.close()
      served.kill()
      await once(served, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Milliseconds from another address to the frame after the one in which the page shows its portfolio. */
const switched = (page: Page, portfolio: string) =>
  page.evaluate(async (name) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isShown = () =>
      [...document.querySelectorAll('h2')].some(({ textContent }) => textContent === `Returns of ${name}`) &&
      !document.querySelector('.parts[aria-busy=true]')
    const start = performance.now()
    location.hash = `/portfolios/portfolio?portfolio=${name}`
    while (!isShown()) await frame()
    await frame()
    return performance.now() - start
  }, portfolio)

/** Milliseconds from choosing the heat map to the frame after the one in which it is there. */
const mapped = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const choose = (words: string) =>
      [...document.querySelectorAll('label')].find(({ textContent }) => textContent?.trim() === words)?.click()
    choose('Stacked area')
    while (document.querySelector('.heat-map')) await frame()
    await frame()
    const start = performance.now()
    choose('Heat map')
    while (!document.querySelector('.heat-map canvas')) await frame()
    await frame()
    return performance.now() - start
  })

const line = (name: string, budget: number, prepare: BenchLine['prepare']): BenchLine => ({
  name: `portfolio: ${name}`,
  unit: 'ms',
  rule: 'value',
  budget,
  peerName: null,
  prepare,
})

export const benchLines: BenchLine[] = [
  line('another portfolio of ten years from the cache to painted', 150, () =>
    onScreen('/portfolios/portfolio?portfolio=one', async (page) => {
      await page.getByRole('heading', { name: 'Returns of one' }).waitFor()
      let at = 0
      const ours = () => switched(page, ++at % 2 === 1 ? 'two' : 'one')
      for (let warmUp = 0; warmUp < 4; warmUp += 1) await ours()
      return ours
    }),
  ),
  line('heat map of 2,200 days × 150 tickers, chosen to painted', 200, () =>
    onScreen('/portfolios/weights?portfolio=one', async (page) => {
      await page.getByText('Heat map', { exact: true }).waitFor()
      await mapped(page)
      return () => mapped(page)
    }),
  ),
]
