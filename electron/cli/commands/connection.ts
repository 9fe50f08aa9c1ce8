import { failureText, noteText, resultText, usageText } from '../text/messages.ts'
import { connectionText as text } from '../text/commands.ts'
import { fileProblem } from '#core/smallFile.ts'
import { resolve } from 'node:path'
import {
  sendsUnencrypted,
  type Connection,
  type ConnectionFields,
  type EngineServer,
  type KeyStatus,
  type ServiceTestResult,
} from '#shared/contract/areas/connections.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import type { CommandDefaults } from '#shared/contract/areas/settings.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { action, exit, type CliCommand, type ExitStatus } from '../command.ts'
import { confirmRemoval, yesOption } from '../confirm.ts'
import { findConnection, findConnectionWithKeys } from '../connections.ts'
import { Failure } from '../failure.ts'
import { defaultsText } from '../text/terminalTexts.ts'
import { recordLines } from '../sheetLines.ts'
import { formatBytes } from '../sizes.ts'
import { UsageError } from '../usageError.ts'
import { column, fieldColumns } from '#shared/sheet/sheet.ts'
import { type KnownVenue, type Venue, venueClashes, venueFields } from '#shared/catalog/venues.ts'
import { parseVenue, venueGrammar } from '#shared/catalog/writtenVenue.ts'

/** Word that removes a default. */
const NO_DEFAULT = 'none'

const nameArgument = { name: 'NAME', description: text.args.NAME } as const

const fieldOptions = {
  'metrics-url': { type: 'text', value: 'URL', description: text.add.options['metrics-url'] },
  'portfolio-url': { type: 'text', value: 'URL', description: text.add.options['portfolio-url'] },
  catalog: { type: 'path', value: 'URL-OR-FILE', description: text.add.options.catalog },
} as const
const privateStorageOption = {
  type: 'text',
  value: 'yes|no',
  values: ['yes', 'no'],
  description: text.add.options['private-storage'],
} as const

const storeOptions = {
  store: { type: 'text', value: 'DIR|s3://BUCKET/PREFIX', description: text.add.options.store },
  'store-endpoint': { type: 'text', value: 'URL', description: text.add.options['store-endpoint'] },
  'plain-http': { type: 'flag', description: text.add.options['plain-http'] },
} as const

const previewOption = { type: 'flag', description: text.add.options.preview } as const

const venueOption = {
  type: 'repeated',
  value: venueGrammar,
  description: text.add.options.venue,
} as const

/** Parses venues as `--venue` writes them; throws if one cannot be parsed or is named twice. */
function parseVenues(written: readonly string[]): Venue[] {
  const venues = written.map((text) => {
    const venue = parseVenue(text)
    if (typeof venue === 'string') throw new UsageError(usageText.notVenue(text, venue))
    return venue
  })
  const [clash] = venueClashes(venues)
  if (clash !== undefined) throw new UsageError(usageText.venuesClash(clash))
  return venues
}

/** Adds or replaces venues by their id, and removes others. */
function editedVenues(before: readonly Venue[], typed: readonly Venue[], removed: readonly string[]): Venue[] {
  const unknown = removed.find((id) => !before.some((venue) => venue.id === id))
  if (unknown !== undefined) throw new UsageError(usageText.venueNotTyped(unknown))
  const contrary = removed.find((id) => typed.some((venue) => venue.id === id))
  if (contrary !== undefined) throw new UsageError(usageText.venueTypedAndRemoved(contrary))
  const byId = new Map(before.map((venue) => [venue.id, venue]))
  for (const venue of typed) byId.set(venue.id, venue)
  for (const id of removed) byId.delete(id)
  return [...byId.values()]
}

const listVenues = action({
  name: 'venues',
  readsOnly: true,
  summary: text.venues.summary,
  args: [{ ...nameArgument, optional: true, description: text.venues.description }],
  async run({ client, args, connection, out }) {
    const core = await client()
    const { id } = await findConnection(core, args[0] ?? connection)
    const venues = await core.call('connections.venues', { id })
    out.result(venues, () => recordLines(venueColumns, venues, text.venues.none))
    return exit.done
  },
})

const venueTitles = { id: 'Venue', short: 'Short', sizes: 'Sizes', exchangeTimes: 'Exchange times' }
const venueColumns = venueFields.map((field) =>
  column<KnownVenue>(
    field,
    venueTitles[field],
    'text',
    (venue) => venue[field] && `${venue[field]} (${venue.basis[field]})`,
  ),
)

/**
 * Converts the store options into fields. A folder becomes an absolute path, so that it is found from any working
 * directory.
 */
function storeFieldsOf(options: {
  store?: string | undefined
  'store-endpoint'?: string | undefined
  'plain-http': boolean
}): Pick<ConnectionFields, 'store' | 'storeEndpoint' | 'storePlainHttp'> {
  const { store, 'store-endpoint': storeEndpoint, 'plain-http': isConfirmed } = options
  if (storeEndpoint && URL.canParse(storeEndpoint) && sendsUnencrypted(storeEndpoint) && !isConfirmed)
    throw new UsageError(usageText.plainHttpStore(storeEndpoint))
  return {
    ...(store !== undefined && { store: store === 'none' ? '' : store.includes('://') ? store : resolve(store) }),
    ...(storeEndpoint !== undefined && { storeEndpoint }),
    ...(isConfirmed && { storePlainHttp: true }),
  }
}

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, out }) {
    const core = await client()
    const connections = await Promise.all(
      (await core.call('connections.list', {})).map(async (connection): Promise<ListedConnection> => {
        const engine = await core.call('connections.engine', { id: connection.id })
        if (!engine) return connection
        const { url, user, cluster, plainHttp } = engine
        return { ...connection, engine: { url, user, cluster, plainHttp } }
      }),
    )
    out.result(connections, () => recordLines(usedColumns(connections), connections))
    const unreadable = connections.flatMap(({ keys }) => keys.metrics.unreadable ?? keys.portfolio.unreadable ?? [])
    if (unreadable.length === 0) return exit.done
    out.problem(unreadable[0])
    return exit.failed
  },
})

const add = action({
  name: 'add',
  summary: text.add.summary,
  args: [{ name: 'NAME', description: text.add.args.NAME }],
  options: {
    ...fieldOptions,
    tier: {
      type: 'integer',
      value: 'N',
      min: 0,
      max: 3,
      description: text.add.options.tier,
    },
    'private-storage': privateStorageOption,
    ...storeOptions,
    preview: previewOption,
    venue: venueOption,
  },
  async run({ client, args, options, out }) {
    const { 'metrics-url': metricsUrl = '', 'portfolio-url': portfolioUrl = '', catalog = '', tier = null } = options
    const store = storeFieldsOf(options)
    if (!metricsUrl && !portfolioUrl && !catalog && !store.store) throw new UsageError(usageText.addressMissing)
    const catalogLocation = catalog && locationOf(catalog)
    const privateStorage = options['private-storage'] === 'yes'
    const venues = options.venue && parseVenues(options.venue)
    const fields = {
      name: args[0],
      metricsUrl,
      portfolioUrl,
      catalogLocation,
      tier,
      privateStorage,
      ...store,
      ...(options.preview && { preview: true }),
      ...(venues && { venues }),
    }
    const added = await (await client()).call('connections.add', fields).catch((thrown: unknown) => {
      if (thrown instanceof AppError && thrown.code === 'bad-input')
        throw new UsageError(usageText.connectionNotAdded(withOptionNames(thrown.detail ?? 'it is not valid')))
      throw thrown
    })
    const said = added.preview ? resultText.previewsAdded : resultText.connectionAdded
    out.result(added, () => [
      said(added.name, shellQuoted(added.name)),
      ...(added.active ? [] : [resultText.notActive(shellQuoted(added.name))]),
    ])
    return exit.done
  },
})

const edit = action({
  name: 'edit',
  summary: text.edit.summary,
  args: [nameArgument],
  options: {
    name: { type: 'text', value: 'NEW', description: text.edit.options.name },
    ...fieldOptions,
    tier: { type: 'text', value: 'N', values: ['0', '1', '2', '3', 'unknown'], description: text.edit.options.tier },
    'private-storage': privateStorageOption,
    ...storeOptions,
    preview: previewOption,
    'no-preview': { type: 'flag', description: text.edit.options['no-preview'] },
    venue: venueOption,
    'no-venue': { type: 'repeated', value: 'ID', description: text.edit.options['no-venue'] },
    'default-exchange': { type: 'text', value: 'V|none', description: defaultsText.exchange },
    'default-timestamp': {
      type: 'text',
      value: 'T',
      values: [...timestampSources, NO_DEFAULT],
      description: defaultsText.timestamp,
    },
  },
  async run({ client, args, options, out }) {
    const {
      name: newName,
      'metrics-url': metricsUrl,
      'portfolio-url': portfolioUrl,
      catalog,
      tier,
      'private-storage': privateStorage,
    } = options
    const patch = {
      ...(newName !== undefined && { name: newName }),
      ...(metricsUrl !== undefined && { metricsUrl }),
      ...(portfolioUrl !== undefined && { portfolioUrl }),
      ...(catalog !== undefined && { catalogLocation: locationOf(catalog) }),
      ...(tier !== undefined && { tier: tier === 'unknown' ? null : Number(tier) }),
      ...(privateStorage !== undefined && { privateStorage: privateStorage === 'yes' }),
      ...storeFieldsOf(options),
      ...((options.preview || options['no-preview']) && { preview: options.preview }),
    }
    const typedVenues = parseVenues(options.venue ?? [])
    const removedVenues = options['no-venue'] ?? []
    const editsVenues = typedVenues.length + removedVenues.length > 0
    const defaults = { exchange: options['default-exchange'], timestamp: options['default-timestamp'] }
    const editsDefaults = Object.values(defaults).some((value) => value !== undefined)
    const editsFields = Object.keys(patch).length > 0 || editsVenues
    if (!editsFields && !editsDefaults) throw new UsageError(usageText.nothingToEdit)
    const core = await client()
    // The built-in connection cannot be edited, but has defaults like any other.
    if (editsDefaults) {
      const { id, name } = await findConnection(core, args[0])
      const kept = await changeDefaults(core, id, defaults)
      if (!editsFields) {
        out.result({ version: 1, connection: name, defaults: kept }, () => [defaultsText.line(name, kept)])
        return exit.done
      }
    }
    const before = await findConnectionWithKeys(core, args[0])
    const venues = editsVenues && { venues: editedVenues(before.venues ?? [], typedVenues, removedVenues) }
    // An edited connection always keeps its cached files; for a different service, the user adds another connection.
    const edited = await core
      .call('connections.edit', { id: before.id, ...patch, ...venues, sameService: true })
      .catch((thrown: unknown) => {
        if (thrown instanceof AppError && thrown.code === 'bad-input')
          throw new UsageError(usageText.connectionNotEdited(withOptionNames(thrown.detail ?? 'it is not valid')))
        throw thrown
      })
    const { files, sizeBytes } = await core.call('cache.removePreview', { connectionId: before.id })
    out.result({ files, bytes: sizeBytes }, () => [
      resultText.connectionEdited(edited.name, files, formatBytes(sizeBytes)),
    ])
    if (hasLostKey(before, edited)) out.note(noteText.keyRemoved(shellQuoted(edited.name)))
    if (before.keys.store?.set && edited.keys.store?.set === false)
      out.note(noteText.storeKeyRemoved(shellQuoted(edited.name)))
    return exit.done
  },
})

/** Changes the defaults of --exchange and --timestamp of a connection. @returns those that it has now */
async function changeDefaults(
  core: Client,
  id: string,
  typed: { exchange: string | undefined; timestamp: (typeof timestampSources)[number] | typeof NO_DEFAULT | undefined },
): Promise<CommandDefaults> {
  const { commandDefaults } = await core.call('settings.read', {})
  const { [id]: before = {}, ...others } = commandDefaults
  const { exchange = before.exchange, timestamp = before.timestamp } = typed
  const kept: CommandDefaults = {
    ...(exchange !== undefined && exchange !== NO_DEFAULT && { exchange }),
    ...(timestamp !== undefined && timestamp !== NO_DEFAULT && { timestamp }),
  }
  await core.call('settings.change', {
    commandDefaults: { ...others, ...(Object.keys(kept).length > 0 && { [id]: kept }) },
  })
  return kept
}

const hasLostKey = (before: Connection, edited: Connection) =>
  (['metrics', 'portfolio'] as const).some((service) => before.keys[service].set && !edited.keys[service].set)

const addEngine = action({
  name: 'add-engine',
  summary: text.addEngine.summary,
  args: [nameArgument],
  options: {
    clickhouse: { type: 'text', value: 'URL', required: true, description: text.addEngine.options.clickhouse },
    user: { type: 'text', value: 'U', description: text.addEngine.options.user },
    cluster: { type: 'text', value: 'C', description: text.addEngine.options.cluster },
    'plain-http': { type: 'flag', description: text.addEngine.options['plain-http'] },
  },
  async run({ client, args, options, out }) {
    const { clickhouse: url, user = 'default', cluster = '', 'plain-http': plainHttp } = options
    if (URL.canParse(url) && sendsUnencrypted(url) && !plainHttp) throw new UsageError(usageText.plainHttp(url))
    const core = await client()
    const connection = await findConnection(core, args[0])
    const server = { url, user, cluster, plainHttp }
    const added = await core.call('connections.setEngine', { id: connection.id, server }).catch((thrown: unknown) => {
      if (thrown instanceof AppError && thrown.code === 'bad-input')
        throw new UsageError(usageText.engineNotAdded(withEngineOptionNames(thrown.detail ?? 'it is not valid')))
      throw thrown
    })
    out.result({ connection: connection.name, ...added }, () => [
      resultText.engineAdded(connection.name, shellQuoted(connection.name), added.password.set),
    ])
    return exit.done
  },
})

const removeEngine = action({
  name: 'remove-engine',
  summary: text.removeEngine.summary,
  args: [nameArgument],
  async run({ client, args, out }) {
    const core = await client()
    const { id, name: connection } = await findConnection(core, args[0])
    const server = await core.call('connections.engine', { id })
    if (!server) throw new Failure(failureText.noEngine(connection))
    await core.call('connections.removeEngine', { id })
    out.result({ connection, removed: server.url }, () => [resultText.engineRemoved(connection, server.url)])
    return exit.done
  },
})

/** Replaces field names by option names: `server.url: must be …` becomes `--clickhouse: must be …`. */
const withEngineOptionNames = (detail: string): string =>
  detail
    .replace(/^connections\.setEngine: /, '')
    .replaceAll(
      /\bserver\.(url|user|cluster): /g,
      (_, field: string) => `--${field === 'url' ? 'clickhouse' : field}: `,
    )

const use = action({
  name: 'use',
  summary: text.use.summary,
  args: [nameArgument],
  async run({ client, args, out }) {
    const { id } = await findConnection(await client(), args[0])
    const connection = await (await client()).call('connections.use', { id })
    out.result(connection, () => [resultText.connectionUsed(connection.name)])
    return exit.done
  },
})

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [nameArgument],
  options: { files: { type: 'flag', description: text.remove.options.files }, yes: yesOption },
  async run({ client, args, options, out, signal }) {
    const core = await client()
    const { id, name: removed } = await findConnection(core, args[0])
    const remaining = await core.call('cache.removePreview', { connectionId: id })
    if (options.files) await confirmRemoval(remaining.files, formatBytes(remaining.sizeBytes), options.yes)
    await core.call('connections.remove', { id })
    const { files, sizeBytes } = options.files
      ? await core.call('cache.removeConnectionData', { connectionId: id }, { signal, onProgress: out.progress })
      : remaining
    out.result({ removed, files, bytes: sizeBytes }, () => [
      resultText.connectionRemoved(removed, files, formatBytes(sizeBytes), options.files),
    ])
    return exit.done
  },
})

const test = action({
  name: 'test',
  readsOnly: true,
  summary: text.test.summary,
  args: [{ ...nameArgument, optional: true, description: text.test.description }],
  async run({ client, args, connection, offline, out, signal }) {
    if (offline) throw new AppError('offline', failureText.testNeedsNetwork)
    const core = await client()
    const { id } = await findConnection(core, args[0] ?? connection)
    const results = await core.call('connections.test', { id }, { signal, onProgress: out.progress })
    const published = results.map(({ service, outcome, message }) => ({ service, outcome, words: message }))
    out.result(published, () => recordLines(testColumns, results))
    return statusOf(results)
  },
})

const testColumns = fieldColumns({ service: 'Service', outcome: 'Outcome', message: 'Message' })

function statusOf(results: readonly ServiceTestResult[]): ExitStatus {
  const tested = results.filter(({ outcome }) => outcome !== 'not-set')
  const passed = tested.filter(({ outcome }) => outcome === 'ok')
  if (passed.length === tested.length) return exit.done
  return passed.length > 0 ? exit.partial : exit.failed
}

/** A connection with the ClickHouse server that it has, without the password. */
type ListedConnection = Connection & { engine?: EngineServer }

/** Columns of the connections; those of stores and engines only if a connection has one. */
const usedColumns = (connections: readonly ListedConnection[]) =>
  [
    column<ListedConnection>('active', '', 'text', ({ active }) => (active ? '*' : '')),
    column<ListedConnection>('name', 'Name', 'text', (each) =>
      each.preview ? `${each.name} (${text.list.preview})` : each.name,
    ),
    column<ListedConnection>('metricsUrl', 'Metrics', 'text', ({ metricsUrl }) => metricsUrl || null),
    column<ListedConnection>('portfolioUrl', 'Portfolio', 'text', ({ portfolioUrl }) => portfolioUrl || null),
    column<ListedConnection>('catalog', 'Catalog', 'text', ({ catalog }) =>
      catalog ? text.list.catalog[catalog.from](catalog.location) : null,
    ),
    column<ListedConnection>('store', 'Store', 'text', ({ store }) => store || null),
    column<ListedConnection>('engine', 'Engine', 'text', ({ engine }) => engine?.url),
    column<ListedConnection>('tier', 'Tier', 'count', ({ tier }) => tier),
    column<ListedConnection>('key', 'Key', 'text', ({ keys }) => keyStatusText(keys.metrics)),
  ].filter(({ key, value }) => !['store', 'engine'].includes(key) || connections.some((each) => value(each)))

/** Environment variables of the API key; the core does not know which of the two a key came from. */
export const API_KEY_VARIABLES = 'PERPSCOPE_API_KEY or PERPSCOPE_API_KEY_FILE'

/** Describes a key without showing it: “set, ends in …ab3f”. */
export function keyStatusText(
  { set, ending, kept, isElsewhere, unreadable }: KeyStatus,
  variable = API_KEY_VARIABLES,
): string {
  if (!set && unreadable !== undefined) return 'unknown (the keychain cannot be read)'
  if (!set) return isElsewhere ? 'not set here (the desktop app has a key, encrypted by the system)' : 'not set'
  const origin = kept === 'environment' ? ` (from ${variable})` : ''
  return `set${ending ? `, ends in …${ending}` : ''}${origin}`
}

/** Replaces field names by option names in a message: `metricsUrl: must be …` becomes `--metrics-url: must be …`. */
const withOptionNames = (detail: string): string =>
  detail
    .replace(/^connections\.(add|edit): /, '')
    .replaceAll(
      /\b(metricsUrl|portfolioUrl|catalogLocation|storeEndpoint|store|tier|name): /g,
      (_, field: string) => `${optionNameByField[field]}: `,
    )

const optionNameByField: Record<string, string> = {
  metricsUrl: '--metrics-url',
  portfolioUrl: '--portfolio-url',
  catalogLocation: '--catalog',
  store: '--store',
  storeEndpoint: '--store-endpoint',
  tier: '--tier',
  name: 'NAME',
}

/**
 * Keeps a URL and makes the path of a file absolute, so that it is found from any working directory; throws if the file
 * cannot be used.
 */
function locationOf(catalog: string): string {
  if (/^https?:/i.test(catalog)) return catalog
  const path = resolve(catalog)
  const problem = fileProblem(path)
  if (problem) throw new Failure(failureText.noCatalogFile(problem))
  return path
}

const shellQuoted = (word: string) => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export const command: CliCommand = {
  verb: 'connection',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope connection add desk --metrics-url https://metrics.example.com --tier 2',
    'perpscope connection edit desk --metrics-url https://metrics2.example.com',
    'perpscope connection edit desk --store s3://research-data/perpscope --store-endpoint https://storage.example.com',
    'perpscope connection edit desk --venue heron-perps,short=heron,sizes=contracts --venue wren-futures,sizes=base',
    'perpscope connection add demo --metrics-url https://metrics.example.com --preview',
    'perpscope connection use desk',
    'perpscope connection add-engine desk --clickhouse https://clickhouse.example.com:8443 --user quant',
    'perpscope connection test',
  ],
  actions: [list, add, edit, listVenues, addEngine, removeEngine, use, remove, test],
}
