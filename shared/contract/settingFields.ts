import * as z from '../schemas/lazySchemas.ts'
import type { ProvenanceForm } from '../export/provenanceForms.ts'
import type { CsvTextMode } from '../units/csvCell.ts'
import { zoneName, type Zone } from '../units/instants.ts'
import { alarmHostsOf, isAlarmHost } from './alarm.ts'

/** Where the Settings screen shows a setting, and what it calls it. */
interface Place {
  section: 'appearance' | 'time' | 'downloads' | 'network' | 'cache' | 'about'
  label: string
  hint?: string
  /** True for what only the desktop app does. */
  desktopOnly?: boolean
}

/** The zone of this machine is named when the setting is shown, because finding it takes long at a start. */
type Title = string | (() => string)

const choice = <Name extends string>(place: Place, titles: Record<Name, Title>) => ({
  ...place,
  control: 'choice' as const,
  titles,
  schema: z.enum(Object.keys(titles) as Name[]),
})

/** A setting that is on or off; `title` stands beside its box. */
const toggle = (place: Place, title: string) => ({
  ...place,
  control: 'toggle' as const,
  title,
  schema: z.boolean(),
})

/** A number, or null where an empty field means `whenEmpty`. */
const number = <Schema extends z.ZodType<number | null>>(
  place: Place,
  words: { unit: string; whenEmpty?: string },
  schema: Schema,
) => ({ ...place, control: 'number' as const, whenEmpty: '', ...words, schema })

/** A text, where an empty field means `whenEmpty`. */
const text = <Schema extends z.ZodType<string>>(place: Place, whenEmpty: string, schema: Schema) => ({
  ...place,
  control: 'text' as const,
  whenEmpty,
  schema,
})

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

const rateOrSize = (most: number) =>
  z.number(aboveZero(most)).positive(aboveZero(most)).max(most, aboveZero(most)).nullable()

const addresses = z.string().trim().max(2000, 'must have at most 2000 characters')

/**
 * The settings of the Settings screen, in the order of each section, with the schemas that check them everywhere. Their
 * defaults stand in `defaultSettings.ts`.
 */
export const settingFields = {
  theme: choice({ section: 'appearance', label: 'Theme' }, { system: 'System', dark: 'Dark', light: 'Light' }),
  density: choice(
    { section: 'appearance', label: 'Density', hint: 'Height of rows and controls, and text size.' },
    { compact: 'Compact', comfortable: 'Comfortable' },
  ),

  timeZone: choice<Zone>(
    {
      section: 'time',
      label: 'Show times in',
      hint: 'Applies to axes, tables and exports. Stored data stays in UTC, and a row of 1d always covers a UTC day.',
    },
    { utc: 'UTC', local: () => `Local (${zoneName('local')})` },
  ),
  csvText: choice<CsvTextMode>(
    {
      section: 'time',
      label: 'Text in CSV files',
      hint: 'Guarded puts an apostrophe before text that a spreadsheet would run as a formula. Exact keeps every text as it is, for programs that read it back.',
    },
    { guarded: 'Guarded', exact: 'Exact' },
  ),
  provenance: choice<ProvenanceForm>(
    {
      section: 'time',
      label: 'Files of exports',
      hint: 'Brief: where files outnumber the rows of a query, its exports and reports name a list in the data folder, and a picture of a chart names three files of each series. Full: all files are named.',
    },
    { brief: 'Brief', full: 'Full' },
  ),

  downloadConcurrency: number(
    {
      section: 'downloads',
      label: 'Concurrent downloads',
      hint: 'More is not always faster: a service may limit the rate of requests.',
    },
    { unit: 'files' },
    concurrency,
  ),
  downloadHostConcurrency: number(
    {
      section: 'downloads',
      label: 'Per service',
      hint: 'Leaves capacity for other services. Leave empty for no separate limit.',
    },
    { unit: 'files', whenEmpty: 'no limit' },
    concurrency.nullable(),
  ),
  downloadRateCapMb: number(
    {
      section: 'downloads',
      label: 'Rate limit',
      hint: 'For all downloads together. Leave empty for no limit.',
    },
    { unit: 'MB/s', whenEmpty: 'no limit' },
    rateOrSize(100_000),
  ),
  keepAwake: toggle({ section: 'downloads', label: 'While running', desktopOnly: true }, 'Keep the computer awake'),
  checkQuality: toggle({ section: 'downloads', label: 'Data quality' }, 'Check new files for faults'),
  notifyWhenDone: toggle(
    { section: 'downloads', label: 'When finished' },
    'Notify me when all downloads have finished',
  ),

  proxy: text(
    {
      section: 'network',
      label: 'Proxy',
      hint: 'Address such as http://proxy.example:3128, or “direct” for none. A user name and password belong in the environment variable HTTPS_PROXY, because settings are shown in plain text.',
    },
    'system or environment setting',
    proxySetting,
  ),
  proxyExcept: text(
    {
      section: 'network',
      label: 'Without proxy',
      hint: 'Hosts that are reached directly, separated by commas, such as .corp.example. Applies to the proxy above.',
    },
    'none',
    addresses,
  ),
  extraCaFile: text(
    {
      section: 'network',
      label: 'Certificate file',
      hint: 'Full path of a PEM file with the certificates of your organisation. Those of the system are always trusted.',
    },
    'none',
    z.string().trim().max(4000, 'must have at most 4000 characters'),
  ),
  alarmHosts: text(
    {
      section: 'network',
      label: 'Alarms may post to',
      hint: 'Hosts to which “perpscope check save … --post” may send what a check found, separated by commas, such as alerts.example.com. Nothing else is sent, and never to a host of your services.',
    },
    'none',
    addresses.refine(
      (hosts) => alarmHostsOf(hosts).every(isAlarmHost),
      'must be names of hosts, such as alerts.example.com or 127.0.0.1:8080, without https:// or a path',
    ),
  ),

  cacheLimitGb: number(
    {
      section: 'cache',
      label: 'Size limit',
      hint: 'When the cache is full, the least recently used files are removed first. Leave empty for no limit.',
    },
    { unit: 'GB', whenEmpty: 'no limit' },
    rateOrSize(1_000_000),
  ),

  updateFeed: text(
    {
      section: 'about',
      label: 'Update feed',
      hint: 'Address where new versions are published. Leave empty to never check. Perpscope asks before it downloads or installs an update.',
      desktopOnly: true,
    },
    'off',
    z.string().trim().max(500).refine(isFeed, feedMessage),
  ),
}

type Fields = typeof settingFields
export type SettingSection = Place['section']
export type SettingKey = keyof Fields
/** Settings that the Settings screen shows with one kind of control. */
export type SettingKeyOf<Control extends Fields[SettingKey]['control']> = {
  [Key in SettingKey]: Fields[Key]['control'] extends Control ? Key : never
}[SettingKey]

/** Schemas of the settings of the Settings screen. */
export const settingSchemas = Object.fromEntries(
  Object.entries(settingFields).map(([key, { schema }]) => [key, schema]),
) as { [Key in SettingKey]: Fields[Key]['schema'] }
