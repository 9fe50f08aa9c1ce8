import { nativeTheme, type BrowserWindow } from 'electron'
import type { Settings } from '#shared/contract/areas/settings.ts'
import type { Client } from '#shared/contract/client.ts'

/** Lets the system's own parts and the size of the page follow the person's settings, whoever changes them. */
export async function followSettings(client: Client, window: () => BrowserWindow | null): Promise<() => Settings> {
  let settings = await client.call('settings.read', {})
  const apply = () => {
    nativeTheme.themeSource = settings.theme
    window()?.webContents.setZoomFactor(settings.zoom)
  }
  client.on('settings.changed', (changed) => {
    settings = changed
    apply()
  })
  apply()
  return () => settings
}
