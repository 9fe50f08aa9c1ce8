/** Titles of the settings sections, apart from the other texts because the palette lists them at a window's start. */
export const settingsSections = {
  connections: 'Connections',
  appearance: 'Appearance',
  time: 'Time zone',
  instruments: 'Instruments',
  documents: 'Documents folder',
  downloads: 'Downloads',
  network: 'Network',
  cache: 'Cache',
  requests: 'Requests',
  about: 'About',
} as const
