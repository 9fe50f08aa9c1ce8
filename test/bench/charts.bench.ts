import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { build, preview } from 'vite'
import vue from '@vitejs/plugin-vue'
import type { BenchLine, BenchTask } from './benchLine.ts'

const root = join(import.meta.dirname, '..', 'e2e', 'pages', 'chart')

interface BenchPage {
  bench: Record<'oursFull' | 'oursZoom' | 'plainFull' | 'plainZoom', (rows: number) => Promise<number>>
}

/** Ours and a plain uPlot with all points, in the same page of a real browser. */
async function task(work: 'Full' | 'Zoom', rows: number): Promise<BenchTask> {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const shared = { configFile: false, root, logLevel: 'error', build: { outDir: folder, emptyOutDir: true } } as const
  await build({ ...shared, plugins: [vue()] })
  const server = await preview({ ...shared, preview: { host: '127.0.0.1', port: 0 } })
  const browser = await chromium.launch({
    executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  })
  const page: Page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(`${server.resolvedUrls!.local[0]}?kind=bench`)
  await page.waitForFunction(() => 'bench' in window)
  const run = (whose: 'ours' | 'plain') =>
    page.evaluate(([name, count]) => (window as unknown as BenchPage).bench[name as 'oursFull'](count as number), [
      `${whose}${work}`,
      rows,
    ] as const)
  await run('ours')
  await run('plain')
  return {
    ours: () => run('ours'),
    peer: () => run('plain'),
    close: async () => {
      await browser.close()
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const line = (name: string, work: 'Full' | 'Zoom', rows: number, budget: number): BenchLine => ({
  name: `chart: ${name}`,
  unit: 'ms',
  rule: 'atMost',
  budget,
  peerName: 'plain uPlot, all points',
  prepare: () => task(work, rows),
})

export const benchLines: BenchLine[] = [
  line('525,600 points, data to painted', 'Full', 525_600, 1),
  line('2,102,400 points, data to painted', 'Full', 2_102_400, 1),
  line('2,102,400 points, zoom to painted', 'Zoom', 2_102_400, 1),
]
