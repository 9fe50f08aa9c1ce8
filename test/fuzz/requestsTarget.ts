import { bytesOf } from './check.ts'
import { type FuzzHost, startFuzzHost, takeFaults } from './host.ts'
import { openRaw } from './rawConnection.ts'
import type { Finding, FuzzTarget, Mutant } from './target.ts'

const honestRequests = [
  'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
  'HEAD /assets/a.js?v=1#x HTTP/1.1\r\nHost: localhost:9\r\nConnection: close\r\n\r\n',
  'GET /save/0123 HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n',
  'PUT /receive?name=a%20b.parquet HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nAuthorization: Bearer x\r\nContent-Length: 4\r\n\r\nPAR1',
  'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n',
  'GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: perpscope, x\r\n\r\n',
]

/**
 * Sends mutants of requests to the browser host, which must answer a valid request after each batch and must not log a
 * fault.
 */
export async function requestsTarget(): Promise<FuzzTarget> {
  const host = await startFuzzHost()
  return {
    name: 'requests',
    batch: 40,
    tokens: [
      '/',
      '//',
      '///',
      '\\',
      '[',
      ']',
      ':99999',
      '%',
      '%00',
      '%2e%2e/',
      '..',
      '?',
      '#',
      'http://',
      ' ',
      '\r\n',
      '\t',
      '\0',
      '@',
      'Host: evil.example\r\n',
      'Content-Length: -1\r\n',
      'Upgrade: x\r\n',
    ],
    seeds: () => honestRequests.map(bytesOf),
    feed: (mutants) => feed(host, mutants),
    close: host.close,
  }
}

const isAnswered = (answer: string) => answer.includes('\r\n\r\n')

/** Sends bytes on a new connection. @returns the received text */
function send({ port }: FuzzHost, bytes: Uint8Array): Promise<string> {
  const connection = openRaw(port)
  connection.send(bytes)
  return connection.end(isAnswered)
}

async function feed(host: FuzzHost, mutants: readonly Mutant[]): Promise<Finding[]> {
  await Promise.all(mutants.map(({ bytes }) => send(host, bytes)))
  const issues = takeFaults(host).map((message) => ({ index: mutants[0].index, message }))
  const proper = openRaw(host.port)
  proper.send(bytesOf(honestRequests[0]))
  if (!(await proper.answer(isAnswered)).startsWith('HTTP/1.1 200'))
    issues.push({ index: mutants[0].index, message: 'the host no longer answers' })
  if (issues.length === 0 || mutants.length === 1) return issues
  const alone: Finding[] = []
  for (const mutant of mutants) alone.push(...(await feed(host, [mutant])))
  return alone.length > 0 ? alone : issues
}
