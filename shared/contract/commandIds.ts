/**
 * Ids of the window's commands that something outside the window may ask for (`menu.chosen`): the application's menu
 * and the window's registry speak of the same command by the same word. Screens add further commands of their own.
 */
export const commandIds = [
  'palette.open',
  'help.shortcuts',
  'help.about',
  'help.firstSteps',
  'go.workbench',
  'go.catalog',
  'go.coverage',
  'go.downloads',
  'go.watch',
  'go.boards',
  'go.quality',
  'go.lab',
  'go.sql',
  'go.portfolios',
  'go.raw',
  'go.inbox',
  'go.settings',
  'go.guide',
  'go.connections',
  'go.requests',
  'go.back',
  'go.forward',
  'files.import',
  'workspace.open',
  'workspace.save',
  'diagnostics.copy',
  'offline.toggle',
  'theme.toggle',
  'density.toggle',
  'zone.toggle',
  'zoom.in',
  'zoom.out',
  'zoom.reset',
] as const

export type CommandId = (typeof commandIds)[number]
