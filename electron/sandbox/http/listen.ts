import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeServer, createGuardedServer, listenOnLoopback } from '../../loopback/guardedServer.ts'
import type { RequestTarget } from '../../loopback/requestTarget.ts'

export interface Listener {
  url: string
  close: () => Promise<void>
}

/**
 * Maximum number of simultaneous connections, as at a real service: a client that lists every symbol opens hundreds.
 */
const MOST_CONNECTIONS = 1024

/** Listens on this machine only; port 0 selects any free port. */
export async function listen(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => Promise<void>,
): Promise<Listener> {
  const server = createGuardedServer({
    answer: (request, response, target) => answer(request, response, target).catch(() => void response.destroy()),
    onFault() {},
    limits: { connections: MOST_CONNECTIONS },
  })
  const actualPort = await listenOnLoopback(server, port)
  return { url: `http://127.0.0.1:${actualPort}`, close: () => closeServer(server) }
}
