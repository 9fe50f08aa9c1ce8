import type { Page } from 'playwright-core'
import { MS_PER_DAY } from '../../shared/time.ts'
import type { Store } from '../../electron/core/store/store.ts'
import type { BenchLine } from './benchLine.ts'
import { onScreen } from './onScreen.ts'

const SYMBOLS = 20_000
const FILES = 100_000
const today = Math.floor(Date.now() / MS_PER_DAY)

/** Fills the store with symbols like those of a raw-event index; every tenth has a base in another script. */
export function fillCoverage(store: Store): void {
  store.settings.change({ sampleData: 'removed', stepsHidden: true })
  const rows = Array.from({ length: SYMBOLS }, (_, at) => ({
    dataset: 'trades',
    exchange: `venue${at % 5}-futures`,
    symbol: `perpetual-${at % 10 === 0 ? '龙' : 'COIN'}${at}-USDT:USDT`,
    firstDay: today - 1000 - (at % 90),
    lastDay: today - 1,
    days: 1000 - (at % 7),
    missing: null,
    sizeBytes: null,
  }))
  const catalog = { datasets: [{ id: 'trades', exchanges: ['venue0-futures'], columns: [] }] }
  const document = {
    connectionId: store.connections.active().id,
    name: 'raw-catalog',
    body: JSON.stringify({ catalog, problems: [] }),
    fetchedAtMs: Date.now(),
    generatedAtMs: null,
    source: 'bench',
  }
  store.coverage.replaceCoverage(document, rows)
}

/** Fills the queue and pauses it, so that no download takes processor time from the window. */
export function fillQueue(store: Store): void {
  store.settings.change({ sampleData: 'removed', stepsHidden: true })
  const { id: connectionId } = store.connections.active()
  const nowMs = Date.now()
  const batch = store.jobs.newBatch('bench', nowMs)
  const names = {
    connectionId,
    kind: 'metrics',
    exchange: 'venuea-futures',
    interval: '1h',
    timestamp: 'exchange',
  } as const
  const days = Array.from({ length: 100 }, (_, at) =>
    new Date((today - 101 + at) * MS_PER_DAY).toISOString().slice(0, 10),
  )
  for (let at = 0; at < FILES; at += 5000) {
    const jobs = Array.from({ length: 5000 }, (_, of) => {
      const symbol = `perpetual-COIN${Math.floor((at + of) / days.length)}-USDT:USDT`
      return { series: { ...names, dataset: 'flow', symbol }, period: days[of % days.length], refresh: false }
    })
    store.jobs.add(batch, jobs, { priority: 0, nowMs })
  }
  store.jobs.pause(store.jobs.ids({}, 0, FILES))
}

/** Measures milliseconds from opening the screen to the frame after the one in which its rows have text. */
async function openingMs(page: Page, address: string): Promise<number> {
  return page.evaluate(async (to) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const hasRows = () => (document.querySelector('[role=grid] .row [role=gridcell]')?.textContent ?? '') !== ''
    location.hash = '/settings'
    while (document.querySelector('[role=grid]')) await frame()
    await frame()
    const start = performance.now()
    location.hash = to
    while (!hasRows()) await frame()
    await frame()
    return performance.now() - start
  }, address)
}

/** Measures milliseconds from a keystroke in the filter to the frame after the one in which the row count changes. */
async function filteringMs(page: Page, text: string): Promise<number> {
  return page.evaluate(async (typed) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const input = document.querySelector<HTMLInputElement>('.tableToolbar input[type=search]')!
    const counts = () => document.querySelector('.tableToolbar output')!.textContent
    const before = counts()
    const start = performance.now()
    input.value = typed
    input.dispatchEvent(new Event('input', { bubbles: true }))
    while (counts() === before) await frame()
    await frame()
    return performance.now() - start
  }, text)
}

/**
 * Scrolls the table down and up again by `stepPx` per frame; returns the number of frames without text in the visible
 * rows.
 */
async function blankFrames(page: Page, stepPx: number): Promise<number> {
  return page.evaluate(async (step) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const grid = document.querySelector('[role=grid]')!
    const isBlank = () =>
      ![...grid.querySelectorAll('.rows .row')].some((row) => row.querySelector('[role=gridcell]')?.textContent)
    let blankCount = 0
    for (let at = 0; at < 240; at += 1) {
      grid.scrollTop += at < 120 ? step : -step
      await frame()
      if (isBlank()) blankCount += 1
    }
    return blankCount
  }, stepPx)
}

const waitForRows = (page: Page) => page.locator('[role=grid] .row [role=gridcell]').first().waitFor()

const screens = [
  { what: 'coverage of 20,000 symbols', address: '/coverage', fill: fillCoverage, texts: ['COIN1', 'COIN12'] },
  { what: 'queue of 100,000 files', address: '/downloads', fill: fillQueue, texts: ['COIN1', 'COIN12'] },
]

export const benchLines: BenchLine[] = screens.flatMap(({ what, address, fill, texts }): BenchLine[] => {
  const prepared = (work: (page: Page) => () => Promise<number>): BenchLine['prepare'] => {
    const ready = async (page: Page) => {
      await waitForRows(page)
      const ours = work(page)
      for (let warmUp = 0; warmUp < 2; warmUp += 1) await ours()
      return ours
    }
    return () => onScreen({ fill, address, work: ready })
  }
  const line = { rule: 'value', peerName: null } as const
  return [
    {
      ...line,
      name: `explore: ${what}, opened again to first rows`,
      unit: 'ms',
      budget: 100,
      prepare: prepared((page) => () => openingMs(page, address)),
    },
    {
      ...line,
      name: `explore: ${what}, key stroke in the filter`,
      unit: 'ms',
      budget: 50,
      prepare: prepared((page) => {
        let at = 0
        return () => filteringMs(page, texts[at++ % texts.length])
      }),
    },
    {
      ...line,
      name: `explore: ${what}, scrolled by 600 px a frame`,
      unit: 'blank frames',
      budget: 0,
      prepare: prepared((page) => () => blankFrames(page, 600)),
    },
  ]
})
