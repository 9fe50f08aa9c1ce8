import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FakeService {
  url: string
  /** Requests received so far, oldest first. */
  requests: IncomingMessage[]
  server: Server
}

/** Starts a local service whose responses the test writes. It stops when the test ends. */
export async function fakeService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<FakeService> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, server }
}

/** Sends a value as JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof value === 'string' ? value : JSON.stringify(value))
}
