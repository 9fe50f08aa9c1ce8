import type { HttpClient, JsonAnswer, JsonRequest } from './http.ts'

/** Where a service is and what opens it. */
export interface ServiceAccess {
  /** What stands before `/api/v1`. */
  baseUrl: string
  key: string | null
}

/** Asks one service for JSON; the key goes to its own origin only. */
export type AskService = (
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
  options?: Pick<JsonRequest, 'packNumbers'>,
) => Promise<JsonAnswer>

export function askService(http: HttpClient, { baseUrl, key }: ServiceAccess): AskService {
  const base = baseUrl.replace(/\/+$/, '')
  const { origin } = new URL(baseUrl)
  return (path, query, signal, options) => {
    const parameters = new URLSearchParams(query).toString()
    return http.json({
      url: `${base}/api/v1${path}${parameters ? `?${parameters}` : ''}`,
      signal,
      ...options,
      ...(key !== null && { key: { value: key, origins: [origin] } }),
    })
  }
}
