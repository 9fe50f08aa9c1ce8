import type { Page } from 'playwright-core'
import type { HistoryMatrix } from '../../shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { FIRST_DAY } from '../../electron/core/portfolio/portfolio.ts'
import type { Store } from '../../electron/core/store/store.ts'
import type { BenchLine } from './benchLine.ts'
import { onScreen } from './onScreen.ts'

const today = Math.floor(Date.now() / MS_PER_DAY)

function matrix(dayCount: number, columns: string[], cell: (at: number) => number): HistoryMatrix {
  const values = Float64Array.from({ length: dayCount * columns.length }, (_, at) => cell(at))
  return { days: Int32Array.from({ length: dayCount }, (_, row) => today - dayCount + row), columns, values }
}

/** Stores answers as if they had just been queried: returns of ten years, and 2,200 days of 150 weights. */
export function fillPortfolios(store: Store, columns = 150): void {
  const { id: connectionId } = store.connections.active()
  const save = (endpoint: string, portfolio: string, answer: HistoryMatrix) => {
    const key = { connectionId, endpoint, query: `portfolio=${portfolio}&exchange=unconstrained` }
    const fetched = { fetchedAtMs: Date.now(), source: 'bench', problems: [] }
    store.portfolio.saveDays(key, { start: FIRST_DAY, end: today + 1 }, answer, fetched)
  }
  for (const [place, name] of ['one', 'two'].entries())
    save(
      'returns',
      name,
      matrix(3650, ['returns'], (at) => Math.sin(at * at * 0.7 + place) * 0.02),
    )
  const tickers = Array.from({ length: columns }, (_, at) => `T${at}`)
  save(
    'history',
    'one',
    matrix(2200, tickers, (at) => Math.sin(at * 0.37) / columns),
  )
}

/** Measures milliseconds from opening a portfolio to the frame after the one in which the page shows it. */
const switchingMs = (page: Page, portfolio: string) =>
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

/** Measures milliseconds from choosing the heat map to the frame after the one in which it appears. */
const heatMapMs = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const choose = (title: string) =>
      [...document.querySelectorAll('label')].find(({ textContent }) => textContent?.trim() === title)?.click()
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
    onScreen({
      fill: fillPortfolios,
      address: '/portfolios/portfolio?portfolio=one',
      work: async (page) => {
        await page.getByRole('heading', { name: 'Returns of one' }).waitFor()
        let at = 0
        const ours = () => switchingMs(page, ++at % 2 === 1 ? 'two' : 'one')
        for (let warmUp = 0; warmUp < 4; warmUp += 1) await ours()
        return ours
      },
    }),
  ),
  line('heat map of 2,200 days × 150 tickers, chosen to painted', 200, () =>
    onScreen({
      fill: fillPortfolios,
      address: '/portfolios/weights?portfolio=one',
      work: async (page) => {
        await page.getByText('Heat map', { exact: true }).waitFor()
        await heatMapMs(page)
        return () => heatMapMs(page)
      },
    }),
  ),
]
