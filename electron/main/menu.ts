import { Menu, type MenuItemConstructorOptions } from 'electron'
import type { CommandId } from '#shared/contract/commandIds.ts'

type Item = MenuItemConstructorOptions

/** Returns the application menu for this platform. A click on one of our own items is passed on as its command. */
export function menuTemplate(platform: NodeJS.Platform, choose: (command: CommandId) => void): Item[] {
  const item = (label: string, command: CommandId, accelerator?: string): Item => ({
    label,
    id: command,
    ...(accelerator && { accelerator }),
    click: () => choose(command),
  })
  const separator: Item = { type: 'separator' }
  const isMac = platform === 'darwin'
  const settings = item('Settings…', 'go.settings', 'CmdOrCtrl+,')
  const about = item('About Perpscope', 'help.about')

  const app: Item = {
    label: 'Perpscope',
    submenu: [
      about,
      separator,
      settings,
      separator,
      { role: 'services' },
      separator,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      separator,
      { role: 'quit' },
    ],
  }
  const file: Item = {
    label: '&File',
    submenu: [
      item('Open Workspace…', 'workspace.open', 'CmdOrCtrl+O'),
      item('Save Workspace As…', 'workspace.save', 'CmdOrCtrl+S'),
      separator,
      item('Import Raw Events…', 'files.import', 'CmdOrCtrl+I'),
      separator,
      ...(isMac ? [{ role: 'close' } satisfies Item] : [settings, separator, { role: 'quit' } satisfies Item]),
    ],
  }
  const view: Item = {
    label: '&View',
    submenu: [
      item('Command Palette…', 'palette.open', 'CmdOrCtrl+K'),
      separator,
      item('Larger', 'zoom.in', 'CmdOrCtrl+Plus'),
      item('Smaller', 'zoom.out', 'CmdOrCtrl+-'),
      item('Actual Size', 'zoom.reset', 'CmdOrCtrl+0'),
      separator,
      { role: 'reload' },
      { role: 'togglefullscreen' },
      { role: 'toggleDevTools' },
    ],
  }
  const help: Item = {
    role: 'help',
    submenu: [
      item('User Guide', 'go.guide'),
      item('Keyboard Shortcuts', 'help.shortcuts'),
      ...(isMac ? [] : [separator, about]),
    ],
  }
  const common: Item[] = [file, { role: 'editMenu' }, view, goMenu(item, isMac), { role: 'windowMenu' }, help]
  return isMac ? [app, ...common] : common
}

function goMenu(item: (label: string, command: CommandId, accelerator?: string) => Item, isMac: boolean): Item {
  const screens: [string, CommandId][] = [
    ['Workbench', 'go.workbench'],
    ['Catalog', 'go.catalog'],
    ['Coverage', 'go.coverage'],
    ['Downloads', 'go.downloads'],
    ['Portfolios', 'go.portfolios'],
    ['Raw Events', 'go.raw'],
  ]
  return {
    label: '&Go',
    submenu: [
      item('Back', 'go.back', isMac ? 'Cmd+[' : 'Alt+Left'),
      item('Forward', 'go.forward', isMac ? 'Cmd+]' : 'Alt+Right'),
      { type: 'separator' },
      ...screens.map(([label, command], index) => item(label, command, `CmdOrCtrl+${index + 1}`)),
    ],
  }
}

export function installMenu(choose: (command: CommandId) => void): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, choose)))
}
