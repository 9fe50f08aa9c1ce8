import { isLoopback } from '#shared/contract/areas/connections.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Clock, ProxySettings } from '#core/ports.ts'
import { parseRetryAfter, codeOfStatus, RequestError, transportError, requestIdOf, serviceReply } from './httpErrors.ts'
import {
  sendRequest,
  type AnswerHeaders,
  createHttpAgents,
  defaultTimeouts,
  type HttpAgents,
  type HttpTimeouts,
} from './httpRequest.ts'
import { createJsonMeter } from './jsonLimits.ts'
import { createReachability, type Unreachable } from './reachability.ts'
import { createJsonReader, type JsonOptions } from './jsonReader.ts'
import { notJson } from './parseResponse.ts'
import { HIDDEN, redactAddress, type Redactor } from './redact.ts'

/** The HTTP client is the only way out of this process to a service. */
export interface HttpClient {
  /** The whole body as JSON (`NaN` and `Infinity` read as null), read in a thread of its own where it is large. */
  json(request: JsonRequest): Promise<JsonAnswer>
  /** Parses JSON that came from a file as one from a service is parsed: limited, without secrets, beside other work. */
  parse(bytes: Uint8Array, address: string, signal: AbortSignal): Promise<unknown>
  /** Resolves with the response's head; the body must be read to its end or cancelled. */
  open(request: HttpRequest): Promise<OpenAnswer>
  unreachable(): Unreachable[]
  /** Servers that were out of reach are tried again with the next request. */
  forgetUnreachable(): void
  /** Probes the unreachable servers at once. */
  probeUnreachable(): void
  close(): Promise<void>
}

export interface HttpRequest {
  url: string
  signal: AbortSignal
  /** Sent only to these origins, and never to another origin than the url's own. */
  key?: { value: string; origins: readonly string[] }
  headers?: Record<string, string>
  /** Largest size of the body after decompression. */
  maxBytes?: number
}

export interface JsonRequest extends HttpRequest {
  /** Lists of nothing but numbers and nulls come as a Float64Array, with NaN for null. */
  packNumbers?: boolean
}

export interface OpenAnswer {
  status: number
  headers: AnswerHeaders
  body: AsyncIterable<Uint8Array>
  cancel(): Promise<void>
}

export interface JsonAnswer {
  value: unknown
  headers: AnswerHeaders
}

/** One request as the request log keeps it. */
export interface RequestTrace {
  startedAtMs: number
  method: string
  address: string
  status: number | null
  bytes: number
  durationMs: number
  error: string | null
}

export interface HttpDeps {
  clock: Clock
  redactor: Redactor
  record(trace: RequestTrace): void
  isOffline(): boolean
  /** Called when a server becomes unreachable or is back. */
  onReach?(): void
  proxy: ProxySettings | null
  timeouts?: HttpTimeouts
}

const usualHeaders = { accept: '*/*', 'accept-encoding': 'gzip, deflate', 'user-agent': 'perpscope' }
const MAX_REDIRECTS = 5
const LOOK_WITHIN_MS = 5000
const MAX_JSON_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024
/** Beginning of a body that is searched for something to show where the body is not JSON. */
const SHOWN_START_BYTES = 4096

export function createHttpClient(deps: HttpDeps): HttpClient {
  const { clock, redactor, timeouts = defaultTimeouts, proxy } = deps
  let loading: Promise<HttpAgents> | null = null
  const agentsLoaded = () => (loading ??= loadAgents(timeouts, proxy))

  const reach = createReachability({
    nowMs: clock.nowMs,
    isOffline: deps.isOffline,
    onChange: () => deps.onReach?.(),
    async look(origin, signal) {
      const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_WITHIN_MS)])
      await (await visit(new URL(origin), { url: origin, signal: within }, null)).cancel()
    },
  })

  /** Sends one request without following redirects and records it in the log, whatever its outcome. */
  async function visit(url: URL, request: HttpRequest, key: string | null): Promise<OpenAnswer> {
    const address = redactAddress(url.href)
    const startedAtMs = clock.nowMs()
    const started = performance.now()
    let status: number | null = null
    let bytes = 0
    const finish = (error: AppError | null) =>
      deps.record({
        startedAtMs,
        method: 'GET',
        address,
        status,
        bytes,
        durationMs: Math.round(performance.now() - started),
        error: error && redactor.text(error.message),
      })
    const failed = (thrown: unknown) => {
      const error = transportError(thrown, `GET ${address}`, request.signal)
      reach.noteFailure(url.origin, error)
      finish(error)
      return error
    }

    const agents = await agentsLoaded().catch((thrown: unknown) => {
      loading = null
      throw failed(thrown)
    })
    const headers = { ...usualHeaders, ...request.headers, ...(key !== null && { 'x-api-key': key }) }
    const answer = await sendRequest(agents.for(url), url, headers, request.signal).catch((thrown: unknown) => {
      throw failed(thrown)
    })
    status = answer.status
    reach.noteAnswer(url.origin)

    async function* body(): AsyncGenerator<Uint8Array> {
      let isOver = false
      try {
        for await (const chunk of answer.body) {
          bytes += chunk.byteLength
          if (bytes > (request.maxBytes ?? Infinity)) throw tooLarge(address, request.maxBytes)
          yield chunk
        }
        isOver = true
        finish(null)
      } catch (thrown) {
        isOver = true
        throw failed(thrown)
      } finally {
        // The reader left early, so the rest of the body is not fetched.
        if (!isOver) finish(null)
      }
    }

    const content = body()
    return {
      status,
      headers: withoutSecrets(answer.headers),
      body: content,
      async cancel() {
        answer.cancel()
        await content.next().catch(() => {})
      },
    }
  }

  /** A service that repeats the key in a header gets nothing of it shown, stored or sent elsewhere. */
  const withoutSecrets = (headers: AnswerHeaders): AnswerHeaders => ({
    get(name) {
      const value = headers.get(name)
      return value !== null && redactor.contains(value) ? redactor.text(value) : value
    },
  })

  function refuseSecretIn(url: URL): void {
    if (redactor.contains(url.href) || url.href.includes(HIDDEN))
      throw new RequestError('bad-answer', 'The service named an address that contains the API key; it is not opened.')
  }

  async function open(request: HttpRequest): Promise<OpenAnswer> {
    const first = allowedUrl(request.url, null)
    let url = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      request.signal.throwIfAborted()
      if (deps.isOffline()) throw new AppError('offline')
      refuseSecretIn(url)
      const refusal = reach.refusal(url.origin)
      if (refusal) throw refusal
      const mayHaveKey = url.origin === first.origin && request.key?.origins.includes(url.origin)
      const answer = await visit(url, request, mayHaveKey ? (request.key?.value ?? null) : null)
      const location = answer.headers.get('location')
      if (answer.status < 300 || answer.status > 399 || location === null) return accepted(answer, url)
      await answer.cancel()
      url = allowedUrl(location, url)
    }
    throw new RequestError('bad-answer', `GET ${redactAddress(first.href)}: it redirects without end`)
  }

  async function accepted(answer: OpenAnswer, url: URL): Promise<OpenAnswer> {
    const { status, headers } = answer
    if (status >= 200 && status < 300) return answer
    const start = await readStart(answer.body, MAX_ERROR_BYTES).catch(() => new Uint8Array())
    const message = serviceReply(redactor.start(start, start.length >= MAX_ERROR_BYTES))
    throw new RequestError(codeOfStatus(status), `GET ${redactAddress(url.href)}: status ${status}`, {
      service: { message: message && redactor.text(message), status, requestId: requestIdOf(headers) },
      retryAfterMs: parseRetryAfter(headers.get('retry-after'), clock.nowMs()),
    })
  }

  const jsonReader = createJsonReader()

  /** The bytes are searched for secrets first, because a large body goes to another thread that knows none. */
  async function parse(bytes: Uint8Array, options: JsonOptions, signal: AbortSignal): Promise<unknown> {
    const hasSecret = await redactor.containsIn(bytes)
    // The bytes may move to another thread, so that their beginning is copied.
    const beginning = new Uint8Array(bytes.subarray(0, SHOWN_START_BYTES))
    const isCut = bytes.length > SHOWN_START_BYTES
    try {
      const value = await jsonReader.read(bytes, options, signal)
      return hasSecret ? redactor.value(value) : value
    } catch (thrown) {
      if (toAppError(thrown).detail !== notJson(options.address)) throw thrown
      const start = redactor
        .start(beginning, bytes.length > SHOWN_START_BYTES)
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, 60)
      throw new RequestError(
        'bad-answer',
        `${notJson(options.address)}${start ? `, it begins with “${start}”` : beginning.length === 0 ? ', it is empty' : ''}`,
      )
    }
  }

  return {
    open: (request) => open(request).catch(rethrow),
    async json({ packNumbers = false, ...request }) {
      const { body, headers } = await open({ maxBytes: MAX_JSON_BYTES, ...request }).catch(rethrow)
      const address = redactAddress(request.url)
      const bytes = await readMetered(body, address)
      return { value: await parse(bytes, { address, packNumbers }, request.signal).catch(rethrow), headers }
    },
    async parse(bytes, address, signal) {
      createJsonMeter(address).add(bytes)
      return parse(bytes, { address, packNumbers: false }, signal).catch(rethrow)
    },
    unreachable: reach.list,
    forgetUnreachable: reach.forget,
    probeUnreachable: reach.probeNow,
    async close() {
      reach.close()
      const opened = await loading?.catch(() => null)
      await Promise.all([opened?.close(), jsonReader.close()])
    },
  }
}

const rethrow = (thrown: unknown): never => {
  throw toAppError(thrown)
}

/** Loads undici with the first request, so that a start does not wait for it. */
const loadAgents = async (timeouts: HttpTimeouts, proxy: ProxySettings | null) =>
  createHttpAgents(await import('undici'), timeouts, proxy)

/** @param from the address that redirects there; null for the first */
function allowedUrl(address: string, from: URL | null): URL {
  const refuse = (message: string) =>
    from
      ? new RequestError('bad-answer', `GET ${redactAddress(from.href)}: it redirects to ${message}`)
      : new RequestError('bad-input', `${redactAddress(address).slice(0, 200)} is ${message}`)
  if (!URL.canParse(address, from?.href)) throw refuse('no proper address')
  const url = new URL(address, from?.href)
  const local = isLoopback(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) throw refuse('an address that is not https')
  if (url.username || url.password) throw refuse('an address with a user name')
  if (from && local && !isLoopback(from.hostname)) throw refuse('this machine itself')
  return url
}

const tooLarge = (address: string, maxBytes = Infinity) =>
  new RequestError('too-large', `GET ${address}: the answer has more than ${maxBytes} bytes`)

/** Reads a whole JSON body; what it would become in memory is limited while it arrives. */
async function readMetered(body: AsyncIterable<Uint8Array>, address: string): Promise<Uint8Array> {
  const meter = createJsonMeter(address)
  const chunks: Uint8Array[] = []
  for await (const chunk of body) {
    meter.add(chunk)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
