import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { systemClock } from '../../electron/core/ports.ts'
import { openStore, type Store } from '../../electron/core/store/store.ts'
import type { BenchTask } from './benchLine.ts'
import { openBrowser } from './browser.ts'

const root = resolve(import.meta.dirname, '../..')

export interface ScreenWork {
  /** Fills the store before the app starts. */
  fill: (store: Store) => void
  address: string
  rounds?: number
  /** Prepares the page and returns the function that measures one round. */
  work: (page: Page) => Promise<() => Promise<number>>
}

/** Opens the built app in a real browser and prepares the work to measure. */
export async function onScreen({ fill, address, rounds = 11, work }: ScreenWork): Promise<BenchTask> {
  const browser = await openBrowser()
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const store = openStore({ dataDir, clock: systemClock, log: { write() {} } })
  fill(store)
  store.close()
  const served = spawn(process.execPath, ['scripts/cli.mjs', '--data-dir', dataDir, '--json', 'serve'], { cwd: root })
  const [line] = (await once(served.stdout, 'data')) as [Buffer]
  const close = async () => {
    await browser.close()
    served.kill()
    await once(served, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto((JSON.parse(line.toString()) as { url: string }).url)
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await page.evaluate((to) => (location.hash = to), address)
    return { ours: await work(page), rounds, close }
  } catch (error) {
    await close()
    throw error
  }
}
