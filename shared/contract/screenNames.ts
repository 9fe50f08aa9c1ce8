/**
 * Names of the screens in the order of the navigation rail. Addresses and links contain them, so a name never changes.
 */
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
