import { linkSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import type { Store } from '../../electron/core/store/store.ts'
import { LONG_MS, tasksDuring } from '../../scripts/tasks/mainThread.mjs'
import type { Period } from '../../shared/time/periods.ts'
import { cachedFile, flowSeries } from '../fakes/cachedFiles.ts'
import { metricYear, type TradesDay, tradesDay } from './benchData.ts'
import type { BenchLine } from './benchLine.ts'
import { keepFiles } from './cachedYear.ts'
import { fillCoverage, fillQueue } from './exploreScreen.bench.ts'
import { onScreen } from './onScreen.ts'
import { fillPortfolios } from './portfolioScreen.bench.ts'

const minutes = flowSeries({ interval: '1m' })
const quarterMinutes = flowSeries({ interval: '15s' })

function keepTrades(store: Store, { path, exchange, symbol, day }: TradesDay): void {
  const series = {
    ...flowSeries(),
    kind: 'raw' as const,
    dataset: 'trades',
    exchange,
    symbol,
    interval: '',
    timestamp: '',
  }
  const target = store.folder.pathOf(series, day as Period)
  mkdirSync(dirname(target), { recursive: true })
  linkSync(path, target)
  const { sizeBytes, sha256, facts } = validateParquet(target)
  store.files.record([{ file: cachedFile(series, day as Period, { sizeBytes, sha256 }), facts }])
}

/** Returns the address of the workbench with 60 series: 43 columns of a year of 1m, and 17 of a year of 15s. */
function sixtySeries(): string {
  const shown = [...Array(43).keys()].map((at) => ({ ...minutes, column: `c${at}` }))
  const finer = [...Array(17).keys()].map((at) => ({ ...quarterMinutes, column: `c${at}` }))
  const series = [...shown, ...finer].map(({ dataset, column, exchange, symbol, interval, timestamp }) => ({
    dataset,
    column,
    exchange,
    symbol,
    interval,
    timestamp,
  }))
  return `/workbench?show=${encodeURIComponent(JSON.stringify(series))}`
}

/** Returns the address of a chart of two million points with all that is drawn beside lines. */
function allMarks(): string {
  const { dataset, exchange, symbol, interval, timestamp } = quarterMinutes
  const column = (name: string, at: number, fields: object = {}) => ({
    id: `s${at}`,
    name,
    source: { kind: 'column', dataset, column: `c${at}`, exchange, symbol, interval, timestamp },
    ...fields,
  })
  const panes = [
    [
      column('a', 0, { fill: { to: 'zero' } }),
      { id: 'on', name: 'on', source: { kind: 'formula', formula: 'a > 900' }, style: 'shade' },
    ],
    [column('b', 1, { transform: 'cumulative' })],
  ].map((series, at) => ({ id: `p${at}`, series }))
  const histogram = { id: 'histogram', distribution: 'histogram', series: [column('c', 2)] }
  const boxes = { id: 'boxes', distribution: 'hours', series: [column('d', 4)] }
  const document = { version: 1, panes: [...panes, histogram, boxes] }
  return `/workbench?show=${encodeURIComponent(JSON.stringify(document))}`
}

const rawAddress = ({ exchange, symbol, day }: TradesDay, tab: string) =>
  `/raw/${tab}?dataset=trades&exchange=${exchange}&symbol=${encodeURIComponent(symbol)}&day=${day}`

interface Stop {
  name: string
  address: string
  act?: (page: Page) => Promise<unknown>
}

const wheel = (page: Page) => page.mouse.move(600, 400).then(() => page.mouse.wheel(0, -240))

/** Zooms, drags the chart along and moves the pointer over it. */
async function lookAround(page: Page): Promise<void> {
  await wheel(page)
  await page.mouse.down()
  for (let x = 600; x > 400; x -= 10) await page.mouse.move(x, 400)
  await page.mouse.up()
  for (let x = 300; x < 800; x += 10) await page.mouse.move(x, 400)
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(600, 500)
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, 900)
}

async function reorderQueue(page: Page): Promise<void> {
  await page.locator('[role=grid] .row').nth(3).click()
  for (let press = 0; press < 3; press++) await page.keyboard.press('Alt+ArrowUp')
  await scroll(page)
}

const filter = (text: string) => async (page: Page) => {
  await page.locator('.tableToolbar input[type=search]').first().pressSequentially(text)
  await scroll(page)
}

/** Runs a query, then sorts, filters and scrolls its rows. */
async function sortAndFilter(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New query' }).first().click()
  await page.getByRole('textbox', { name: 'Query' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText("SELECT i, 'row' || (i % 977) AS name, random() AS x FROM range(100000) t(i)")
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText(/rows? in/).waitFor()
  for (const at of [0, 2]) await page.getByRole('columnheader').nth(at).click()
  await filter('row12')(page)
}

const stopsOf = (trades: TradesDay): Stop[] => [
  { name: '60 series', address: sixtySeries(), act: wheel },
  { name: 'All marks, 2 M points', address: allMarks(), act: lookAround },
  { name: 'Data', address: '/workbench/data', act: scroll },
  { name: 'Watch', address: '/watch' },
  { name: 'Boards', address: '/boards' },
  { name: 'Catalog', address: '/catalog' },
  { name: 'Coverage', address: '/coverage', act: filter('COIN1') },
  { name: 'Downloads, 100,000 jobs', address: '/downloads', act: reorderQueue },
  { name: 'Quality', address: '/quality' },
  { name: 'Lab', address: '/lab' },
  { name: 'SQL, 100,000 rows', address: '/sql', act: sortAndFilter },
  { name: 'Portfolio', address: '/portfolios/portfolio?portfolio=one', act: scroll },
  { name: 'Weights, 450 tickers', address: '/portfolios/weights?portfolio=one', act: scroll },
  { name: 'Rows, 5 M trades', address: rawAddress(trades, 'rows'), act: scroll },
  { name: 'Tape, 5 M trades', address: rawAddress(trades, 'tape'), act: wheel },
  { name: 'Latency, 5 M trades', address: rawAddress(trades, 'latency') },
  { name: 'Inbox', address: '/inbox' },
  { name: 'Settings', address: '/settings', act: scroll },
  { name: 'Guide', address: '/guide', act: scroll },
]

const SETTLE_MS = 2500

/** Visits each screen and works on it; returns the longest task and prints the screens that had long tasks. */
async function longestTask(page: Page, stops: readonly Stop[]): Promise<number> {
  let longest = 0
  for (const { name, address, act } of stops) {
    const tasks = await tasksDuring(page, async () => {
      await page.evaluate((to) => (location.hash = to), address)
      await page.waitForTimeout(SETTLE_MS)
      await act?.(page)
      await page.waitForTimeout(SETTLE_MS)
    })
    const longTasksMs = tasks.filter((spentMs) => spentMs > LONG_MS).map(Math.round)
    if (longTasksMs.length > 0) console.error(`       ${name}: tasks of ${longTasksMs.join(', ')} ms`)
    longest = Math.max(longest, ...tasks)
  }
  return longest
}

export const benchLines: BenchLine[] = [
  {
    name: 'window: longest task in a walk through all screens',
    unit: 'ms of processor',
    rule: 'value',
    budget: LONG_MS,
    peerName: null,
    async prepare() {
      const [minuteFiles, finerFiles] = [await metricYear(60, 43), await metricYear(15, 20)]
      const trades = await tradesDay(5_000_000)
      const fill = (store: Store) => {
        fillCoverage(store)
        fillQueue(store)
        fillPortfolios(store, 450)
        keepFiles(store, minutes, minuteFiles)
        keepFiles(store, quarterMinutes, finerFiles)
        keepTrades(store, trades)
      }
      return onScreen({
        fill,
        address: '/settings',
        rounds: 1,
        async work(page) {
          await page.waitForTimeout(SETTLE_MS)
          return () => longestTask(page, stopsOf(trades))
        },
      })
    },
  },
]
