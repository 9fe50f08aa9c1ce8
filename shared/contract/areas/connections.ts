import * as z from '../../schemas/lazySchemas.ts'
import { connectionTexts as texts, engineTexts } from '../fieldTexts.ts'
import { isLoopback } from '../loopback.ts'
import { isBareAddress, parseStoreKey, storeEndpoint, storeLocation } from '../sharedStore.ts'
import { call } from '../spec.ts'
import { venueShape } from '../venueShape.ts'
import type { ServedUnit } from '../../catalog/servedUnits.ts'
import { type KnownVenue, venueClashes } from '../../catalog/venues.ts'

/** Base URL before `/api/v1`, empty if the user has no such service; plain http only on this machine. */
export const serviceUrl = z
  .string()
  .trim()
  .max(2000, 'must have at most 2000 characters')
  .refine(
    (text) => text === '' || isServiceUrl(text),
    'must be an https address (http only for 127.0.0.1 or localhost), without query or user name',
  )
  .transform(withoutApiPath)

export const catalogLocation = z.string().trim().max(4000, 'must have at most 4000 characters')

/** Strips the path that every request appends, because people copy it with the address. */
export function withoutApiPath(url: string): string {
  return url.trim().replace(/\/api\/v1\/*$/, '')
}

export function isServiceUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  if (url.username || url.password || url.search || url.hash) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

export const connectionName = z.string().trim().min(1, 'must not be empty').max(60, 'must have at most 60 characters')
const serviceName = z.enum(['metrics', 'portfolio', 'engine', 'store'])
export type ServiceName = z.infer<typeof serviceName>

const typedVenues = z
  .array(venueShape)
  .max(200, 'must be at most 200')
  .superRefine((venues, context) => {
    for (const problem of venueClashes(venues)) context.addIssue({ code: 'custom', message: problem })
  })

export const connectionFields = z.strictObject({
  name: connectionName.describe(texts.name),
  metricsUrl: serviceUrl.describe(texts.metricsUrl),
  portfolioUrl: serviceUrl.describe(texts.portfolioUrl),
  catalogLocation: catalogLocation.describe(texts.catalogLocation),
  tier: z.int().min(0).max(3).nullable().describe(texts.tier),
  privateStorage: z.boolean().optional().describe(texts.privateStorage),
  store: storeLocation.optional().describe(texts.store),
  storeEndpoint: storeEndpoint.optional().describe(texts.storeEndpoint),
  storePlainHttp: z.boolean().optional().describe(texts.storePlainHttp),
  venues: typedVenues.optional().describe(texts.venues),
  preview: z.boolean().optional().describe(texts.preview),
})
export type ConnectionFields = z.infer<typeof connectionFields>

/** Facts about a key that the core may reveal: whether it is set, where it is kept, and its last characters. */
export interface KeyStatus {
  set: boolean
  /**
   * Last four characters of an API key; null if no key is set or the key is too short to show any of it. Always null
   * for passwords and keys of other kinds.
   */
  ending: string | null
  /** Place of the key; a key kept for the `run` is lost at exit. */
  kept: 'keychain' | 'encrypted-file' | 'run' | 'environment' | null
  /** True if another host of the app keeps a key that this one cannot read. */
  isElsewhere?: boolean | undefined
  /** Reason why the keychain cannot be read, so that a key may be in it although none is set here. */
  unreadable?: string | undefined
}

const keyStatusShape = z.strictObject({
  set: z.boolean(),
  ending: z.string().nullable(),
  kept: z.enum(['keychain', 'encrypted-file', 'run', 'environment']).nullable(),
  isElsewhere: z.boolean().optional(),
  unreadable: z.string().optional(),
})

export const connectionShape = connectionFields.extend({
  id: z.string(),
  active: z.boolean(),
  /** True for the sandbox that comes with the app, which cannot be edited or removed. */
  builtIn: z.boolean(),
  /** Status of the keys; `store` is present only if the store is a bucket, because a folder needs no key. */
  keys: z.strictObject({ metrics: keyStatusShape, portfolio: keyStatusShape, store: keyStatusShape.optional() }),
  /**
   * Address of the raw-event catalog and where it is from: typed, found at the metrics service, or nowhere; unknown
   * until it has been looked for.
   */
  catalog: z.strictObject({ from: z.enum(['typed', 'found', 'none', 'unknown']), location: z.string() }).optional(),
})
export type Connection = z.infer<typeof connectionShape>
export type NamedConnection = Pick<Connection, 'id' | 'name' | 'active' | 'builtIn' | 'store' | 'preview'>

/** The ClickHouse server of a connection. */
export const engineServer = z.strictObject({
  url: z
    .string()
    .trim()
    .max(2000, 'must have at most 2000 characters')
    .refine(isBareAddress, 'must be an https or http address, without query or user name')
    .describe(engineTexts.url),
  user: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters')
    .describe(engineTexts.user),
  cluster: z
    .string()
    .max(200)
    .regex(/^[\w.-]*$/, 'must be a name of letters, digits, ., _ and -')
    .describe(engineTexts.cluster),
  plainHttp: z.boolean().describe(engineTexts.plainHttp),
})
export type EngineServer = z.infer<typeof engineServer>

/** Tells whether traffic to an address crosses a network unencrypted; `http` on this machine does not. */
export function sendsUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

/**
 * Result of testing one of the three services, or the ClickHouse server or shared store of a connection that has one.
 */
export interface ServiceTestResult {
  service: 'metrics' | 'portfolio' | 'catalog' | 'engine' | 'store'
  outcome: 'ok' | 'refused' | 'unreachable' | 'trouble' | 'not-set'
  message: string
}

const idInput = z.strictObject({ id: z.string().max(100) })

export const STORE_KEY_FORM = 'must be ID:SECRET, with the colon'

export const connectionCalls = {
  'connections.list': call(z.strictObject({}))<Connection[]>(),
  /** Lists the connections without their keys, because the keychain may be slow. */
  'connections.names': call(z.strictObject({}))<NamedConnection[]>(),
  'connections.add': call(connectionFields)<Connection>(),
  'connections.edit': call(
    connectionFields.partial().extend({
      id: z.string().max(100),
      /** True if the new metrics address is the same service, so that its downloaded files are kept. */
      sameService: z.boolean().default(false),
    }),
  )<Connection>(),
  /** Lists the venues of a connection (of the active one if the id is empty), with where each field is from. */
  'connections.venues': call(idInput)<KnownVenue[]>(),
  /** Lists the units that the stored catalog of the service gives to columns. */
  'connections.servedUnits': call(idInput)<ServedUnit[]>(),
  'connections.use': call(idInput)<Connection>(),
  'connections.remove': call(idInput)<null>(),
  'connections.test': call(idInput)<ServiceTestResult[]>(),
  /** Returns the ClickHouse server of a connection with the state of its password; null if it has none. */
  'connections.engine': call(idInput)<(EngineServer & { password: KeyStatus }) | null>(),
  /** Sets the ClickHouse server of a connection; a different origin deletes the password. */
  'connections.setEngine': call(idInput.extend({ server: engineServer }))<EngineServer & { password: KeyStatus }>(),
  /** Removes the ClickHouse server of a connection, with its password and all comparisons. */
  'connections.removeEngine': call(idInput)<null>(),
  'keys.set': call(
    z
      .strictObject({
        connectionId: z.string().max(100),
        service: serviceName,
        // A key is a header value: printable ASCII without spaces.
        key: z
          .string()
          .trim()
          .min(1, 'must not be empty')
          .max(4096, 'must have at most 4096 characters')
          .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters'),
      })
      .refine(({ service, key }) => service !== 'store' || parseStoreKey(key) !== null, {
        path: ['key'],
        message: STORE_KEY_FORM,
      }),
  )<KeyStatus>(),
  'keys.remove': call(z.strictObject({ connectionId: z.string().max(100), service: serviceName }))<KeyStatus>(),
}
