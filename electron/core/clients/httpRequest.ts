import { pipeline, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { ProxySettings } from '#core/ports.ts'
import { isLoopback } from '#shared/contract/loopback.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type AddressClass, createAddressClasses } from './addressClass.ts'

export interface AnswerHeaders {
  /** @param name in lower case */
  get(name: string): string | null
}

/** The response to one request: its head now, and its decompressed body as it arrives. */
export interface HttpExchange {
  status: number
  headers: AnswerHeaders
  /** The body must be read to its end; leaving it early ends the transfer. */
  body: AsyncIterable<Uint8Array>
  /** Ends the transfer and with it the body. */
  cancel(): void
}

/** Received bytes that may wait to be read; beyond this size the sender is paused. */
const MOST_WAITING_BYTES = 1024 * 1024

/** Content of a request, whose length is known before the first byte. */
export interface RequestContent {
  sizeBytes: number
  open(): AsyncIterable<Uint8Array>
}

export interface SentRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  post?: string
  put?: RequestContent
  silenceMs?: number
}

/** Sends one request without following redirects, straight on the dispatcher because `fetch` costs several times the CPU time. */
export function sendRequest(
  dispatcher: Dispatcher,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
  { method = 'GET', post, put, silenceMs }: SentRequest = {},
): Promise<HttpExchange> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpExchange>()
  const inflow = createInflow()
  const fail = (reason: unknown) => {
    signal.removeEventListener('abort', abort)
    reject(reason)
    inflow.fail(reason)
  }
  const abort = () => {
    fail(signal.reason)
    inflow.stop()
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
      onRequestStart: inflow.start,
      onResponseStart(_controller, status, raw) {
        // An informational status such as 103 Early Hints is not the response yet.
        if (status < 200) return
        const named = headersOf(raw)
        const body = decoded(inflow.body, named.get('content-encoding'))
        resolve({ status, headers: named, body, cancel: inflow.stop })
      },
      onResponseData: (_controller, chunk) => inflow.add(chunk),
      onResponseEnd() {
        signal.removeEventListener('abort', abort)
        inflow.end()
      },
      onResponseError: (_controller, error) => fail(error),
    },
  )
  return promise
}

type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

const headersOf = (raw: RawHeaders): AnswerHeaders => ({
  get(name) {
    const value = raw[name]
    return (Array.isArray(value) ? value.join(', ') : value) ?? null
  },
})

const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

function decoded(body: AsyncIterable<Uint8Array>, encoding: string | null): AsyncIterable<Uint8Array> {
  const decoder = decoders.get(encoding?.trim().toLowerCase() ?? '')
  // The reader of the pipeline gets every error of its parts.
  return decoder ? (pipeline(Readable.from(body), decoder(), () => {}) as unknown as AsyncIterable<Uint8Array>) : body
}

/** Buffers the received bytes until they are read. */
function createInflow() {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let controller: Dispatcher.DispatchController | null = null
  let isStopped = false
  let isComplete = false
  let ended: { error?: unknown } | null = null
  let reader: PromiseWithResolvers<void> | null = null

  function wake(): void {
    reader?.resolve()
    reader = null
  }

  function end(how: { error?: unknown }): void {
    ended ??= how
    wake()
  }

  function stop(): void {
    isStopped = true
    if (!isComplete) controller?.abort(new Error('nobody reads this any more'))
    waiting.length = 0
    end({})
  }

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waiting.shift()
        if (chunk) {
          waitingBytes -= chunk.byteLength
          if (controller?.paused && waitingBytes < MOST_WAITING_BYTES / 2) controller.resume()
          yield chunk
        } else if (ended) {
          if ('error' in ended) throw ended.error
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
    start(started: Dispatcher.DispatchController): void {
      controller = started
      if (isStopped) stop()
    },
    add(chunk: Uint8Array): void {
      if (isStopped) return
      waiting.push(chunk)
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
  /** Time from the request to the first byte of its response. */
  headersMs: number
  /** Time between two bytes of a response; a transfer that stalls longer is dropped. */
  idleMs: number
}

export const defaultTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000 }

/** Connections out of this process, direct or through the proxy; loopback addresses are always reached directly. */
export interface HttpAgents {
  /** @param isPublicOnly fails where the address that is dialled is not public */
  for(url: URL, isPublicOnly: boolean): Dispatcher
  /** Classifies a host by its text or by its last lookup. */
  classOf(hostname: string): AddressClass
  /** Ends idle connections now and the others when their requests have ended. */
  retire(): Promise<void>
  close(): Promise<void>
}

type Undici = typeof import('undici')

export function createHttpAgents(undici: Undici, timeouts: HttpTimeouts, proxy: ProxySettings | null): HttpAgents {
  const options = {
    connect: { timeout: timeouts.connectMs },
    connectTimeout: timeouts.connectMs,
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.idleMs,
  }
  const classes = createAddressClasses()
  const straight = new undici.Agent({ ...options, connect: { ...options.connect, lookup: classes.lookup } })
  const guarded = new undici.Agent({ ...options, connect: { ...options.connect, lookup: classes.publicLookup } })
  const proxied = proxy && createProxied(undici, options, proxy)
  const all = [straight, guarded, ...(proxied ? [proxied] : [])]
  return {
    for(url, isPublicOnly) {
      if (proxied && !isLoopback(url.hostname)) return proxied
      return isPublicOnly ? guarded : straight
    },
    classOf: classes.of,
    async retire() {
      await Promise.all(all.map((agent) => agent.close()))
    },
    async close() {
      await Promise.all(all.map((agent) => agent.destroy()))
    },
  }
}

function createProxied(undici: Undici, options: object, { http, https, except }: ProxySettings): Dispatcher {
  return new undici.EnvHttpProxyAgent({
    ...options,
    httpProxy: proxyAddress(http),
    httpsProxy: proxyAddress(https),
    noProxy: except,
  })
}

/** Returns the proxy's address; a scheme is added because it is often omitted, as in `proxy.example:3128`. */
export function proxyAddress(text: string): string {
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw new AppError(
      'network',
      'The proxy setting is not an http or https address; correct it under Settings → Network, or HTTP_PROXY and HTTPS_PROXY.',
    )
  }
  return address
}
