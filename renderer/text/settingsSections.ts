/** Titles of the settings sections, in a file of their own because the palette lists them as soon as the app starts. */
export const settingsSections = {
  connections: 'Connections',
  appearance: 'Appearance',
  time: 'Times and exports',
  instruments: 'Instruments',
  documents: 'Documents folder',
  downloads: 'Downloads',
  network: 'Network',
  cache: 'Cache',
  requests: 'Requests',
  about: 'About',
} as const
