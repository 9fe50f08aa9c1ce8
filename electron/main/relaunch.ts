import { app } from 'electron'
import { ownAppImage } from '#core/ports.ts'
import { askedDataDir } from './launchOptions.ts'

/**
 * Starts the app again, on the same data folder, once this process has ended.
 * @param openings files and links that the next start has to open
 */
export function relaunch(openings: readonly string[] = []): void {
  const checkout = app.isPackaged ? [] : process.argv.slice(1, 2)
  const folder = askedDataDir(process.argv)
  const args = [...checkout, ...(folder ? ['--data-dir', folder] : []), ...openings]
  // The program of an AppImage lies in a mount that is gone when this process has ended; the file itself stays.
  const execPath = ownAppImage()
  app.relaunch({ args, ...(execPath && { execPath }) })
}
