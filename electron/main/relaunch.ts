import { app } from 'electron'
import { ownAppImage } from '#core/ports.ts'
import { requestedDataDir } from './launchOptions.ts'

/**
 * Restarts the app on the same data folder once this process has ended.
 * @param openings files and links for the next start to open
 */
export function relaunch(openings: readonly string[] = []): void {
  const checkout = app.isPackaged ? [] : process.argv.slice(1, 2)
  const folder = requestedDataDir(process.argv)
  const args = [...checkout, ...(folder ? ['--data-dir', folder] : []), ...openings]
  // The program of an AppImage is in a mount that ends with this process, so the AppImage file itself is started.
  const execPath = ownAppImage()
  app.relaunch({ args, ...(execPath && { execPath }) })
}
