import { linkSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Page } from 'playwright-core'
import { validateParquet } from '../../electron/core/downloads/verifyFile.ts'
import type { Store } from '../../electron/core/store/store.ts'
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

const rawAddress = ({ exchange, symbol, day }: TradesDay, tab: string) =>
  `/raw/${tab}?dataset=trades&exchange=${exchange}&symbol=${encodeURIComponent(symbol)}&day=${day}`

interface Stop {
  name: string
  address: string
  act?: (page: Page) => Promise<unknown>
}

const wheel = (page: Page) => page.mouse.move(600, 400).then(() => page.mouse.wheel(0, -240))

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

const stopsOf = (trades: TradesDay): Stop[] => [
  { name: '60 series', address: sixtySeries(), act: wheel },
  { name: 'Data', address: '/workbench/data', act: scroll },
  { name: 'Watch', address: '/watch' },
  { name: 'Boards', address: '/boards' },
  { name: 'Catalog', address: '/catalog' },
  { name: 'Coverage', address: '/coverage', act: filter('COIN1') },
  { name: 'Downloads, 100,000 jobs', address: '/downloads', act: reorderQueue },
  { name: 'Quality', address: '/quality' },
  { name: 'Lab', address: '/lab' },
  { name: 'SQL', address: '/sql' },
  { name: 'Portfolio', address: '/portfolios/portfolio?portfolio=one', act: scroll },
  { name: 'Weights, 450 tickers', address: '/portfolios/weights?portfolio=one', act: scroll },
  { name: 'Rows, 5 M trades', address: rawAddress(trades, 'rows'), act: scroll },
  { name: 'Tape, 5 M trades', address: rawAddress(trades, 'tape'), act: wheel },
  { name: 'Latency, 5 M trades', address: rawAddress(trades, 'latency') },
  { name: 'Inbox', address: '/inbox' },
  { name: 'Settings', address: '/settings', act: scroll },
  { name: 'Guide', address: '/guide', act: scroll },
]

interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  /** Processor time of the thread in microseconds. */
  tdur?: number
  args?: { name?: string }
}

/**
 * Returns the tasks of the page's main thread in milliseconds of processor time, which other work on the machine does
 * not stretch.
 */
function tasksIn(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] }
  const keyOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const mainThreads = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(keyOf),
  )
  return traceEvents
    .filter((event) => event.name.endsWith('RunTask') && event.tdur !== undefined && mainThreads.has(keyOf(event)))
    .map(({ tdur }) => tdur! / 1000)
}

const SETTLE_MS = 2500
const LONG_MS = 50

/** Visits each screen and works on it; returns the longest task and prints the screens that had long tasks. */
async function longestTask(page: Page, stops: readonly Stop[]): Promise<number> {
  const browser = page.context().browser()!
  let longest = 0
  for (const { name, address, act } of stops) {
    await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
    await page.evaluate((to) => (location.hash = to), address)
    await page.waitForTimeout(SETTLE_MS)
    await act?.(page)
    await page.waitForTimeout(SETTLE_MS)
    const tasks = tasksIn(await browser.stopTracing())
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
