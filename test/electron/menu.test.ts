import { expect, it, vi } from 'vitest'
import type { MenuItemConstructorOptions } from 'electron'
import { ipcChannels } from '#shared/contract/ipcChannels.ts'
import { commandIds } from '#shared/contract/commandIds.ts'
import { menuTemplate } from '../../electron/main/menu.ts'
import { desktop } from '../fakes/electron.ts'
import { openPage, startedDesktop } from '../fakes/startedDesktop.ts'
import { FakeWindow } from '../fakes/electronWindow.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

const itemsOf = (menu: MenuItemConstructorOptions): MenuItemConstructorOptions[] =>
  (menu.submenu ?? []) as MenuItemConstructorOptions[]
const everyItem = (template: MenuItemConstructorOptions[]) => template.flatMap(itemsOf)
const headings = (template: MenuItemConstructorOptions[]) => template.map(({ label, role }) => label ?? role)

const mac = menuTemplate('darwin', () => {})
const others = (['win32', 'linux'] as const).map((platform) => menuTemplate(platform, () => {}))

it('has on macOS the application’s own menu with settings, hiding and quitting', () => {
  expect(headings(mac)).toEqual(['Perpscope', '&File', 'editMenu', '&View', '&Go', 'windowMenu', 'help'])
  const own = itemsOf(mac[0]).map(({ role, id }) => role ?? id)
  expect(own.filter(Boolean)).toEqual(['help.about', 'go.settings', 'services', 'hide', 'hideOthers', 'unhide', 'quit'])
  expect(itemsOf(mac[1]).some(({ role }) => role === 'close')).toBe(true)
})

it('has elsewhere settings and quitting under File, and About under Help', () => {
  for (const template of others) {
    expect(headings(template)).toEqual(['&File', 'editMenu', '&View', '&Go', 'windowMenu', 'help'])
    const file = itemsOf(template[0]).map(({ role, id }) => role ?? id)
    expect(file).toEqual(expect.arrayContaining(['go.settings', 'quit']))
    expect(itemsOf(template.at(-1)!).map(({ id }) => id)).toContain('help.about')
  }
})

it.each([['darwin', mac] as const, ['others', others[0]] as const])(
  'offers only commands that the window knows, each once: %s',
  (_platform, template) => {
    const ids = everyItem(template)
      .map(({ id }) => id)
      .filter((id) => id !== undefined)
    expect(new Set(ids).size).toBe(ids.length)
    expect(commandIds).toEqual(expect.arrayContaining(ids))
  },
)

it.each([['darwin', mac] as const, ['others', others[0]] as const])(
  'gives no shortcut twice: %s',
  (_platform, template) => {
    const shortcuts = everyItem(template)
      .map(({ accelerator }) => accelerator)
      .filter(Boolean)
    expect(new Set(shortcuts).size).toBe(shortcuts.length)
  },
)

const events = (window: FakeWindow) =>
  window.webContents.sent.filter(({ message }) => (message as { kind: string }).kind === 'event')

it('keeps a command that is chosen without a window for the window that opens', async () => {
  const { window } = await startedDesktop()
  window.destroy()
  desktop.exitCode = null
  const settings = everyItem(desktop.menu ?? []).find(({ id }) => id === 'go.settings') as { click(): void }
  settings.click()
  const [opened] = FakeWindow.open
  openPage(opened)
  expect(events(opened)).toMatchObject([{ message: { name: 'menu.chosen', payload: { command: 'go.settings' } } }])
})

it('tells the window which command was chosen', async () => {
  const { window } = await startedDesktop()
  openPage(window)
  const palette = everyItem(desktop.menu ?? []).find(({ id }) => id === 'palette.open') as { click(): void }
  palette.click()
  expect(events(window)).toMatchObject([
    {
      channel: ipcChannels.toWindow,
      message: { kind: 'event', name: 'menu.chosen', payload: { command: 'palette.open' } },
    },
  ])
})
