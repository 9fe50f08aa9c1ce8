/** Sends one request over a direct or proxied connection, whose address is classified and checked before connecting. */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { ProxySettings } from '#core/ports.ts'
import { isLoopback } from '#shared/contract/loopback.ts'
import { AppError } from '#shared/contract/errors.ts'

export interface ResponseHeaders {
  /** @param name header name in lower case */
  get(name: string): string | null
}

/** The response to one request: its head, and its decompressed body as it arrives. */
interface HttpResponse {
  status: number
  headers: ResponseHeaders
  /** The decompressed body; the transfer ends if its reader stops early. */
  body: AsyncIterable<Uint8Array>
  /** Ends the transfer and with it the body. */
  cancel(): void
}

/** Size of the buffer for unread bytes; the sender is paused when it is full. */
const MOST_WAITING_BYTES = 1024 * 1024

/** Body of a request; its length is known before the first byte. */
export interface RequestContent {
  sizeBytes: number
  open(): AsyncIterable<Uint8Array>
}

interface SentRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  post?: string
  put?: RequestContent
  silenceMs?: number
}

/**
 * Sends one request without following redirects. It uses the dispatcher directly, because `fetch` takes several times
 * the CPU time.
 */
export function sendRequest(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
  { method = 'GET', post, put, silenceMs }: SentRequest = {},
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const bodyBuffer = createBodyBuffer()
  const fail = (reason: unknown) => {
    signal.removeEventListener('abort', abort)
    reject(reason)
    bodyBuffer.fail(reason)
  }
  const abort = () => {
    fail(signal.reason)
    bodyBuffer.stop()
  }
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  dispatcher.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      ...(post !== undefined && { body: post }),
      ...(put && { body: Readable.from(put.open(), { objectMode: false }) }),
      ...(silenceMs !== undefined && { headersTimeout: silenceMs, bodyTimeout: silenceMs }),
    },
    {
      onRequestStart: bodyBuffer.start,
      onResponseStart(_controller, status, raw) {
        // An informational status such as 103 Early Hints is not the response yet.
        if (status < 200) return
        const responseHeaders = headersOf(raw)
        const body = decodeBody(bodyBuffer.body, responseHeaders.get('content-encoding'))
        resolve({ status, headers: responseHeaders, body, cancel: bodyBuffer.stop })
      },
      onResponseData: (_controller, chunk) => bodyBuffer.add(chunk),
      onResponseEnd() {
        signal.removeEventListener('abort', abort)
        bodyBuffer.end()
      },
      onResponseError: (_controller, error) => fail(error),
    },
  )
  return promise
}

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

const headersOf = (raw: RawHeaders): ResponseHeaders => ({
  get(name) {
    const value = raw[name]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  },
})

const decoderByEncoding: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

function decodeBody(body: AsyncIterable<Uint8Array>, encoding: string | null): AsyncIterable<Uint8Array> {
  const decoder = decoderByEncoding.get(encoding?.trim().toLowerCase() ?? '')
  // An error in any stage reaches whoever reads the pipeline.
  return decoder ? (pipeline(Readable.from(body), decoder(), () => {}) as unknown as AsyncIterable<Uint8Array>) : body
}

/** Buffers the received bytes until they are read. */
function createBodyBuffer() {
  const waitingChunks: Uint8Array[] = []
  let waitingBytes = 0
  let controller: Dispatcher.DispatchController | null = null
  let isStopped = false
  let isComplete = false
  let finalOutcome: { error?: unknown } | null = null
  let reader: PromiseWithResolvers<void> | null = null

  function wake(): void {
    reader?.resolve()
    reader = null
  }

  function end(outcome: { error?: unknown }): void {
    finalOutcome ??= outcome
    wake()
  }

  function stop(): void {
    isStopped = true
    if (!isComplete) controller?.abort(new Error('the reader has gone'))
    waitingChunks.length = 0
    end({})
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waitingChunks.shift()
        if (chunk) {
          waitingBytes -= chunk.byteLength
          if (controller?.paused && waitingBytes < MOST_WAITING_BYTES / 2) controller.resume()
          yield chunk
        } else if (finalOutcome) {
          if ('error' in finalOutcome) throw finalOutcome.error
          return
        } else {
          reader = Promise.withResolvers()
          await reader.promise
        }
      }
    } finally {
      stop()
    }
  }

  return {
    body: { [Symbol.asyncIterator]: read },
    stop,
    start(dispatchController: Dispatcher.DispatchController): void {
      controller = dispatchController
      if (isStopped) stop()
    },
    add(chunk: Uint8Array): void {
      if (isStopped) return
      waitingChunks.push(chunk)
      waitingBytes += chunk.byteLength
      if (waitingBytes > MOST_WAITING_BYTES) controller?.pause()
      wake()
    },
    end(): void {
      isComplete = true
      end({})
    },
    fail: (error: unknown) => end({ error }),
  }
}

export interface HttpTimeouts {
  connectMs: number
  /** Maximum time from the request to the first byte of its response. */
  headersMs: number
  /** Maximum time between two bytes of a response; a transfer that stalls longer is dropped. */
  idleMs: number
}

export const defaultTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000 }

/**
 * Agents for the connections of this process, direct or through the proxy; loopback addresses are always reached
 * directly.
 */
export interface HttpAgents {
  /** @param isPublicOnly true to fail if the resolved address is not public */
  agentFor(url: URL, isPublicOnly: boolean): Dispatcher
  /** Classifies a host by its name, or by the addresses that lookups found for it. */
  classOf(hostname: string): AddressClass
  /** Closes idle connections now and the others when their requests have ended. */
  retire(): Promise<void>
  close(): Promise<void>
}

type Undici = typeof import('undici')

export function createHttpAgents(
  undici: Undici,
  timeouts: HttpTimeouts,
  proxy: ProxySettings | null,
  classes = createAddressClasses(),
): HttpAgents {
  const options = {
    connect: { timeout: timeouts.connectMs },
    connectTimeout: timeouts.connectMs,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
  }
  const agentsWithLookup = (lookup: Lookup) => {
    const guardedOptions = { ...options, connect: { ...options.connect, lookup } }
    const direct = new undici.Agent(guardedOptions)
    // The proxy resolves names itself, but hosts excluded from it are connected to directly.
    return { direct, proxied: proxy ? createProxyAgent(undici, guardedOptions, proxy) : direct }
  }
  const unrestrictedAgents = agentsWithLookup(classes.lookup)
  const publicOnlyAgents = agentsWithLookup(classes.publicLookup)
  const allAgents = new Set([unrestrictedAgents, publicOnlyAgents].flatMap(({ direct, proxied }) => [direct, proxied]))
  return {
    agentFor(url, isPublicOnly) {
      const { direct, proxied } = isPublicOnly ? publicOnlyAgents : unrestrictedAgents
      return isLoopback(url.hostname) ? direct : proxied
    },
    classOf: classes.classOf,
    async retire() {
      await Promise.all([...allAgents].map((agent) => agent.close()))
    },
    async close() {
      await Promise.all([...allAgents].map((agent) => agent.destroy()))
    },
  }
}

function createProxyAgent(undici: Undici, options: object, { http, https, except }: ProxySettings): Dispatcher {
  return new undici.EnvHttpProxyAgent({
    ...options,
    httpProxy: proxyAddress(http),
    httpsProxy: proxyAddress(https),
    noProxy: except,
  })
}

/**
 * Returns the proxy's address; one without a scheme, such as `proxy.example:3128`, gets `http://`. Throws if it is not
 * an http or https address.
 */
export function proxyAddress(text: string): string {
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw new AppError(
      'network',
      'The proxy setting is not an http or https address; correct it under Settings → Network, or in HTTP_PROXY and HTTPS_PROXY.',
    )
  }
  return address
}

type AddressClass = 'public' | 'private' | 'loopback'

const loopbackRanges = new BlockList()
loopbackRanges.addSubnet('127.0.0.0', 8, 'ipv4')
loopbackRanges.addAddress('::1', 'ipv6')

/** Address ranges that are not public, including IPv6 forms that embed an IPv4 address. */
const privateRanges = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateRanges.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  privateRanges.addSubnet(network, bits, 'ipv6')

/**
 * Classifies an IP address. An IPv4-mapped IPv6 address (`::ffff:…`) is classified as its IPv4 address; other forms
 * that embed an IPv4 address count as private.
 */
export function classOfAddress(address: string): AddressClass {
  const bare = address.split('%', 1)[0]
  const kind = isIPv6(bare) ? 'ipv6' : 'ipv4'
  if (loopbackRanges.check(bare, kind)) return 'loopback'
  return privateRanges.check(bare, kind) ? 'private' : 'public'
}

/** Host names that are used only in local networks. */
const localNamePattern = /(^|\.)(local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/i

/** Classifies a host by its name alone; a name without a dot counts as private. Null if the name must be looked up. */
export function classOfHost(hostname: string): AddressClass | null {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(bare) !== 0) return classOfAddress(bare)
  if (/(^|\.)localhost$/i.test(bare)) return 'loopback'
  return localNamePattern.test(bare) || !bare.includes('.') ? 'private' : null
}

export const INSIDE_ADDRESS = 'ERR_INSIDE_ADDRESS'

type LookupDone = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void
type Lookup = (hostname: string, options: LookupOptions, done: LookupDone) => void

/**
 * Remembers the address class of each host. A host that ever had a public address stays public while the program runs:
 * otherwise its owner could later point the name to a private address and make us request private addresses.
 */
interface AddressClasses {
  /** Resolves any name. */
  lookup: Lookup
  /**
   * Resolves a name, and fails if any of its addresses is not public; the connection uses the addresses checked here.
   */
  publicLookup: Lookup
  classOf(hostname: string): AddressClass
}

type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Loads Node's resolver with the first lookup, because it reads the system's settings and most commands resolve no
 * names.
 */
const lookUpName: Resolve = (hostname, options, done) =>
  void import('node:dns').then(
    ({ lookup }) => lookup(hostname, options, done),
    (thrown: NodeJS.ErrnoException) => done(thrown, []),
  )

export function createAddressClasses(resolve: Resolve = lookUpName): AddressClasses {
  const classByHost = new Map<string, AddressClass>()

  const lookupWith =
    (isPublicOnly: boolean): Lookup =>
    (hostname, options, done) =>
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, [])
        const classes = addresses.map(({ address }) => classOfAddress(address))
        const nonPublicClass = classes.find((each) => each !== 'public')
        if (isPublicOnly && nonPublicClass) {
          const refusal: NodeJS.ErrnoException = new Error(`${hostname} has an address inside this network`)
          refusal.code = INSIDE_ADDRESS
          return done(refusal, [])
        }
        if (!isPublicOnly && classByHost.get(hostname) !== 'public')
          classByHost.set(hostname, classes.includes('public') ? 'public' : (nonPublicClass ?? 'public'))
        if (options.all) done(null, addresses)
        else done(null, addresses[0].address, addresses[0].family)
      })

  return {
    lookup: lookupWith(false),
    publicLookup: lookupWith(true),
    classOf: (hostname) => classOfHost(hostname) ?? classByHost.get(hostname) ?? 'public',
  }
}
