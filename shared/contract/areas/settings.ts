import * as z from '../../schemas/lazySchemas.ts'
import {
  MOST_OWN_CHARACTERS,
  MOST_OWN_FUNCTIONS,
  MOST_OWN_PARAMETERS,
  ownNameShape,
} from '../../formula/ownFunctionShape.ts'
import { csvTexts } from '../../units/csvCell.ts'
import { call } from '../spec.ts'
import { formulaColumn } from './watch.ts'

const ownName = z.string().regex(ownNameShape, 'must be a name of lower-case letters, digits and _')

/** A function of formulas that the person saved. */
const ownFunction = z.strictObject({
  name: ownName,
  parameters: z.array(ownName).min(1).max(MOST_OWN_PARAMETERS),
  formula: z.string().min(1).max(MOST_OWN_CHARACTERS),
})

/** Steps offered to a newcomer, in this order. */
export const firstSteps = ['coverage', 'download', 'portfolio', 'connect'] as const
export type FirstStep = (typeof firstSteps)[number]

/** Builds the message of a number outside its bounds, the same in forms and from the core. */
const between = (least: number, most: number) => `must be from ${least} to ${most}`
/** The message writes its number plainly, because the first locale-formatted number costs a window's start 50 ms. */
const aboveZero = (most: number) => ({
  error: () => `must be a number above 0, at most ${most.toLocaleString('en')}`,
})

const feedMessage = 'must be an address that begins with https://, or empty'

function isFeed(address: string): boolean {
  if (address === '') return true
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  return protocol === 'https:' && !username && !password
}

/** The value of the proxy setting for direct connections, whatever the environment and the system say. */
export const NO_PROXY = 'direct'

const proxyMessage = `must be an http or https address without path, such as http://proxy.example:3128, or “${NO_PROXY}”, or empty`

/** A proxy in the settings has no user name, because settings are shown and part of the diagnostics. */
function isProxy(text: string): boolean {
  if (text === '' || text === NO_PROXY) return true
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(address)
  return /^https?:$/.test(protocol) && pathname === '/' && `${username}${password}${search}${hash}` === ''
}

export const proxySetting = z.string().trim().max(500).refine(isProxy, proxyMessage)

const atOnce = z.int('must be a whole number').min(1, between(1, 32)).max(32, between(1, 32))

export const settingsShape = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']),
  density: z.enum(['compact', 'comfortable']),
  /** Size of the whole interface, 1 = 100 %. */
  zoom: z.number().min(0.5, between(0.5, 2)).max(2, between(0.5, 2)),
  /** The zone of axes, tables and exports. */
  timeZone: z.enum(['utc', 'local']),
  /** Text in CSV files of the window: guarded against spreadsheets that run formulas, or exactly as it is. */
  csvText: z.enum(csvTexts),
  offline: z.boolean(),
  downloadConcurrency: atOnce,
  /** Simultaneous downloads from one service; null for the same as the limit for all. */
  downloadHostConcurrency: atOnce.nullable(),
  /** Megabytes a second over all downloads; null for no cap. */
  downloadRateCapMb: z
    .number(aboveZero(100_000))
    .positive(aboveZero(100_000))
    .max(100_000, aboveZero(100_000))
    .nullable(),
  notifyWhenDone: z.boolean(),
  /** True if the computer must not fall asleep while downloads run (desktop app only). */
  keepAwake: z.boolean(),
  /** True if files are checked for faults automatically once they are downloaded. */
  checkQuality: z.boolean(),
  /** Gigabytes the cache may take before the least recently used files go; null for no limit. */
  cacheLimitGb: z
    .number(aboveZero(1_000_000))
    .positive(aboveZero(1_000_000))
    .max(1_000_000, aboveZero(1_000_000))
    .nullable(),
  /** Address at which the desktop app looks for newer versions; empty for none. */
  updateFeed: z.string().trim().max(500).refine(isFeed, feedMessage),
  /** Proxy of requests; empty for that of the environment or the system, `direct` for none. */
  proxy: proxySetting,
  /** Hosts that are reached without the proxy of the settings, separated by commas. */
  proxyExcept: z.string().trim().max(2000, 'must have at most 2000 characters'),
  /** File of certificates (PEM) that are trusted besides those of the system; empty for none. */
  extraCaFile: z.string().trim().max(4000, 'must have at most 4000 characters'),
  /** True if other programs of this machine may ask for data while this one runs. */
  localDoor: z.boolean(),
  /** True while the sample data of a first start are in the cache. */
  sampleData: z.enum(['never', 'here', 'removed']),
  stepsDone: z.array(z.enum(firstSteps)).max(firstSteps.length),
  /** True if the checklist of first steps is hidden. */
  stepsHidden: z.boolean(),
  /** Functions of one's own, which are written out before a formula is stored. */
  formulaFunctions: z.array(ownFunction).max(MOST_OWN_FUNCTIONS),
  /** Columns by formula of the watch page. */
  watchColumns: z.array(formulaColumn).max(20),
  /** Portfolios that are listed first. */
  favouritePortfolios: z.array(z.string().min(1).max(300)).max(1000),
})
export type Settings = z.infer<typeof settingsShape>

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

export const settingsCalls = {
  'settings.read': call(z.strictObject({}))<Settings>(),
  'settings.change': call(settingsShape.partial())<Settings>(),
}
