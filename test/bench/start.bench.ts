import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { addNote } from '../../shared/workspace/edit.ts'
import { emptyDocument } from '../../shared/workspace/workspace.ts'
import type { BenchLine, BenchTask } from './benchLine.ts'
import { openBrowser } from './browser.ts'
import { filledStore } from './filledIndex.ts'

const root = resolve(import.meta.dirname, '../..')
const rendererDir = join(root, 'out', 'renderer')

interface Served {
  process: ChildProcess
  url: string
  readyMs: number
  dataDir: string
}

/** Starts the built browser host as a separate process, as `perpscope serve` does. */
async function serve(dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))): Promise<Served> {
  if (!existsSync(join(rendererDir, 'index.html'))) throw new Error('Nothing is built; run “npm run build” first.')
  const startedMs = performance.now()
  const started = spawn(process.execPath, ['scripts/cli.mjs', '--data-dir', dataDir, '--json', 'serve'], { cwd: root })
  const [line] = (await once(started.stdout, 'data')) as [Buffer]
  const readyMs = performance.now() - startedMs
  const { url } = JSON.parse(line.toString()) as { url: string }
  return { process: started, url, readyMs, dataDir }
}

async function stop({ process: served }: Served): Promise<void> {
  served.kill()
  await once(served, 'exit')
}

/** Runs `work` with a host on a new data folder, which is removed afterwards. */
async function withHost<Result>(work: (served: Served) => Promise<Result>): Promise<Result> {
  const served = await serve()
  try {
    return await work(served)
  } finally {
    await stop(served)
    rmSync(served.dataDir, { recursive: true, force: true })
  }
}

async function readyMs(dataDir: string): Promise<number> {
  const served = await serve(dataDir)
  await stop(served)
  return served.readyMs
}

/** Opens a full data folder and an empty one in turn; both have been opened before. */
async function fullFolderTask(): Promise<BenchTask> {
  const { dataDir: full, store } = filledStore(1_000_000)
  let noted = emptyDocument()
  for (let at = 0; at < 100; at++) noted = addNote(noted, at, `What happened at ${at}`)
  for (let at = 0; at < 200; at++) store.documents.workspace.create(`Workspace ${at}`, noted)
  store.close()
  const empty = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  for (const folder of [full, empty]) await readyMs(folder)
  return {
    rounds: 9,
    ours: () => readyMs(full),
    peer: () => readyMs(empty),
    close: async () => {
      for (const folder of [full, empty]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Records the time of the first screen within the page, because the page knows the exact frame, whereas the browser
 * driver polls.
 */
function noteFirstScreen(): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('[aria-label="Getting started"]')) return
    observer.disconnect()
    requestAnimationFrame(() => setTimeout(() => performance.mark('first screen')))
  })
  observer.observe(document, { childList: true, subtree: true })
}

/**
 * Measures from the start of the host's process until the workbench is on screen and reacts to a click; the browser
 * already runs.
 */
async function firstScreenTask() {
  const browser = await openBrowser()
  const ours = () =>
    withHost(async ({ url, readyMs }) => {
      const page = await browser.newPage()
      await page.addInitScript(noteFirstScreen)
      await page.goto(url, { waitUntil: 'commit' })
      // A click before this mark would leave the screen whose time is measured.
      await page.waitForFunction(() => performance.getEntriesByName('first screen').length > 0)
      await page.getByRole('navigation').first().getByText('Catalog').click()
      await page.waitForURL(/catalog/)
      const shownMs = await page.evaluate(() => performance.getEntriesByName('first screen')[0].startTime)
      await page.close()
      return readyMs + shownMs
    })
  return { ours, close: () => browser.close() }
}

/** Returns the compressed kilobytes of the scripts and styles that a window loads before its first screen. */
async function startKilobytes(): Promise<number> {
  const page = readFileSync(join(rendererDir, 'index.html'), 'utf8')
  const assets = readdirSync(join(rendererDir, 'assets')).filter(
    (name) => page.includes(name) && /\.(js|css)$/.test(name),
  )
  const sizes = assets.map((name) => gzipSync(readFileSync(join(rendererDir, 'assets', name)), { level: 9 }).length)
  return sizes.reduce((sum, size) => sum + size, 0) / 1024
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

export const benchLines: BenchLine[] = [
  {
    name: 'start: browser host to ready',
    unit: 'ms',
    rule: 'value',
    budget: 200,
    peerName: null,
    prepare: async () => ({ ours: () => withHost(async ({ readyMs }) => readyMs) }),
  },
  {
    name: 'start: browser host to ready with 1,000,000 files and 200 workspaces',
    unit: 'ms',
    rule: 'atMost',
    budget: 1.1,
    peerName: 'an empty data folder',
    prepare: fullFolderTask,
  },
  {
    name: 'start: browser host to first screen',
    unit: 'ms',
    rule: 'value',
    budget: 700,
    peerName: null,
    prepare: firstScreenTask,
  },
  {
    name: 'start: window before its first screen, gzip',
    unit: 'kB',
    rule: 'value',
    budget: 350,
    peerName: null,
    prepare: async () => ({ ours: startKilobytes, rounds: 1 }),
  },
  {
    name: 'start: memory of the idle core',
    unit: 'MB',
    rule: 'value',
    budget: 90,
    peerName: null,
    prepare: async () => ({ ours: () => withHost(async ({ process: { pid } }) => residentMb(pid ?? 0)), rounds: 3 }),
  },
]
