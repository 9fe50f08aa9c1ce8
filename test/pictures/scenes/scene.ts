import type { Stage, View } from '../stage.ts'

/** A state of the app worth a picture. Scenes run in one order, each from where the one before has left the app. */
export interface Scene {
  name: string
  /** Themes and sizes to picture; dark at 1280 × 800 by default. */
  views?: readonly View[]
  /** Selector of parts that differ from run to run, such as durations: they are left out of the picture. */
  mask?: string
  open(stage: Stage): Promise<unknown>
  /** Closes what the next scene cannot start from, such as an open dialog. */
  close?(stage: Stage): Promise<unknown>
}

export const dark: View = { theme: 'dark', width: 1280 }
export const light: View = { theme: 'light', width: 1280 }
export const wideDark: View = { theme: 'dark', width: 1920 }
export const wideLight: View = { theme: 'light', width: 1920 }

/** Selectors by role, because texts and class names change more often. */
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

/** Runs the queue until so many files were downloaded. */
export async function downloaded({ client }: Stage, files: number): Promise<void> {
  const counts = async () => (await client.call('downloads.progress', {})).counts
  for (let now = await counts(); now.done < files; now = await counts()) {
    if (now.failed > 0) throw new Error('A download failed.')
    await new Promise((later) => setTimeout(later, 50))
  }
}
