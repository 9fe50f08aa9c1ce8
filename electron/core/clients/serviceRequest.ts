import { AppError } from '#shared/contract/errors.ts'
import type { HttpClient, JsonResponse, JsonRequest } from './http.ts'

/** Address and key of a service. */
export interface ServiceAccess {
  /** Address without `/api/v1`. */
  baseUrl: string
  key: string | null
  /** Reason why the keychain cannot be read, so that a key may be in it although none is given. */
  unreadable?: string
}

/** Requests JSON from one service; the key is sent to the service's own origin only. */
export type ServiceRequest = (
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
  options?: Pick<JsonRequest, 'packNumbers'>,
) => Promise<JsonResponse>

export function createServiceRequest(http: HttpClient, { baseUrl, key, unreadable }: ServiceAccess): ServiceRequest {
  const base = baseUrl.replace(/\/+$/, '')
  const { origin } = new URL(baseUrl)
  return (path, query, signal, options) => {
    const parameters = new URLSearchParams(query).toString()
    const url = `${base}/api/v1${path}${parameters ? `?${parameters}` : ''}`
    if (key === null) return http.json({ url, signal, ...options }).catch(rethrowAsNoKey(unreadable))
    return http.json({ url, signal, ...options, key: { value: key, origins: [origin] } })
  }
}

/**
 * Replaces the error for a 401 response to a request without a key: the service asks for a key; none was refused. If
 * the keychain cannot be read, that is the reason, whether or not a key is in it.
 */
const rethrowAsNoKey =
  (unreadable: string | undefined) =>
  (thrown: unknown): never => {
    if (!(thrown instanceof AppError) || thrown.code !== 'unauthorized') throw thrown
    const options = { cause: thrown, ...(thrown.service && { service: thrown.service }) }
    throw unreadable === undefined
      ? new AppError('no-key', thrown.detail, options)
      : new AppError('no-keychain', unreadable, options)
  }
