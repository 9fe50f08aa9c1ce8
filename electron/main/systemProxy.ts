import type { Session } from 'electron'
import { proxyFromEnvironment, type ProxySettings } from '#core/ports.ts'

/** Timeout, because searching the network for a configuration script may be slow and must not delay the start. */
const TIMEOUT_MS = 1000

/** Returns the proxy of the environment, else the one that the system uses for public addresses; null for none. */
export async function readProxy(session: Session, env: NodeJS.ProcessEnv): Promise<ProxySettings | null> {
  const environmentProxy = proxyFromEnvironment(env)
  if (environmentProxy) return environmentProxy
  const resolveProxy = async (scheme: string) =>
    firstProxy(await session.resolveProxy(`${scheme}://perpscope.invalid/`))
  const { promise: timeout, resolve } = Promise.withResolvers<string[]>()
  const timer = setTimeout(resolve, TIMEOUT_MS, ['', ''])
  const [http, https] = await Promise.race([Promise.all([resolveProxy('http'), resolveProxy('https')]), timeout])
  clearTimeout(timer)
  return http || https ? { http, https, except: '' } : null
}

/**
 * Finds the first http or https proxy in a text such as `SOCKS a:1; PROXY b:3128; DIRECT`; empty if there is
 * none or `DIRECT` comes first.
 */
export function firstProxy(answer: string): string {
  for (const entry of answer.split(';')) {
    const [kind, address] = entry.trim().split(/\s+/)
    if (kind === 'DIRECT') return ''
    if (address && (kind === 'PROXY' || kind === 'HTTP')) return `http://${address}`
    if (address && kind === 'HTTPS') return `https://${address}`
  }
  return ''
}
