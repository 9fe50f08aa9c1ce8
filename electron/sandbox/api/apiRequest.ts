import type { IncomingHttpHeaders } from 'node:http'

export interface ApiRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}
