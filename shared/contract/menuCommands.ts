/** The commands that a desktop menu may choose (`menu.chosen`); the window's own commands carry the same ids. */
export const menuCommands = [
  'help.about',
  'help.shortcuts',
  'palette.open',
  'files.import',
  'workspace.open',
  'workspace.save',
  'go.back',
  'go.forward',
  'go.workbench',
  'go.catalog',
  'go.coverage',
  'go.downloads',
  'go.portfolios',
  'go.raw',
  'go.settings',
  'zoom.in',
  'zoom.out',
  'zoom.reset',
] as const

export type MenuCommand = (typeof menuCommands)[number]
