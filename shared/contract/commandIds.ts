/**
 * Ids of the window's commands that something outside the window may ask for (`menu.chosen`): the application's menu
 * and the window's registry speak of the same command by the same word. Screens add further commands of their own.
 */
export const commandIds = [
  'palette.open',
  'shortcuts.show',
  'view.workbench',
  'view.catalog',
  'view.coverage',
  'view.downloads',
  'view.portfolios',
  'view.raw',
  'settings.open',
  'settings.connections',
  'settings.about',
  'requests.show',
  'diagnostics.copy',
  'files.open',
  'offline.toggle',
  'theme.toggle',
  'density.toggle',
  'zone.toggle',
  'zoom.in',
  'zoom.out',
  'zoom.reset',
  'history.back',
  'history.forward',
] as const

export type CommandId = (typeof commandIds)[number]
