import type { IncomingHttpHeaders } from 'node:http'
import { accessOf, type Access } from '../access/keys.ts'
import type { FaultEffects } from '../faults/faults.ts'
import { faultReply } from '../http/faultReply.ts'
import { refusalReply, type Reply, textReply } from '../http/reply.ts'
import { ApiRefusal, PLANS_PAGE } from '../refusal.ts'
import type { SandboxRequest, SandboxContext } from './context.ts'
import { answerCatalog, answerData, answerPreview, answerSymbols } from './metricsApi.ts'
import { answerRawCatalog, answerRawData, answerRawFiles, answerRawPreview } from './rawApi.ts'

const BASE = '/api/v1'
const DATA = '/data/'
const RAW_DATA = '/data/raw/'
const PREVIEW = '/data/preview/'
const RAW_PREVIEW = '/data/raw/preview/'
export const RAW_CATALOG_PATH = '/raw/catalog.json'

/** Returns what the API key opens; refuses the request, whatever else is wrong with it, if the key is not valid. */
function requireKey({ faults }: SandboxContext, headers: IncomingHttpHeaders): Access {
  const access = accessOf(headers['x-api-key']?.toString())
  if (access === null || faults.current.rejectKeys) {
    throw new ApiRefusal(401, 'invalid_api_key', 'The API key is missing or not valid')
  }
  return access === 'demo' ? access : Math.min(access, faults.current.tierCap ?? access)
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
  const isPreview = rawEvents !== 'old' && (endpoint.startsWith(PREVIEW) || endpoint.startsWith(RAW_PREVIEW))
  if (isPreview && headers['x-api-key'] === undefined) return answerAnyPreview(context, endpoint, query)
  const access = requireKey(context, headers)
  if (endpoint === '/metadata/catalog') return answerCatalog(context)
  if (endpoint === '/metadata/symbols') return answerSymbols(context, query)
  if (isPreview) return answerAnyPreview(context, endpoint, query)
  if (access === 'demo') throw new ApiRefusal(403, 'preview_only', 'This key opens previews only', {}, PLANS_PAGE)
  if (endpoint.startsWith(RAW_DATA) && rawEvents !== 'old') {
    return answerRawData(context, endpoint.slice(RAW_DATA.length), query, access)
  }
  if (endpoint.startsWith(DATA)) return answerData(context, endpoint.slice(DATA.length), query, access)
  if (endpoint === '/raw/files' && rawEvents !== 'new') return answerRawFiles(context, query)
  return answerPortfolioRequest(context, endpoint, query)
}

const answerAnyPreview = (context: SandboxContext, endpoint: string, query: URLSearchParams): Reply =>
  endpoint.startsWith(PREVIEW)
    ? answerPreview(context, endpoint.slice(PREVIEW.length), query)
    : answerRawPreview(context, endpoint.slice(RAW_PREVIEW.length), query)

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
    return textReply(500, 'application/json', JSON.stringify({ error: message, code: 'internal', details: {} }))
  }
}

/** Answers requests to the twelve endpoints of the portfolio service on a separate thread. */
async function answerPortfolioRequest(
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
  return textReply(status, 'application/json', body)
}
