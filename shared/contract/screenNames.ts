/**
 * Names of the screens in the order of the places of the navigation rail. Addresses and links contain them, so a name never changes.
 */
export const screenNames = [
  'workbench',
  'watch',
  'inbox',
  'lab',
  'portfolios',
  'sql',
  'boards',
  'catalog',
  'coverage',
  'quality',
  'downloads',
  'raw',
  'guide',
  'settings',
] as const

export type ScreenName = (typeof screenNames)[number]
