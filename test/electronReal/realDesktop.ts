import { rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'

/** Folder of the built app; Electron finds the main program through its package.json. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Path of the Electron executable; `npm run test:electron` finds it. */
export const electronProgram = process.env.PERPSCOPE_ELECTRON || null

export interface RealDesktop {
  app: ElectronApplication
  page: Page
  dataDir: string
  close(): Promise<void>
}

export const openRealDesktop = (): Promise<RealDesktop> => launchElectron([root])

/**
 * Starts a main program in real Electron, with an empty data folder.
 * @param args path of the program and its arguments
 */
export async function launchElectron(
  args: string[],
  options: { acceptDownloads?: boolean } = {},
): Promise<RealDesktop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-real-'))
  const app = await _electron.launch({
    executablePath: electronProgram ?? '',
    args: [...args, '--data-dir', dataDir],
    cwd: root,
    // Pages run in the system's sandbox, as they do for a user; Chromium refuses to start in it as root.
    chromiumSandbox: process.getuid?.() !== 0,
    ...options,
  })
  const page = await app.firstWindow()
  await page.waitForLoadState('load')
  return {
    app,
    page,
    dataDir,
    async close() {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
