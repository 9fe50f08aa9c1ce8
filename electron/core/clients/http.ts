/**
 * The HTTP client adds keys, follows redirects, writes the request log and turns every failure into an error that a
 * user understands.
 */
import { isLoopback } from '#shared/contract/loopback.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Clock, NetworkRoute, StartProcess } from '#core/ports.ts'
import {
  parseRetryAfter,
  codeOfStatus,
  UnreachableError,
  RequestError,
  SlowError,
  createLeastRate,
  isUntrusted,
  lacksIssuer,
  transportError,
  INSIDE_ADDRESS_MESSAGE,
  requireValidKey,
  requestIdOf,
  replyOfBody,
} from './httpErrors.ts'
import {
  classOfHost,
  sendRequest,
  type ResponseHeaders,
  type RequestContent,
  createHttpAgents,
  defaultTimeouts,
  type HttpAgents,
  type HttpTimeouts,
} from './httpRequest.ts'
import type { Dispatcher } from 'undici'
import {
  type CertificateFacts,
  certificateFacts,
  extendTrust,
  proxyFor,
  refreshTrust,
  trustVersion,
} from './certificates.ts'
import { checkJsonSize, createJsonMeter } from './jsonLimits.ts'
import { createReachability, type Reachability, type Unreachable } from './reachability.ts'
import { createJsonReader } from './jsonReader.ts'
import { createNumberPacker, withLists } from './numberPacker.ts'
import { notJson } from './parseResponse.ts'
import { HIDDEN, redactAddress, type Redactor } from './redact.ts'

/** The HTTP client; every request of this process to a service goes through it. */
export interface HttpClient {
  /**
   * Requests a whole body as JSON (`NaN` and `Infinity` read as null); large bodies are parsed in a guarded process.
   */
  json(request: JsonRequest): Promise<JsonResponse>
  /**
   * Parses the JSON of a file as `json` parses a body: with limits, without secrets, and in a guarded process if the
   * file is large.
   */
  parse(bytes: Uint8Array, address: string, signal: AbortSignal): Promise<unknown>
  /** Resolves with the response's head; the body must be read to its end or cancelled. */
  open(request: HttpRequest): Promise<OpenResponse>
  unreachable(): Unreachable[]
  /** Treats unreachable servers as reachable until a request to them fails again. */
  forgetUnreachable(): void
  /** Probes the unreachable servers immediately. */
  probeUnreachable(): void
  close(): Promise<void>
}

export interface HttpRequest {
  url: string
  signal: AbortSignal
  /** API key, sent only to these origins and only if the url itself has one of them. */
  key?: { value: string; origins: readonly string[] }
  headers?: Record<string, string>
  /**
   * Origin of the service that returned this address; a public service may point to an address in the local network
   * only if the user allows it.
   */
  namedBy?: string
  /** Maximum size of the body after decompression. */
  maxBytes?: number
  /** Body to send with POST; such a request follows no redirects. */
  post?: string
  /** Body to send with PUT; opened again if the request is repeated. */
  put?: RequestContent
  /** True to send DELETE. */
  remove?: boolean
  /** True to follow no redirects, because the signature is valid for this address only. */
  isSigned?: boolean
  /** True if the user allowed plain http to another machine. */
  plainHttp?: boolean
  /** Longest time without a byte of the response; set for services that compute before they respond. */
  silenceMs?: number
}

export interface JsonRequest extends HttpRequest {
  /** True to turn lists of numbers and nulls into a Float64Array with NaN for null. */
  packNumbers?: boolean
}

export interface OpenResponse {
  status: number
  headers: ResponseHeaders
  body: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

export interface JsonResponse {
  value: unknown
  headers: ResponseHeaders
  /** Origin of the service that responded. */
  origin?: string
}

/** One request to a service, already redacted: without the key and the query of presigned links. */
export interface RequestTrace {
  startedAtMs: number
  method: string
  address: string
  /** HTTP status of the response; null if none was received. */
  status: number | null
  bytes: number
  durationMs: number
  error: string | null
}

export interface HttpDeps {
  /**
   * Tells whether the user allows the service at this origin to refer to files at private addresses; if left out, no
   * service may.
   */
  mayStorePrivately?(origin: string): boolean
  clock: Clock
  redactor: Redactor
  record(trace: RequestTrace): void
  isOffline(): boolean
  /** Called when a server becomes unreachable or reachable again. */
  onReachabilityChange?(): void
  /** Returns the current route; after it changes, connections of the old route close when their requests end. */
  route(): NetworkRoute
  timeouts?: HttpTimeouts
  /** Starts the process that parses large JSON; a plain Node process if left out. */
  startProcess?: StartProcess | undefined
}

const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'user-agent': 'perpscope' }
const MAX_REDIRECTS = 5
const PROBE_TIMEOUT_MS = 5000
const MAX_JSON_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
/** Number of bytes at the start of a body that an error may quote if the body is not JSON. */
const QUOTED_START_BYTES = 4096

export function createHttpClient(deps: HttpDeps): HttpClient {
  const agents = createLazyAgents(deps)
  const reachability = createReachability({
    nowMs: deps.clock.nowMs,
    isOffline: deps.isOffline,
    onChange: () => deps.onReachabilityChange?.(),
    async probe(origin, signal) {
      const signalWithTimeout = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])
      await (await send(new URL(origin), { url: origin, signal: signalWithTimeout }, null)).cancel()
    },
  })
  const send = createSender(deps, agents, reachability)
  const jsonParser = createJsonParser(deps)

  /** Follows redirects to the response; the key is sent only to the origin of the requested url. */
  async function open(request: HttpRequest): Promise<OpenResponse> {
    const firstUrl = allowedUrl(request.url, null, request)
    let url = firstUrl
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      request.signal.throwIfAborted()
      if (deps.isOffline()) throw new AppError('offline')
      refuseSecretIn(url, deps.redactor)
      const refusal = reachability.refusal(url.origin)
      if (refusal) throw refusal
      const mayHaveKey = url.origin === firstUrl.origin && request.key?.origins.includes(url.origin)
      const currentRequest = redirects > 0 ? { ...request, namedBy: request.namedBy ?? firstUrl.origin } : request
      const answer = await send(url, currentRequest, mayHaveKey ? (request.key?.value ?? null) : null)
      const location = answer.headers.get('location')
      if (answer.status < 300 || answer.status > 399 || location === null)
        return requireSuccess(deps, answer, `${methodOf(request)} ${redactAddress(url.href)}`)
      if (request.isSigned) return requireSuccess(deps, answer, `${methodOf(request)} ${redactAddress(url.href)}`)
      await answer.cancel()
      if (request.post !== undefined)
        throw new RequestError('bad-answer', `POST ${redactAddress(firstUrl.href)}: it redirects elsewhere`)
      url = allowedUrl(location, url)
    }
    throw new RequestError('bad-answer', `GET ${redactAddress(firstUrl.href)}: it redirects endlessly`)
  }

  return {
    open: (request) => open(request).catch(rethrow),
    async json({ packNumbers = false, ...request }) {
      const { body, headers } = await open({ maxBytes: MAX_JSON_BYTES, ...request }).catch(rethrow)
      const address = redactAddress(request.url)
      return {
        value: await jsonParser.read(body, { address, packNumbers }, request.signal).catch(rethrow),
        headers,
        origin: new URL(request.url).origin,
      }
    },
    async parse(bytes, address, signal) {
      await checkJsonSize(bytes, address)
      return jsonParser.parse(bytes, address, signal).catch(rethrow)
    },
    unreachable: reachability.list,
    forgetUnreachable: reachability.forget,
    probeUnreachable: reachability.probeNow,
    async close() {
      reachability.close()
      await Promise.all([agents.close(), jsonParser.close()])
    },
  }
}

interface LazyAgents {
  /** Returns the agents for the current route. */
  load(url: URL): Promise<HttpAgents>
  close(): Promise<void>
}

/**
 * Loads undici with the first request so that it does not slow the start; a failed load is retried. A changed route
 * gets new agents.
 */
function createLazyAgents({ timeouts = defaultTimeouts, route }: HttpDeps): LazyAgents {
  let openAgents: { routeKey: string; agents: Promise<HttpAgents> } | null = null
  const loaded = new Set<HttpAgents>()

  async function open({ proxy }: NetworkRoute): Promise<HttpAgents> {
    const agents = createHttpAgents(await import('undici'), timeouts, proxy)
    loaded.add(agents)
    return agents
  }

  async function retire(agents: Promise<HttpAgents>): Promise<void> {
    const old = await agents.catch(() => null)
    await old?.retire()
    if (old) loaded.delete(old)
  }

  return {
    async load(url) {
      const currentRoute = route()
      const routeKey = JSON.stringify(currentRoute)
      if (openAgents?.routeKey !== routeKey) {
        if (openAgents) void retire(openAgents.agents)
        openAgents = { routeKey, agents: open(currentRoute) }
      }
      if (url.protocol === 'https:') refreshTrust(currentRoute.caFiles)
      const { agents } = openAgents
      return agents.catch((thrown: unknown) => {
        if (openAgents?.agents === agents) openAgents = null
        throw thrown
      })
    },
    async close() {
      await openAgents?.agents.catch(() => null)
      await Promise.all([...loaded].map((agents) => agents.close()))
    },
  }
}

type Send = (url: URL, request: HttpRequest, key: string | null) => Promise<OpenResponse>

/** Creates the sender of individual requests; it follows no redirects and logs each request whatever its outcome. */
function createSender(deps: HttpDeps, agents: LazyAgents, reachability: Reachability): Send {
  return async (url, request, key) => {
    if (key !== null) requireValidKey(key, 'The API key')
    const address = redactAddress(url.href)
    const trace = startTrace(deps, address, methodOf(request))
    const fail = (thrown: unknown, certificate: CertificateFacts | null = null) => {
      const route = { certificate, proxy: thrown instanceof AppError ? null : proxyFor(url, deps.route().proxy) }
      const error = transportError(thrown, `${methodOf(request)} ${address}`, request.signal, route)
      if (error instanceof UnreachableError) error.origin = url.origin
      reachability.noteFailure(url.origin, error)
      trace.finish(error)
      return error
    }
    const headers = { ...DEFAULT_HEADERS, ...request.headers, ...(key !== null && { 'x-api-key': key }) }
    const trustBefore = trustVersion()
    const attempt = async () => {
      const agent = allowedAgent(await agents.load(url), url, request.namedBy, deps)
      return sendRequest(agent, url, headers, request.signal, { ...request, method: methodOf(request) })
    }
    const answer = await attempt()
      .catch((thrown: unknown) => {
        // Another request that failed in the same way may have extended the trust meanwhile.
        if (lacksIssuer(thrown) && extendTrust(deps.route().caFiles) !== trustBefore) return attempt()
        throw thrown
      })
      .catch(async (thrown: unknown) => {
        throw fail(thrown, isUntrusted(thrown) ? await certificateFacts(url, deps.route().proxy, request.signal) : null)
      })
    trace.status = answer.status
    reachability.noteAnswer(url.origin)
    const limit = {
      requestText: `${methodOf(request)} ${address}`,
      maxBytes: request.maxBytes ?? Infinity,
      // A service that computes while it responds may take its time.
      mayBeSlow: request.silenceMs !== undefined,
      nowMs: deps.clock.nowMs,
    }
    const body = tracedBody(answer.body, limit, trace, fail)
    return {
      status: answer.status,
      headers: withoutSecrets(answer.headers, deps.redactor),
      body,
      async cancel() {
        answer.cancel()
        await body.next().catch(() => {})
      },
    }
  }
}

/**
 * Chooses the agent for an address. An address that a service returned may be private or loopback only if the service
 * itself is not public or the user allows it. Behind a proxy only the text of the address can be checked.
 */
function allowedAgent(
  agents: HttpAgents,
  url: URL,
  namedBy: string | undefined,
  { mayStorePrivately }: HttpDeps,
): Dispatcher {
  if (namedBy === undefined || namedBy === url.origin) return agents.agentFor(url, false)
  const isPublicOnly = agents.classOf(new URL(namedBy).hostname) === 'public' && !mayStorePrivately?.(namedBy)
  if (isPublicOnly && (classOfHost(url.hostname) ?? 'public') !== 'public')
    throw new RequestError('bad-answer', `GET ${redactAddress(url.href)}: ${INSIDE_ADDRESS_MESSAGE}`)
  return agents.agentFor(url, isPublicOnly)
}

const methodOf = ({ post, put, remove }: HttpRequest) =>
  post !== undefined ? 'POST' : put ? 'PUT' : remove ? 'DELETE' : 'GET'

/** The log entry of one running request, written when the request ends. */
interface RunningTrace {
  status: number | null
  bytes: number
  finish(error: AppError | null): void
}

function startTrace({ clock, redactor, record }: HttpDeps, address: string, method: string): RunningTrace {
  const startedAtMs = clock.nowMs()
  const startedMs = performance.now()
  const trace: RunningTrace = {
    status: null,
    bytes: 0,
    finish: (error) =>
      record({
        startedAtMs,
        method,
        address,
        status: trace.status,
        bytes: trace.bytes,
        durationMs: Math.round(performance.now() - startedMs),
        error: error && redactor.text(error.message),
      }),
  }
  return trace
}

interface BodyLimits {
  requestText: string
  maxBytes: number
  mayBeSlow: boolean
  nowMs(): number
}

/** Forwards a body within its limits, counts its bytes and finishes the trace at its end. */
async function* tracedBody(
  body: AsyncIterable<Uint8Array>,
  { requestText, maxBytes, mayBeSlow, nowMs }: BodyLimits,
  trace: RunningTrace,
  fail: (thrown: unknown) => AppError,
): AsyncGenerator<Uint8Array> {
  let hasEnded = false
  const tooFewBytes = createLeastRate()
  let askedMs = nowMs()
  try {
    for await (const chunk of body) {
      trace.bytes += chunk.byteLength
      const received = mayBeSlow ? null : tooFewBytes(nowMs() - askedMs, chunk.byteLength)
      if (received !== null) throw new SlowError(`${requestText}: only ${received} bytes arrived in 30 seconds`)
      if (trace.bytes > maxBytes)
        throw new RequestError('too-large', `${requestText}: the response has more than ${maxBytes} bytes`)
      yield chunk
      askedMs = nowMs()
    }
    hasEnded = true
    trace.finish(null)
  } catch (thrown) {
    hasEnded = true
    throw fail(thrown)
  } finally {
    // The reader stopped early, so the rest of the body is not fetched.
    if (!hasEnded) trace.finish(null)
  }
}

/** Returns a successful response, or throws an error with the service's message. */
async function requireSuccess(
  { clock, redactor }: HttpDeps,
  answer: OpenResponse,
  requestText: string,
): Promise<OpenResponse> {
  const { status, headers } = answer
  if (status >= 200 && status < 300) return answer
  const start = await readStart(answer.body, MAX_ERROR_BYTES).catch(() => new Uint8Array())
  const text = redactor.startOf(start, start.length >= MAX_ERROR_BYTES)
  const message = replyOfBody(text)
  throw new RequestError(codeOfStatus(status), `${requestText}: status ${status}`, {
    service: { message: message && redactor.text(message), status, requestId: requestIdOf(headers) },
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), clock.nowMs()),
    refusal: { bodyStart: text, headers },
  })
}

/**
 * Hides secrets in the headers, because a service may repeat the key in one. Nothing else of a header is redacted: a
 * redirect that lost its query would be followed to another address, and not be refused.
 */
const withoutSecrets = (headers: ResponseHeaders, redactor: Redactor): ResponseHeaders => ({
  get(name) {
    const value = headers.get(name)
    return value !== null && redactor.contains(value) ? redactor.hideIn(value) : value
  },
})

function refuseSecretIn(url: URL, redactor: Redactor): void {
  if (redactor.contains(url.href) || url.href.includes(HIDDEN))
    throw new RequestError('bad-answer', 'The service returned a link that contains the API key, so it was not opened.')
}

interface JsonParser {
  /** Reads a body while it arrives. */
  read(body: AsyncIterable<Uint8Array>, options: JsonBodyOptions, signal: AbortSignal): Promise<unknown>
  parse(bytes: Uint8Array, address: string, signal: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

interface JsonBodyOptions extends Required<Pick<JsonRequest, 'packNumbers'>> {
  /** Address to name in errors. */
  address: string
}

/**
 * Creates the parser of JSON bodies. It searches them for secrets first, because the process that parses large bodies
 * does not know the secrets.
 */
function createJsonParser({ redactor, startProcess }: HttpDeps): JsonParser {
  const reader = createJsonReader({ start: startProcess })

  /** Runs work that parses a body, and lets the error for a body that is not JSON quote its beginning. */
  async function quoting<Result>(
    address: string,
    beginning: () => { bytes: Uint8Array; isCut: boolean },
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    try {
      return await work()
    } catch (thrown) {
      if (toAppError(thrown).detail !== notJson(address)) throw thrown
      const { bytes, isCut } = beginning()
      throw notJsonError(address, bytes, redactor.startOf(bytes, isCut))
    }
  }

  return {
    async read(body, { address, packNumbers }, signal) {
      const meter = createJsonMeter(address)
      const search = redactor.search()
      const packer = packNumbers ? createNumberPacker(address) : null
      const chunks: Uint8Array[] = []
      let beginning = Buffer.alloc(0)
      const quoted = () => ({
        bytes: beginning.subarray(0, QUOTED_START_BYTES),
        isCut: beginning.length > QUOTED_START_BYTES,
      })
      for await (const chunk of body) {
        meter.add(chunk)
        search.add(chunk)
        if (beginning.length <= QUOTED_START_BYTES)
          beginning = Buffer.concat([beginning, chunk.subarray(0, QUOTED_START_BYTES + 1)])
        if (packer) await quoting(address, quoted, () => packer.add(chunk))
        else chunks.push(chunk)
      }
      return quoting(address, quoted, async () => {
        const { skeleton, lists } = packer?.end() ?? { skeleton: Buffer.concat(chunks), lists: null }
        const parsed = await reader.read(skeleton, address, signal)
        const value = lists === null ? parsed : withLists(parsed, lists)
        return search.hasFound() ? redactor.value(value) : value
      })
    },
    async parse(bytes, address, signal) {
      const hasSecret = await redactor.containsIn(bytes)
      const isCut = bytes.length > QUOTED_START_BYTES
      const beginning = () => ({ bytes: bytes.subarray(0, QUOTED_START_BYTES), isCut })
      const value = await quoting(address, beginning, () => reader.read(bytes, address, signal))
      return hasSecret ? redactor.value(value) : value
    },
    close: reader.close,
  }
}

/** Creates the error for a body that is not JSON; it quotes the redacted start of the body. */
function notJsonError(address: string, beginning: Uint8Array, redacted: string): RequestError {
  const start = redacted.replace(/\s+/g, ' ').trim().slice(0, 60)
  const suffix = start ? `, it begins with “${start}”` : beginning.length === 0 ? ', it is empty' : ''
  return new RequestError('bad-answer', `${notJson(address)}${suffix}`)
}

const rethrow = (thrown: unknown): never => {
  throw toAppError(thrown)
}

/**
 * Parses an address, and throws if it may not be requested.
 * @param from the address that redirected to it; null for the first request
 * @param request whether plain http is allowed, and the service that named the address
 */
function allowedUrl(
  address: string,
  from: URL | null,
  { plainHttp = false, namedBy }: Pick<HttpRequest, 'plainHttp' | 'namedBy'> = {},
): URL {
  const refusal = (message: string) =>
    from
      ? new RequestError('bad-answer', `GET ${redactAddress(from.href)}: it redirects to ${message}`)
      : new RequestError(
          namedBy === undefined ? 'bad-input' : 'bad-answer',
          `${redactAddress(address).slice(0, 200)} is ${message}`,
        )
  if (!URL.canParse(address, from?.href)) throw refusal('an invalid address')
  const url = new URL(address, from?.href)
  const isLocal = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && (isLocal || plainHttp)))
    throw refusal('an address that is not https')
  if (url.username || url.password) throw refusal('an address with a user name')
  if (from && isLocal && !isLoopback(from.hostname)) throw refusal('this machine itself')
  return url
}

async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes >= maxBytes) break
  }
  return Buffer.concat(chunks)
}
