import * as z from '../../schemas/lazySchemas.ts'
import {
  MOST_OWN_CHARACTERS,
  MOST_OWN_FUNCTIONS,
  MOST_OWN_PARAMETERS,
  ownNamePattern,
} from '../../formula/ownFunctionShape.ts'
import { timestampSources } from '../../catalog/intervals.ts'
import { provenanceForms } from '../../export/provenanceForms.ts'
import { csvTextModes } from '../../units/csvCell.ts'
import { alarmHostsOf, isAlarmHost } from '../alarm.ts'
import { call } from '../spec.ts'
import { formulaColumn } from './watch.ts'

const ownName = z.string().regex(ownNamePattern, 'must be a name of lower-case letters, digits and _')

/** A custom formula function saved by the user. */
const ownFunction = z.strictObject({
  name: ownName,
  parameters: z.array(ownName).min(1).max(MOST_OWN_PARAMETERS),
  formula: z.string().min(1).max(MOST_OWN_CHARACTERS),
})

/** Getting-started steps in their order. */
export const firstSteps = ['coverage', 'download', 'portfolio', 'connect'] as const
export type FirstStep = (typeof firstSteps)[number]

/** Builds the message for a number out of bounds, which forms and the core share. */
const rangeMessage = (least: number, most: number) => `must be from ${least} to ${most}`
/**
 * Formats the number only when the message is shown, because the first use of a locale takes 50 ms at a window's
 * startup.
 */
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

/** Value of the proxy setting that forces direct connections, whatever the environment and the system say. */
export const NO_PROXY = 'direct'

const proxyMessage = `must be an http or https address without path, such as http://proxy.example:3128, or “${NO_PROXY}”, or empty`

const proxyLoginMessage =
  'must not contain a user name or password, because settings and command lines are shown in plain text; give the address with them in the environment variables HTTPS_PROXY and HTTP_PROXY'

/** Reads the address of a proxy, with or without a scheme; null if the text is not an address. */
function proxyUrl(text: string): URL | null {
  const address = text.includes('://') ? text : `http://${text}`
  return URL.canParse(address) ? new URL(address) : null
}

function isProxy(text: string): boolean {
  if (text === '' || text === NO_PROXY) return true
  const url = proxyUrl(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' && `${url.search}${url.hash}` === ''
}

function hasNoLogin(text: string): boolean {
  const { username = '', password = '' } = proxyUrl(text) ?? {}
  return `${username}${password}` === ''
}

export const proxySetting = z
  .string()
  .trim()
  .max(500)
  .refine(isProxy, proxyMessage)
  .refine(hasNoLogin, proxyLoginMessage)

const concurrency = z.int('must be a whole number').min(1, rangeMessage(1, 32)).max(32, rangeMessage(1, 32))

export const settingsShape = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']),
  density: z.enum(['compact', 'comfortable']),
  /** Zoom of the user interface; 1 is 100 %. */
  zoom: z.number().min(0.5, rangeMessage(0.5, 2)).max(2, rangeMessage(0.5, 2)),
  /** Time zone of axes, tables and exports. */
  timeZone: z.enum(['utc', 'local']),
  /** Text cells of CSV files from the window: `guarded` against formula injection in spreadsheets, or exact. */
  csvText: z.enum(csvTextModes),
  /** How exports, reports and copies say which files they were read from. */
  provenance: z.enum(provenanceForms),
  offline: z.boolean(),
  downloadConcurrency: concurrency,
  /** Maximum simultaneous downloads per service; null to use the limit for all. */
  downloadHostConcurrency: concurrency.nullable(),
  /** Maximum megabytes per second over all downloads; null for no limit. */
  downloadRateCapMb: z
    .number(aboveZero(100_000))
    .positive(aboveZero(100_000))
    .max(100_000, aboveZero(100_000))
    .nullable(),
  notifyWhenDone: z.boolean(),
  /** True to keep the computer awake during downloads (desktop app only). */
  keepAwake: z.boolean(),
  /** True to check downloaded files for faults automatically. */
  checkQuality: z.boolean(),
  /** Maximum size of the cache in gigabytes, beyond which least recently used files are removed; null for no limit. */
  cacheLimitGb: z
    .number(aboveZero(1_000_000))
    .positive(aboveZero(1_000_000))
    .max(1_000_000, aboveZero(1_000_000))
    .nullable(),
  /** Address where the desktop app looks for updates; empty for none. */
  updateFeed: z.string().trim().max(500).refine(isFeed, feedMessage),
  /** Proxy for requests; empty for the proxy of the environment or system, `direct` for none. */
  proxy: proxySetting,
  /** Hosts that bypass the proxy of the settings, separated by commas. */
  proxyExcept: z.string().trim().max(2000, 'must have at most 2000 characters'),
  /** PEM file with certificates to trust in addition to the system's; empty for none. */
  extraCaFile: z.string().trim().max(4000, 'must have at most 4000 characters'),
  /** True if other programs on this machine may request data while the app runs. */
  localDoor: z.boolean(),
  /**
   * Tells whether the sample data offered at the first start was never requested, was requested (it is cached once its
   * downloads are done), or was removed.
   */
  sampleData: z.enum(['never', 'here', 'removed']),
  stepsDone: z.array(z.enum(firstSteps)).max(firstSteps.length),
  /** True if the getting-started checklist is hidden. */
  stepsHidden: z.boolean(),
  /** Custom functions, which are expanded before a formula is stored. */
  formulaFunctions: z.array(ownFunction).max(MOST_OWN_FUNCTIONS),
  /** Formula columns of the watch page. */
  watchColumns: z.array(formulaColumn).max(20),
  /** Portfolios to list first. */
  favouritePortfolios: z.array(z.string().min(1).max(300)).max(1000),
  /** Values of --exchange and --timestamp that commands use where these are left out, by the id of a connection. */
  commandDefaults: z.record(
    z.string().max(100),
    z.strictObject({ exchange: z.string().min(1).max(100).optional(), timestamp: z.enum(timestampSources).optional() }),
  ),
  /** Hosts to which a check may post what it found, separated by commas. */
  alarmHosts: z
    .string()
    .trim()
    .max(2000, 'must have at most 2000 characters')
    .refine(
      (text) => alarmHostsOf(text).every(isAlarmHost),
      'must be names of hosts, such as alerts.example.com or 127.0.0.1:8080, without https:// or a path',
    ),
})
export type Settings = z.infer<typeof settingsShape>
export type CommandDefaults = Settings['commandDefaults'][string]

export const settingsCalls = {
  'settings.read': call(z.strictObject({}))<Settings>(),
  'settings.change': call(settingsShape.partial())<Settings>(),
}
