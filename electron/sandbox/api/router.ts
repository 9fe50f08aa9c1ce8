import type { IncomingHttpHeaders } from 'node:http'
import { tierOf } from '../access/keys.ts'
import type { FaultEffects } from '../faults/faults.ts'
import { faultReply } from '../http/faultReply.ts'
import { refusalReply, type Reply, text } from '../http/reply.ts'
import { ApiRefusal } from '../refusal.ts'
import type { SandboxRequest, SandboxContext } from './context.ts'
import { answerCatalog, answerData, answerSymbols } from './metricsApi.ts'
import { answerRawCatalog, answerRawData, answerRawFiles } from './rawApi.ts'

const BASE = '/api/v1'
const RAW_DATA = '/data/raw/'
export const RAW_CATALOG_PATH = '/raw/catalog.json'

/** Returns the tier of the API key; refuses the request, whatever else is wrong with it, if the key is not valid. */
function requireKey({ faults }: SandboxContext, headers: IncomingHttpHeaders): number {
  const tier = tierOf(headers['x-api-key']?.toString())
  if (tier === null || faults.current.rejectKeys) {
    throw new ApiRefusal(401, 'invalid_api_key', 'The API key is missing or not valid')
  }
  return Math.min(tier, faults.current.tierCap ?? tier)
}

async function route(context: SandboxContext, request: SandboxRequest): Promise<Reply> {
  const { path, query, headers } = request
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new ApiRefusal(405, 'method_not_allowed', 'Only GET is allowed')
  }
  if (path === RAW_CATALOG_PATH) return answerRawCatalog(context)
  if (!path.startsWith(`${BASE}/`)) throw new ApiRefusal(404, 'not_found', `There is nothing at ${path}`)
  const endpoint = path.slice(BASE.length)
  const { rawEvents } = context.faults.current
  if (endpoint === '/metadata/raw' && rawEvents !== 'old') return answerRawCatalog(context)
  const tier = requireKey(context, headers)
  if (endpoint === '/metadata/catalog') return answerCatalog(context)
  if (endpoint === '/metadata/symbols') return answerSymbols(context, query)
  if (endpoint.startsWith(RAW_DATA) && rawEvents !== 'old') {
    return answerRawData(context, endpoint.slice(RAW_DATA.length), query, tier)
  }
  if (endpoint.startsWith('/data/')) return answerData(context, endpoint.slice('/data/'.length), query, tier)
  if (endpoint === '/raw/files' && rawEvents !== 'new') return answerRawFiles(context, query)
  return answerPortfolioRequest(context, endpoint, query)
}

/** Answers one request to the API. */
export async function answerApi(
  context: SandboxContext,
  request: SandboxRequest,
  effects: FaultEffects,
): Promise<Reply> {
  const errorBody = context.faults.current.errorBody
  if (effects.status !== undefined) return faultReply(effects, effects.status, errorBody)
  try {
    return await route(context, request)
  } catch (error) {
    if (error instanceof ApiRefusal) return refusalReply(error, errorBody)
    const message = error instanceof Error ? error.message : String(error)
    return text(500, 'application/json', JSON.stringify({ error: message, code: 'internal', details: {} }))
  }
}

/** Answers requests to the twelve endpoints of the portfolio service on a separate thread. */
export async function answerPortfolioRequest(
  { seed, venues, clock, faults, askPortfolio }: SandboxContext,
  path: string,
  query: URLSearchParams,
): Promise<Reply> {
  const { jsonNaN = false, historyEndsDaysAgo = 0 } = faults.current
  const { status, body } = await askPortfolio({
    seed,
    venues,
    path,
    query: query.toString(),
    nowMs: clock.now(),
    historyDelayDays: historyEndsDaysAgo,
    hasNanLiterals: jsonNaN,
  })
  return text(status, 'application/json', body)
}
