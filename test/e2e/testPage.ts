import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { type BrowserContextOptions, chromium, type Browser, type Page } from 'playwright-core'
import { build, preview, type PreviewServer } from 'vite'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { artifactsDir, browserArgs } from './harness.ts'

/** A page of `pages/` that shows one component; it is built once per test file, and each test opens it again. */
export interface TestPage {
  readonly page: Page
  open(query: Record<string, string | number>, options?: BrowserContextOptions): Promise<Page>
}

export function useTestPage(name: string): TestPage {
  let outDir = ''
  let server: PreviewServer
  let browser: Browser
  let page: Page
  let complaints: string[] = []

  beforeAll(async () => {
    mkdirSync(artifactsDir, { recursive: true })
    const root = fileURLToPath(new URL(`pages/${name}`, import.meta.url))
    outDir = mkdtempSync(join(tmpdir(), 'perpscope-page-'))
    const shared = { configFile: false, root, logLevel: 'warn', build: { outDir, emptyOutDir: true } } as const
    await build({ ...shared, plugins: [vue()] })
    server = await preview({ ...shared, preview: { host: '127.0.0.1', port: 0, strictPort: true } })
    browser = await chromium.launch({
      executablePath: process.env.PERPSCOPE_CHROMIUM || '/usr/bin/chromium',
      args: browserArgs,
    })
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
    rmSync(outDir, { recursive: true, force: true })
  })

  afterEach(async () => {
    await page.context().close()
    expect(complaints).toEqual([])
  })

  return {
    get page() {
      return page
    },
    async open(query, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
      page = await context.newPage()
      complaints = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      const given = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
      await page.goto(`${server.resolvedUrls!.local[0]}?${given}`)
      return page
    },
  }
}
