import type { Page } from 'playwright-core'
import type { OwnedSeries } from '../../electron/core/store/seriesIndex.ts'
import type { Store } from '../../electron/core/store/store.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { walkingYear, walkingYears } from './benchData.ts'
import type { BenchLine } from './benchLine.ts'
import { keepFiles } from './cachedYear.ts'
import { onScreen } from './onScreen.ts'

const minutes = flowSeries({ interval: '1m' })
const quarterMinutes = flowSeries({ interval: '15s' })

const addressOf = (column: string, series = minutes) => {
  const { dataset, exchange, symbol, interval, timestamp } = series
  return `/workbench?show=${encodeURIComponent(JSON.stringify([{ dataset, column, exchange, symbol, interval, timestamp }]))}`
}

/**
 * Measures milliseconds from a click on “Chart” of another column until the browser has painted the frame with its
 * year. Each round waits until a different point within a frame before it clicks; otherwise every click would come just
 * after a frame, and the result would be a whole number of frames whatever the app does.
 */
async function chartingMs(page: Page, column: string, series = minutes): Promise<number> {
  clicks += 1
  await page.waitForTimeout((clicks * CLICK_STEP_MS) % FRAME_MS)
  return page.evaluate(
    async ([address, name]) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      // The first task after a frame's callbacks runs once the frame is painted.
      const nextTask = () =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = resolve
          port2.postMessage(null)
        })
      const isShown = () =>
        document.querySelector('.chart-legend .name')?.textContent?.includes(`${name} ·`) &&
        document.querySelector('.bar [role=status]')?.textContent === ''
      const start = performance.now()
      location.hash = address
      do await frame()
      while (!isShown())
      await nextTask()
      return performance.now() - start
    },
    [addressOf(column, series), column] as const,
  )
}
let clicks = 0
const CLICK_STEP_MS = 5
const FRAME_MS = 17

/** Measures milliseconds from a wheel turn until its pixels can be read back. */
const zoomMs = (page: Page, by: number) =>
  page.evaluate(async (deltaY) => {
    const stage = document.querySelector('.stage')!
    const { left, top, width } = stage.getBoundingClientRect()
    const place = { clientX: left + width / 2, clientY: top + 60 }
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const start = performance.now()
    stage.dispatchEvent(new WheelEvent('wheel', { deltaY, ...place, bubbles: true, cancelable: true }))
    // The window updates its state and then the canvas in microtasks, which are done when the next message arrives.
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
    // Reading a pixel back forces all painting to finish.
    document.querySelector<HTMLCanvasElement>('.chart-canvas canvas')!.getContext('2d')!.getImageData(0, 0, 1, 1)
    return performance.now() - start
  }, by)

/** Measures milliseconds from a wheel turn to the first frame in which the window has stopped reading. */
const exactZoomMs = (page: Page, by: number) =>
  page.evaluate(async (deltaY) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const isReading = () => document.querySelector('.bar [role=status]')?.textContent !== ''
    const stage = document.querySelector('.stage')!
    const { left, top, width } = stage.getBoundingClientRect()
    const place = { clientX: left + width / 2, clientY: top + 60 }
    await frame()
    const start = performance.now()
    stage.dispatchEvent(new WheelEvent('wheel', { deltaY, ...place, bubbles: true, cancelable: true }))
    do await frame()
    while (isReading())
    return performance.now() - start
  }, by)

interface Charted {
  series: OwnedSeries
  paths: () => Promise<string[]>
  rounds: number
}
const yearOfMinutes: Charted = { series: minutes, paths: () => walkingYear(60), rounds: 21 }
const tenMillion: Charted = { series: quarterMinutes, paths: walkingYears, rounds: 5 }

const line = (
  name: string,
  budget: number,
  work: (page: Page) => Promise<() => Promise<number>>,
  { series, paths, rounds } = yearOfMinutes,
): BenchLine => ({
  name: `chart: ${name}`,
  unit: 'ms',
  rule: 'value',
  budget,
  peerName: null,
  prepare: async () => {
    const files = await paths()
    const fill = (store: Store) => keepFiles(store, series, files)
    return onScreen({ fill, address: addressOf('c0', series), rounds, work })
  },
})

/** Opens both columns several times, so that their summaries exist. */
async function warmUp(page: Page): Promise<void> {
  await page.getByRole('application').waitFor()
  for (let round = 0; round < 6; round += 1) {
    await chartingMs(page, `c${round % 2}`)
    await page.waitForTimeout(500)
  }
}

export const benchLines: BenchLine[] = [
  line('click on a cached series (year of 1m) to painted', 30, async (page) => {
    await warmUp(page)
    let at = 0
    return () => chartingMs(page, `c${++at % 2}`)
  }),
  line('zoom or pan to painted', 8, async (page) => {
    await warmUp(page)
    let at = 0
    return async () => {
      // The pause lets the previous wheel turn's requests finish, so that they do not count for this one.
      await page.waitForTimeout(200)
      return zoomMs(page, ++at % 8 < 4 ? -120 : 120)
    }
  }),
  line(
    'ten million points, opened for the first time',
    800,
    async (page) => {
      await page.getByRole('application').waitFor()
      let column = 0
      return () => chartingMs(page, `c${++column}`, quarterMinutes)
    },
    tenMillion,
  ),
  line(
    'ten million points, zoom to painted',
    100,
    async (page) => {
      await page.getByRole('application').waitFor()
      await page.waitForTimeout(2000)
      let at = 0
      return () => exactZoomMs(page, ++at % 8 < 4 ? -120 : 120)
    },
    { ...tenMillion, rounds: 15 },
  ),
]
