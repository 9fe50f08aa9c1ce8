import * as z from '../../schemas/lazySchemas.ts'
import { isLoopback } from '../loopback.ts'
import { isPlainAddress, parseStoreKey, storeEndpoint, storeLocation } from '../sharedStore.ts'
import { call } from '../spec.ts'

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

/** Leaves out the path that every request adds by itself; people copy addresses with it. */
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

export const connectionFields = z.strictObject({
  name: connectionName,
  metricsUrl: serviceUrl,
  portfolioUrl: serviceUrl,
  /** URL or path of a file; empty for none. */
  catalogLocation,
  tier: z.int().min(0).max(3).nullable(),
  /** True if a public service may store its files at private addresses of this network; left out for no. */
  privateStorage: z.boolean().optional(),
  /** Folder or bucket that files are looked for in before the service is asked; empty or left out for none. */
  store: storeLocation.optional(),
  /** Address of the service that has the bucket; empty or left out for Amazon S3. */
  storeEndpoint: storeEndpoint.optional(),
  /** True if the user confirmed that files travel to and from the store unencrypted. */
  storePlainHttp: z.boolean().optional(),
})
export type ConnectionFields = z.infer<typeof connectionFields>

/** Facts about a key that may leave the core: whether it is set, and its last characters. */
export interface KeyStatus {
  set: boolean
  /** The last four characters; null where none is set or it is too short to show any. */
  ending: string | null
  /** Place of the key; a key kept as `run` is lost at exit. */
  kept: 'keychain' | 'encrypted-file' | 'run' | 'environment' | null
  /** True if another face of the app keeps a key that this one cannot read. */
  isElsewhere?: boolean | undefined
}

const keyStatusShape = z.strictObject({
  set: z.boolean(),
  ending: z.string().nullable(),
  kept: z.enum(['keychain', 'encrypted-file', 'run', 'environment']).nullable(),
  isElsewhere: z.boolean().optional(),
})

export const connectionShape = connectionFields.extend({
  id: z.string(),
  active: z.boolean(),
  /** The sandbox that comes with the app: cannot be edited or removed. */
  builtIn: z.boolean(),
  /** The key of the store is there for a bucket only, because a folder needs none. */
  keys: z.strictObject({ metrics: keyStatusShape, portfolio: keyStatusShape, store: keyStatusShape.optional() }),
})
export type Connection = z.infer<typeof connectionShape>
export type NamedConnection = Pick<Connection, 'id' | 'name' | 'active' | 'store'>

/** The ClickHouse server of a connection. */
export const engineServer = z.strictObject({
  url: z
    .string()
    .trim()
    .max(2000, 'must have at most 2000 characters')
    .refine(isPlainAddress, 'must be an https or http address, without query or user name'),
  user: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, 'must be one word of printable ASCII characters'),
  /** Cluster whose servers read files side by side; empty for none. */
  cluster: z
    .string()
    .max(200)
    .regex(/^[\w.-]*$/, 'must be a name of letters, digits, ., _ and -'),
  /** True if the user confirmed that password and events travel unencrypted. */
  plainHttp: z.boolean(),
})
export type EngineServer = z.infer<typeof engineServer>

/** Tells whether what is sent to an address can be read on its way. */
export function isPlainHttp(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** Result of testing one of the three services. */
export interface ServiceTestResult {
  service: 'metrics' | 'portfolio' | 'catalog'
  outcome: 'ok' | 'refused' | 'unreachable' | 'trouble' | 'not-set'
  message: string
}

const byId = z.strictObject({ id: z.string().max(100) })

export const STORE_KEY_FORM = 'must be ID:SECRET, with the colon'

export const connectionCalls = {
  'connections.list': call(z.strictObject({}))<Connection[]>(),
  /** Lists the connections without looking at their keys, because the keychain may be slow to answer. */
  'connections.names': call(z.strictObject({}))<NamedConnection[]>(),
  'connections.add': call(connectionFields)<Connection>(),
  'connections.edit': call(
    connectionFields.partial().extend({
      id: z.string().max(100),
      /** The new metrics address is the old service under another name: what was fetched from it stays. */
      sameService: z.boolean().default(false),
    }),
  )<Connection>(),
  'connections.use': call(byId)<Connection>(),
  'connections.remove': call(byId)<null>(),
  'connections.test': call(byId)<ServiceTestResult[]>(),
  /** The ClickHouse server of a connection and the state of its password; null where there is none. */
  'connections.engine': call(byId)<(EngineServer & { password: KeyStatus }) | null>(),
  /** Gives a connection its ClickHouse server in place of an earlier one; another origin takes the password away. */
  'connections.setEngine': call(byId.extend({ server: engineServer }))<EngineServer & { password: KeyStatus }>(),
  /** Takes the ClickHouse server from a connection, with its password and all comparisons. */
  'connections.removeEngine': call(byId)<null>(),
  'keys.set': call(
    z
      .strictObject({
        connectionId: z.string().max(100),
        service: serviceName,
        // A header value: printable ASCII without spaces.
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
