import type { Shown, Stage, View } from '../stage.ts'

/**
 * State of the app that is worth a picture. Scenes run in a fixed order; each starts where the previous one has left
 * the app.
 */
export interface Scene extends Shown {
  name: string
  /** Themes and sizes of the pictures; dark at 1280 × 800 by default. */
  views?: readonly View[]
  open(stage: Stage): Promise<unknown>
  /** Closes what would disturb the next scene, such as an open dialog. */
  close?(stage: Stage): Promise<unknown>
}

export const dark: View = { theme: 'dark', width: 1280 }
export const light: View = { theme: 'light', width: 1280 }
export const wideDark: View = { theme: 'dark', width: 1920 }
export const wideLight: View = { theme: 'light', width: 1920 }

/** Selectors use roles, because texts and class names change more often. */
export const cell = '[role=grid] [role=gridcell]'
export const chart = '[role=application]'
export const dialog = '[role=dialog][aria-modal]'
export const picture = 'main [role=img]'

export const visit =
  (address: string, selector: string) =>
  ({ go }: Stage): Promise<void> =>
    go(address, selector)

export async function press({ page }: Stage, keys: string, selector: string): Promise<void> {
  await page.keyboard.press(keys)
  await page.locator(selector).first().waitFor()
}

export async function escape({ page }: Stage): Promise<void> {
  await page.keyboard.press('Escape')
  await page.locator(`${dialog}, [role=menu]`).waitFor({ state: 'detached' })
}

/** Waits until `files` files are downloaded; throws if a download fails. */
export async function waitForDownloads({ client }: Stage, files: number): Promise<void> {
  const counts = async () => (await client.call('downloads.progress', {})).counts
  for (let now = await counts(); now.done < files; now = await counts()) {
    if (now.failed > 0) throw new Error('A download failed.')
    await new Promise((later) => setTimeout(later, 50))
  }
}
