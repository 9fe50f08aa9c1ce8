import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { parseRequestTarget, type RequestTarget } from './requestTarget.ts'
import { AppError } from '#shared/contract/errors.ts'
import { terminalText } from '#shared/units/terminalText.ts'

/**
 * Loaded by `getBuiltinModule`, because importing the module would evaluate all its getters and load Node's web client,
 * which takes 80 ms at every start.
 */
const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

export interface GuardedServerOptions {
  answer(request: IncomingMessage, response: ServerResponse, target: RequestTarget): void | Promise<void>
  /**
   * Takes over an upgraded socket, or returns the status with which to refuse it. If absent, every upgrade is refused.
   */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): 'accepted' | number
  /** Called for each request that failed because of an internal error. */
  onFault(message: string, thrown: unknown): void
  limits?: Partial<ServerLimits>
}

export interface ServerLimits {
  connections: number
  /**
   * Time for the complete header of a request, counted from the start of the connection, or on an open connection from
   * the first byte of the request.
   */
  headerMs: number
  /**
   * Time for a complete request with its body; 0 for no limit, for servers whose requests may have large bodies such as
   * files.
   */
  requestMs: number
  /** Time without any byte after which a connection with a pending request or response is closed. */
  idleMs: number
  keepAliveMs: number
}

const defaultLimits: ServerLimits = {
  connections: 256,
  headerMs: 10_000,
  requestMs: 0,
  idleMs: 120_000,
  keepAliveMs: 30_000,
}

/** Maximum number of pending requests per connection. No browser sends a second one before the first is answered. */
const MOST_PIPELINED = 8

/** Creates an HTTP server that no request can crash and no connection can occupy forever. */
export function createGuardedServer(options: GuardedServerOptions): Server {
  const limits = { ...defaultLimits, ...options.limits }
  const idleSockets = createIdleSockets(limits.connections)
  const pipelineLimit = createPipelineLimit()
  const exchanges = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  const server = createServer(
    {
      headersTimeout: limits.headerMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, limits.headerMs),
    },
    (request, response) => {
      if (!pipelineLimit.take(request.socket, response)) return
      const fault = (thrown: unknown) => failRequest(options, request, response, thrown)
      idleSockets.leave(request.socket)
      exchanges.set(request.socket, { request, response })
      const settle = () => {
        if (response.writableEnded) idleSockets.enter(request.socket)
      }
      response.on('finish', settle)
      currentRequest.run({ fault }, () => {
        try {
          void Promise.resolve(answerOrRefuse(options, request, response))
            .then(settle)
            .catch(fault)
        } catch (thrown) {
          fault(thrown)
        }
      })
    },
  )
  server.maxConnections = limits.connections * 2
  server.timeout = limits.idleMs
  server.on('timeout', (socket: Socket) => {
    if (!isWaitingForUs(exchanges.get(socket))) socket.destroy()
  })
  // Node removes its own listener from an upgraded socket, so without this one a connection reset ends the process.
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    idleSockets.open(socket)
  })
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) =>
    refuseSocket(socket, code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400),
  )
  server.on('upgrade', (request, socket, head) => {
    const fault = (thrown: unknown) => {
      options.onFault('an upgrade failed', thrown)
      socket.destroy()
    }
    currentRequest.run({ fault }, () => {
      try {
        idleSockets.leave(socket)
        const outcome = options.upgrade?.(request, socket, head) ?? 403
        if (outcome !== 'accepted') refuseSocket(socket, outcome)
      } catch (thrown) {
        fault(thrown)
      }
    })
  })
  keepServerAlive(server)
  return server
}

/** Tells whether the silence of a connection is ours: its request is complete, and its response has not begun. */
const isWaitingForUs = (exchange: { request: IncomingMessage; response: ServerResponse } | undefined) =>
  exchange !== undefined && exchange.request.complete && !exchange.response.headersSent

/**
 * Limits the number of connections by closing the one that has been idle longest, or the new one if none is idle, so
 * that a client with silent connections cannot keep others out. A connection is idle if it has sent no complete header,
 * or if its response is complete on this side.
 */
function createIdleSockets(mostSockets: number) {
  const openSockets = new Set<Duplex>()
  const idleSockets = new Set<Duplex>()
  const forget = (socket: Duplex) => {
    openSockets.delete(socket)
    idleSockets.delete(socket)
  }
  const close = (socket: Duplex) => {
    forget(socket)
    socket.destroy()
  }
  return {
    open(socket: Duplex): void {
      openSockets.add(socket)
      socket.once('close', () => forget(socket))
      if (openSockets.size > mostSockets) close(idleSockets.values().next().value ?? socket)
      if (!socket.destroyed) idleSockets.add(socket)
    },
    enter(socket: Duplex): void {
      if (openSockets.has(socket)) idleSockets.add(socket)
    },
    leave: (socket: Duplex) => void idleSockets.delete(socket),
  }
}

/**
 * Closes a connection that has too many pending requests, because Node would buffer all their responses: 600
 * connections that sent 300 requests each and read no response took 800 MB and kept everyone else out.
 */
function createPipelineLimit() {
  const pendingBySocket = new WeakMap<Duplex, number>()
  return {
    /** Counts a request until its response is handed to the system; returns false if there are too many. */
    take(socket: Duplex, response: ServerResponse): boolean {
      if (socket.destroyed) return false
      const before = pendingBySocket.get(socket) ?? 0
      if (before >= MOST_PIPELINED) {
        socket.destroy()
        return false
      }
      pendingBySocket.set(socket, before + 1)
      response.once('finish', () => pendingBySocket.set(socket, (pendingBySocket.get(socket) ?? 1) - 1))
      return true
    },
  }
}

function answerOrRefuse(
  options: GuardedServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void | Promise<void> {
  response.on('error', () => response.destroy())
  request.on('error', () => response.destroy())
  const target = parseRequestTarget(request.url)
  if (target) return options.answer(request, response, target)
  refuseRequest(response, 400, 'This is not a valid address.')
}

/** Responds in plain text and closes the connection. */
export function refuseRequest(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${message}\n`)
}

/** Refuses a socket and closes it in both directions, because the client may never end its side. */
export function refuseSocket(socket: Duplex, status: number): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\nConnection: close\r\n\r\n`, () =>
    socket.destroy(),
  )
}

function failRequest(
  { onFault }: GuardedServerOptions,
  { method, url }: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
): void {
  onFault(`${method} ${url?.split('?', 1)[0].slice(0, 200)} failed`, thrown)
  if (response.headersSent) response.destroy()
  else refuseRequest(response, 500, 'This request failed.')
}

/** The request that the running code works for; undefined in code that no request started. */
const currentRequest = new AsyncLocalStorage<{ fault(thrown: unknown): void }>()

/** Servers of this process that are listening; while there is one, errors of requests do not end the process. */
const listeningServers = new Set<Server>()

/**
 * Keeps the process alive after an uncaught error if the code that threw it was working for a request; that request is
 * closed. Every other error ends the process as usual.
 */
function keepServerAlive(server: Server): void {
  server.on('listening', () => {
    if (listeningServers.size === 0) {
      process.on('uncaughtException', onUncaughtException)
      process.on('unhandledRejection', onUnhandledRejection)
    }
    listeningServers.add(server)
  })
  server.on('close', () => {
    listeningServers.delete(server)
    if (listeningServers.size > 0) return
    process.off('uncaughtException', onUncaughtException)
    process.off('unhandledRejection', onUnhandledRejection)
  })
}

function onUncaughtException(thrown: unknown): void {
  const request = currentRequest.getStore()
  if (request) request.fault(thrown)
  else if (process.listenerCount('uncaughtException') === 1) endProcess(thrown)
}

function onUnhandledRejection(thrown: unknown): void {
  const request = currentRequest.getStore()
  if (request) request.fault(thrown)
  else if (process.listenerCount('unhandledRejection') === 1) throw thrown
}

function endProcess(thrown: unknown): void {
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  process.stderr.write(`${terminalText(text)}\n`)
  process.exit(1)
}

/**
 * Listens on 127.0.0.1 only.
 * @returns the port, chosen by the system if `port` is 0
 */
export function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      // A failed accept (for lack of file handles, for example) affects only its own connection.
      server.on('error', () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Listens on the port that a user chose; if it is taken, throws an error that says what to do. */
export async function listenOnPort(server: Server, port: number): Promise<number> {
  return listenOnLoopback(server, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new AppError('conflict', `Port ${port} is in use; choose another one with --port, or leave it out.`)
    if (error.code === 'EACCES') throw new AppError('conflict', `Port ${port} is reserved; choose one above 1023.`)
    throw error
  })
}

/** Closes the server and, immediately, all connections, because a stalled one would never end by itself. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
