/** Titles of the settings sections, in a file without the other texts because the palette lists them at a start. */
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
