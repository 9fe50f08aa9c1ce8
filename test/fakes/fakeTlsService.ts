import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'tls', name)

/** File of the root that issued the certificates of the fake services. No system trusts it. */
export const testRootFile = fixture('root.pem')

/** Name that the certificate of the fake service is for, besides 127.0.0.1 and localhost. */
export const SERVICE_NAME = 'service.perpscope.test'

async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return (server.address() as AddressInfo).port
}

/**
 * Starts a secure service on this machine whose certificate the test's own root issued. It stops when the test ends.
 */
export async function fakeTlsService(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  certificate: 'server' | 'expired' = 'server',
): Promise<{ port: number; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const cert = readFileSync(fixture(`${certificate}.pem`))
  const server = createServer({ cert, key: readFileSync(fixture('server.key')) }, (request, response) => {
    requests.push(request)
    answer(request, response)
  })
  const port = await listenOnFreePort(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port, requests }
}

/** Starts an HTTP proxy that connects every tunnel to the same port of this machine, whatever host is requested. */
export async function fakeTunnelProxy(toPort: number): Promise<{ address: string; targets: string[] }> {
  const targets: string[] = []
  const server = createHttpServer((_request, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '' }, socket, head) => {
    targets.push(url)
    const onward = connect(toPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    const endBoth = () => {
      onward.destroy()
      socket.destroy()
    }
    for (const end of [socket, onward]) end.on('error', endBoth)
    onTestFinished(() => void onward.destroy())
  })
  const port = await listenOnFreePort(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${port}`, targets }
}
