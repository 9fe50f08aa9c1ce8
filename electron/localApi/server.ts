import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZodError } from 'zod'
import { AppError, type ErrorCode, toAppError } from '#shared/contract/errors.ts'
import { closeServer, createGuardedServer, listenOnPort, type ServerLimits } from '../loopback/guardedServer.ts'
import type { RequestTarget } from '../loopback/requestTarget.ts'
import {
  createRequestRate,
  newToken,
  findRunningAddress,
  requestRefusal,
  type RequestRate,
  writeTokenFile,
} from './access.ts'
import { type LocalApiAnswers, tableInForm } from './answers.ts'
import { acceptsArrow, ARROW_STREAM, encodeArrow, encodeJson } from './encodeTable.ts'
import { openApiDocument } from './openApi.ts'
import { bodyInput, inputMessage, queryInput, takeProvenanceForm } from './requestInput.ts'
import { createRequestLine, type RequestLine } from './requestLine.ts'
import { DESCRIPTION_PATH, type LocalApiAnswer, findRoutes } from './routes.ts'
import { createSharedAnswers, type EncodedAnswer, type SharedAnswers } from './sharedAnswers.ts'

export interface LocalApiOptions {
  answers: LocalApiAnswers
  version: string
  dataDir: string
  /** Port to listen on; 0 for any free one. */
  port: number
  /** Called for each request that failed because of an internal error. */
  onFault?: (message: string, thrown: unknown) => void
  limits?: Partial<ServerLimits>
  /** Monotonic clock by which the requests of a second are counted. */
  nowMs?: () => number
}

export interface LocalApiServer {
  url: string
  port: number
  tokenFile: string
  server: Server
  close(): Promise<void>
}

const REQUESTS_A_SECOND = 50
/** Maximum number of requests that wait for their turn. */
const MOST_WAITING_REQUESTS = 256
/** Maximum number of connections: more than may wait, so that one too many is told so. */
const MOST_CONNECTIONS = 600
/** Time after which a request may be sent again that found too many others waiting. */
const RETRY_AFTER_S = 5
/** Timeout of a whole request; its body is at most a megabyte and comes from this machine. */
const MOST_REQUEST_MS = 20_000
/** Maximum number of requests computed at the same time, because each may read many files. */
const MOST_RUNNING_REQUESTS = 8

interface ServerState extends Pick<LocalApiOptions, 'answers' | 'version' | 'dataDir'> {
  token: string
  rate: RequestRate
  onFault: NonNullable<LocalApiOptions['onFault']>
  /**
   * Requests that are computed or wait for that. One whose body is still arriving is not among them, so that a stalled
   * body keeps no others out.
   */
  line: RequestLine
  shared: SharedAnswers
}

/** Starts the local HTTP API for other programs on this machine. */
export async function startLocalApi({
  answers,
  version,
  dataDir,
  port: requestedPort,
  onFault = () => {},
  limits,
  nowMs = () => performance.now(),
}: LocalApiOptions): Promise<LocalApiServer> {
  const runningAddress = await findRunningAddress(dataDir)
  if (runningAddress !== null)
    throw new AppError('conflict', `The local API of this data folder is already running at ${runningAddress}.`)
  const token = newToken()
  const rate = createRequestRate(REQUESTS_A_SECOND, nowMs)
  const line = createRequestLine({ mostRunning: MOST_RUNNING_REQUESTS, mostWaiting: MOST_WAITING_REQUESTS, rate })
  const shared = createSharedAnswers(answers.dataVersion)
  const state: ServerState = { answers, version, dataDir, token, rate, onFault, line, shared }
  const server = createGuardedServer({
    answer: (request, response, target) => answerRequest(state, request, response, target),
    onFault,
    limits: { connections: MOST_CONNECTIONS, requestMs: MOST_REQUEST_MS, ...limits },
  })
  const port = await listenOnPort(server, requestedPort)
  const url = `http://127.0.0.1:${port}`
  const tokenFile = writeTokenFile(dataDir, url, token)
  return {
    url,
    port,
    tokenFile: tokenFile.path,
    server,
    close() {
      tokenFile.remove()
      return closeServer(server)
    },
  }
}

async function answerRequest(
  state: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: RequestTarget,
): Promise<void> {
  const refusal = requestRefusal(request, state.token)
  if (refusal) return refuse(response, ...refusal)
  const found = findRoutes(path)
  const route = found.routes.find(({ method }) => method === request.method)
  if (!route && !state.rate.take()) return refuse(response, 429, 'At most 50 requests per second are answered.')
  if (path === DESCRIPTION_PATH)
    return request.method === 'GET'
      ? sendJson(response, openApiDocument(state.version, `http://${request.headers.host ?? ''}`))
      : refuse(response, 405, 'This method is not allowed on this path.', { Allow: 'GET' })
  if (found.routes.length === 0) return refuse(response, 404, `Unknown path; see ${DESCRIPTION_PATH}`)
  if (!route) {
    const allowed = found.routes.map(({ method }) => method).join(', ')
    return refuse(response, 405, 'This method is not allowed on this path.', { Allow: allowed })
  }
  const disconnectController = new AbortController()
  const isGet = route.method === 'GET'
  const isArrow = acceptsArrow(request.headers.accept)
  const shared =
    isGet && route.operation.gives === 'table'
      ? state.shared.join(`${isArrow ? 'arrow' : 'json'} ${request.url}`)
      : null
  response.once('close', () => {
    disconnectController.abort()
    shared?.leave()
  })
  try {
    const form = takeProvenanceForm(route, query)
    if (form === undefined) return refuse(response, 400, 'provenance: must be brief or full', {}, 'bad-input')
    const input = isGet ? queryInput(route, query, found.fields) : await bodyInput(route, request)
    if ('status' in input) return refuse(response, input.status, input.message, {}, 'bad-input')
    const { signal } = disconnectController
    const make = async (whileWanted: AbortSignal) => {
      const answer = await route.answer(state.answers, input.input, whileWanted)
      const shown = 'table' in answer ? { ...answer, table: tableInForm(state.dataDir, answer.table, form) } : answer
      return encoded(shown, isArrow)
    }
    const answering = state.line.take(async () => {
      await send(response, (await shared?.whole(make)) ?? (await make(signal)), signal)
    }, signal)
    if (answering) await answering
    else refuse(response, 503, 'Too many requests are waiting; wait for some to be answered.')
  } catch (thrown) {
    if (disconnectController.signal.aborted || response.headersSent) response.destroy()
    else refuseThrown(state, response, thrown)
  }
}

function encoded(answer: LocalApiAnswer, acceptsArrowStream: boolean): EncodedAnswer {
  if ('json' in answer)
    return { type: JSON_TYPE, pieces: [`${JSON.stringify(answer.json)}\n`], close: () => Promise.resolve() }
  const { table, isArrowOnly = false } = answer
  return isArrowOnly || acceptsArrowStream
    ? { type: ARROW_STREAM, pieces: encodeArrow(table), close: table.close }
    : { type: JSON_TYPE, pieces: encodeJson(table), close: table.close }
}

async function send(response: ServerResponse, { type, pieces, close }: EncodedAnswer, signal: AbortSignal) {
  try {
    response.writeHead(200, headersOf(type))
    await pipeline(Readable.from(pieces), response, { signal })
  } finally {
    await close()
  }
}

const JSON_TYPE = 'application/json; charset=utf-8'

const headersOf = (type: string) => ({
  'Content-Type': type,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
})

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, headersOf(JSON_TYPE)).end(`${JSON.stringify(value)}\n`)
}

/** Refuses a request and closes its connection, because the rest of its body is not read. */
function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
  code = 'refused',
): void {
  const statusHeaders = {
    ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    ...(status === 429 && { 'Retry-After': '1' }),
    ...(status === 503 && { 'Retry-After': String(RETRY_AFTER_S) }),
  }
  response.writeHead(status, {
    ...headersOf(JSON_TYPE),
    Connection: 'close',
    ...statusHeaders,
    ...headers,
  })
  response.end(`${JSON.stringify({ error: { code, message } })}\n`)
}

const statusByCode: Partial<Record<ErrorCode, number>> = {
  'bad-input': 400,
  unsupported: 400,
  rejected: 400,
  'not-found': 404,
  'not-here': 404,
  conflict: 409,
  'too-large': 400,
}

function refuseThrown({ onFault }: ServerState, response: ServerResponse, thrown: unknown): void {
  if (thrown instanceof ZodError) return refuse(response, 400, inputMessage(thrown), {}, 'bad-input')
  const error: AppError = toAppError(thrown)
  const status = statusByCode[error.code]
  if (status === undefined) onFault('a request of the local API failed', thrown)
  // Details of internal errors may name paths and services, which the caller must not learn.
  const message = status === undefined ? error.sentence : (error.detail ?? error.sentence)
  refuse(response, status ?? 500, message, {}, error.code)
}
