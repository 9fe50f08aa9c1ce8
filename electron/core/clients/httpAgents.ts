import type { Dispatcher } from 'undici'
import { isLoopback } from '#shared/contract/areas/connections.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { ProxySettings } from '#core/ports.ts'

export interface HttpTimeouts {
  connectMs: number
  /** From the request to the first byte of its answer. */
  headersMs: number
  /** Between two bytes of an answer; a transfer that stalls longer is dropped. */
  idleMs: number
}

export const defaultTimeouts: HttpTimeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000 }

/** The lines out of this process: straight, or through the proxy; this machine itself is always reached straight. */
export interface HttpAgents {
  for(url: URL): Dispatcher
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
  const straight = new undici.Agent(options)
  const proxied = proxy && createProxied(undici, options, proxy)
  return {
    for: (url) => (proxied && !isLoopback(url.hostname) ? proxied : straight),
    async close() {
      await Promise.all([straight.destroy(), proxied?.destroy()])
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

/** Often written without its scheme, as in `proxy.example:3128`. */
function proxyAddress(text: string): string {
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw new AppError(
      'network',
      'The proxy setting is not an http or https address; correct HTTP_PROXY or HTTPS_PROXY.',
    )
  }
  return address
}
