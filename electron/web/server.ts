import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import type { App } from '#core/app.ts'
import {
  closeServer,
  createGuardedServer,
  listenOnPort,
  refuseRequest,
  type ServerLimits,
} from '../loopback/guardedServer.ts'
import type { RequestTarget } from '../loopback/requestTarget.ts'
import { createContent } from './content.ts'
import { isOwnHost, isOwnOrigin, isToken } from '../loopback/guard.ts'
import { createSaves, type Saves } from './saves.ts'
import { socketChannel } from './socket.ts'
import { folderPlace, receiveUpload } from './uploads.ts'

/** Size limit of a window's message; a larger one is an error or an attack. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

interface WebHostOptions {
  app: App
  /** Port to listen on; 0 for any free one. */
  port: number
  /** True if any free port will do where this one is not free. */
  isPortOptional?: boolean
  /** Folder of the built window. */
  rendererDir: string
  /** Folder for uploaded files that have not been imported yet. */
  incomingDir: string
  /** Serves pages in place of the built window, e.g. with hot reload; called only for requests that pass the checks. */
  serveContent?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
  /** Called for each request that failed because of an internal error. */
  onFault?: (message: string, thrown: unknown) => void
  limits?: Partial<ServerLimits>
  /** Token to keep over restarts during development; a new one if left out. */
  token?: string
}

export interface WebHost {
  port: number
  token: string
  /** Address of the app with the token in its fragment, which browsers do not send to servers. */
  url: string
  server: Server
  close(): Promise<void>
}

export async function startWebHost(options: WebHostOptions): Promise<WebHost> {
  const token = options.token ?? randomBytes(32).toString('base64url')
  const saves = createSaves()
  const content = createContent(options.rendererDir)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => 'perpscope',
  })

  const server = createGuardedServer({
    answer: (request, response, target) => answerRequest(options, { token, saves, content }, request, response, target),
    upgrade(request, socket, head) {
      // With hot reload, the development server listens here for its own socket.
      if (request.url !== '/socket' && options.serveContent) return 'accepted'
      const refusal = request.url === '/socket' ? refusalOf(request, token) : 403
      if (refusal) return refusal
      sockets.handleUpgrade(request, socket, head, (webSocket) => openWindow(options.app, saves, webSocket))
      return 'accepted'
    },
    onFault: options.onFault ?? (() => {}),
    ...(options.limits && { limits: options.limits }),
  })

  const port = await listenOnPort(server, options.port).catch((thrown: unknown) => {
    if (!options.isPortOptional) throw thrown
    return listenOnPort(server, 0)
  })
  return {
    port,
    token,
    url: `http://127.0.0.1:${port}/#token=${token}`,
    server,
    async close() {
      for (const client of sockets.clients) client.terminate()
      await closeServer(server)
    },
  }
}

interface HostState {
  token: string
  saves: Saves
  content: ReturnType<typeof createContent>
}

function answerRequest(
  options: WebHostOptions,
  { token, saves, content }: HostState,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: RequestTarget,
): void | Promise<void> {
  if (!isOwnHost(request)) return refuseRequest(response, 403, 'This address is served to this machine only.')
  if (request.method === 'PUT' && path === '/receive') return receiveBody(options, token, request, response, query)
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuseRequest(response, 405, 'Not allowed.')
  if (path.startsWith('/save/')) return answerSave(saves, path.slice('/save/'.length), response)
  if (options.serveContent) return options.serveContent(request, response)
  return answerContent(content, path, request, response)
}

function openWindow(app: App, saves: Saves, socket: WebSocket): void {
  socket.on('error', () => socket.terminate())
  const channel = socketChannel(socket)
  app.openSession(channel, {
    kind: 'browser',
    pickFiles: null,
    save: saves.saverFor((ready) => channel.send({ kind: 'event', name: 'saves.ready', payload: ready })),
  })
}

/**
 * Checks a socket request. It carries the token as its second subprotocol; pages of other origins can neither read nor
 * guess the token.
 */
function refusalOf(request: IncomingMessage, token: string): 401 | 403 | null {
  if (!isOwnHost(request) || !isOwnOrigin(request)) return 403
  const offeredProtocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim())
  return offeredProtocols[0] === 'perpscope' && isToken(offeredProtocols[1], token) ? null : 401
}

async function answerContent(
  content: HostState['content'],
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await content(path)
  response.writeHead(status, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
}

async function answerSave(saves: Saves, id: string, response: ServerResponse): Promise<void> {
  if (!(await saves.answer(id, response)))
    refuseRequest(response, 404, 'This download was already fetched or has expired.')
}

async function receiveBody(
  { app, incomingDir }: WebHostOptions,
  token: string,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  if (!isOwnOrigin(request)) return refuseRequest(response, 403, 'Requests from other pages are refused.')
  if (!isToken(request.headers.authorization?.replace(/^Bearer /, ''), token))
    return refuseRequest(response, 401, 'Not allowed.')
  try {
    const place = folderPlace(query)
    const path = await receiveUpload(request, incomingDir, query.get('name') ?? 'file', place)
    // A folder is received with its last file.
    if (place === null || query.has('last')) await app.receiveFiles([path])
    response.writeHead(204).end()
  } catch {
    if (!response.headersSent) refuseRequest(response, 500, 'The file could not be stored.')
  }
}
