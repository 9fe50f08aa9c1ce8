import type { Settings } from './areas/settings.ts'

/** Settings of a first start, in a file without their schema because a window does not load the schema at its start. */
export const defaultSettings: Settings = {
  theme: 'system',
  density: 'compact',
  zoom: 1,
  timeZone: 'utc',
  csvText: 'guarded',
  offline: false,
  downloadConcurrency: 6,
  downloadHostConcurrency: null,
  downloadRateCapMb: null,
  notifyWhenDone: true,
  keepAwake: true,
  checkQuality: true,
  cacheLimitGb: null,
  updateFeed: '',
  proxy: '',
  proxyExcept: '',
  extraCaFile: '',
  localDoor: false,
  sampleData: 'never',
  stepsDone: [],
  stepsHidden: false,
  formulaFunctions: [],
  watchColumns: [],
  favouritePortfolios: [],
}
