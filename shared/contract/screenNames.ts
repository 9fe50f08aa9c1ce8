/** Names of the screens in the order of the rail. They are in addresses and links, so a name is never changed. */
export const screenNames = [
  'workbench',
  'watch',
  'boards',
  'catalog',
  'coverage',
  'downloads',
  'quality',
  'lab',
  'sql',
  'portfolios',
  'raw',
  'inbox',
  'settings',
  'guide',
] as const

export type ScreenName = (typeof screenNames)[number]
