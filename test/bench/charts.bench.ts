import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { build, preview, type Plugin } from 'vite'
import { encodeWire } from '../../shared/contract/wire.ts'
import { walkingYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf, NotHere } from './benchLine.ts'
import { openBrowser } from './browser.ts'
import { cachedYear } from './cachedYear.ts'
import type { ChartBench } from './chartPage/main.ts'

const root = join(import.meta.dirname, 'chartPage')
const packagesFolder = join(import.meta.dirname, 'node_modules')
const { signal } = new AbortController()
const year = { startMs: Date.UTC(2025, 0), endMs: Date.UTC(2026, 0) }

/** Peers by name: their key in the page, and their packages and script. */
const peers = {
  'plain uPlot, all points': { key: 'uplot', packages: [], script: null },
  'ECharts, lttb': { key: 'echartsLttb', packages: ['echarts'], script: 'echarts/dist/echarts.min.js' },
  'ECharts, minmax': { key: 'echartsMinmax', packages: ['echarts'], script: 'echarts/dist/echarts.min.js' },
  'lightweight-charts': {
    key: 'lightweightCharts',
    packages: ['lightweight-charts'],
    script: 'lightweight-charts/dist/lightweight-charts.standalone.production.js',
  },
} as const
type PeerName = keyof typeof peers

function openYear(paths: readonly string[], interval: string) {
  const { series, desk, close } = cachedYear(paths, interval)
  const question = (column: string) => ({ series, timestamp: 'exchange', columns: [column], ...year }) as const
  return {
    /** Returns all rows of a column, for the peers, which reduce them themselves. */
    rows: async (column: string) => (await desk.read({ ...question(column), limitRows: Infinity }, signal)).frame,
    /** Returns the points that the workbench requests. */
    points: async (column: string) => (await desk.overview({ ...question(column), points: 4000 }, signal)).points,
    settled: () => desk.deps.summaries.waitUntilIdle(),
    close,
  }
}
interface BenchWindow {
  bench: ChartBench
}

type Year = ReturnType<typeof openYear>

const answersOf = (source: Year): Plugin => ({
  name: 'perpscope:answers',
  configurePreviewServer({ middlewares }) {
    const serve = (path: string, answer: (column: string) => Promise<unknown>) =>
      middlewares.use(path, ({ url = '' }, response: ServerResponse) => {
        answer(url.slice(1)).then(
          (value) => response.end(encodeWire(value)),
          (error: unknown) => response.writeHead(500).end(String(error)),
        )
      })
    serve('/rows', source.rows)
    serve('/points', source.points)
  },
})

async function servePage(source: Year) {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const shared = { configFile: false, root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } } as const
  await build({ ...shared, plugins: [vue()] })
  const plugins = [answersOf(source)]
  const server = await preview({ ...shared, plugins, preview: { host: '127.0.0.1', port: 0 } })
  const close = async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: server.resolvedUrls!.local[0], close }
}

/**
 * Draws our chart and a peer's in the same page of a real browser with the same year. Our time includes the core's
 * work, as in the app.
 */
async function task(work: 'show' | 'zoom', secondsPerRow: number, peerName: PeerName): Promise<BenchTask> {
  const { key, script } = peers[peerName]
  const scriptPath = script && join(packagesFolder, script)
  if (scriptPath && !existsSync(scriptPath))
    throw new NotHere(`${peerName} is not installed; run “npm ci” in test/bench`)
  const browser = await openBrowser()
  const source = openYear(await walkingYear(secondsPerRow), secondsPerRow === 60 ? '1m' : '15s')
  for (const column of ['c0', 'c1']) await source.points(column)
  await source.settled()
  const { url, close } = await servePage(source)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(url)
  if (scriptPath) await page.addScriptTag({ path: scriptPath })
  await page.evaluate((name) => (window as unknown as BenchWindow).bench.start(name), key)
  const run = (whose: 'ours' | 'peer', what: 'show' | 'zoom') =>
    page.evaluate(([id, name]) => (window as unknown as BenchWindow).bench[id][name](), [whose, what] as const)
  let at = 0
  const coreMs = () => (work === 'show' ? millisecondsOf(() => source.points(`c${at++ % 2}`)) : 0)
  // The slowest peer takes seconds per round, so it gets fewer rounds.
  const isSlow = key === 'lightweightCharts'
  for (let warmUp = 0; warmUp < 3; warmUp += 1) {
    await run('ours', 'show')
    if (warmUp === 0 || !isSlow) await run('peer', 'show')
  }
  return {
    rounds: isSlow ? 3 : 15,
    ours: async () => (await coreMs()) + (await run('ours', work)),
    peer: () => run('peer', work),
    close: async () => {
      await browser.close()
      await close()
      await source.close()
    },
  }
}

const pointCountBySeconds = { 60: '525,600', 15: '2,102,400' } as const

const line = (
  what: string,
  work: 'show' | 'zoom',
  seconds: keyof typeof pointCountBySeconds,
  peerName: PeerName,
  budget: number,
): BenchLine => ({
  name: `chart: ${pointCountBySeconds[seconds]} points, ${what} to painted, beside ${peerName}`,
  unit: 'ms',
  rule: 'atMost',
  budget,
  peerName,
  packages: peers[peerName].packages,
  prepare: () => task(work, seconds, peerName),
})

export const benchLines: BenchLine[] = [
  line('data', 'show', 60, 'plain uPlot, all points', 1),
  line('data', 'show', 15, 'plain uPlot, all points', 1),
  line('zoom', 'zoom', 15, 'plain uPlot, all points', 1),
  ...([60, 15] as const).flatMap((seconds) =>
    (['ECharts, lttb', 'ECharts, minmax', 'lightweight-charts'] as const).map((peerName) =>
      line('data', 'show', seconds, peerName, seconds === 60 ? 0.25 : 0.2),
    ),
  ),
]
