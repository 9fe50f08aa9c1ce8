import { encodeWire } from '#shared/contract/wire.ts'
import { sampleDocument } from '#shared/workspace/sampleWorkspace.ts'
import { openWebWindow, type WebWindow } from '../fakes/webWindow.ts'
import { bytesOf } from './check.ts'
import { type FuzzHost, startFuzzHost, takeFaults } from './host.ts'
import { openRaw } from './rawConnection.ts'
import type { Finding, FuzzTarget, Mutant } from './target.ts'

const series = { dataset: 'flow', exchange: 'venuea-futures', symbol: 'BTC', interval: '1m', timestamp: 'exchange' }

const calls: readonly [string, unknown][] = [
  ['app.info', {}],
  ['settings.get', {}],
  ['documents.list', { kind: 'workspace' }],
  ['documents.save', { kind: 'workspace', name: 'a', document: sampleDocument('heron-perps') }],
  ['series.overview', { connectionId: '', ...series, columns: ['a'], startMs: 0, endMs: 1, points: 100 }],
  ['series.evaluate', { formula: 'a + 1', inputs: { a: { ...series, column: 'x' } }, startMs: 0, endMs: 1, points: 9 }],
  ['downloads.list', { limit: 10 }],
  ['cache.list', { datasets: ['flow'], startDay: 1, endDay: 2 }],
]

/** Returns a WebSocket frame as a browser sends it; its mask is zero, so that mutations change the payload directly. */
function frame(opcode: number, payload: Uint8Array): Uint8Array {
  const head =
    payload.length < 126
      ? [0x80 | opcode, 0x80 | payload.length]
      : [0x80 | opcode, 0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return new Uint8Array([...head, 0, 0, 0, 0, ...payload])
}

const BINARY = 2
const TEXT = 1
const PING = 9

/**
 * Sends mutants of frames over authenticated sockets. After each batch the host must answer the calls of another window
 * and must not have logged a fault.
 */
export async function socketTarget(): Promise<FuzzTarget> {
  const host = await startFuzzHost()
  const bystander = await openWebWindow(host)
  const seeds = [
    ...calls.map(([name, input], id) => frame(BINARY, encodeWire({ kind: 'call', id, name, input }))),
    frame(BINARY, encodeWire({ kind: 'call', id: 1, name: 'app.info', input: { values: Float64Array.of(1, 2, 3) } })),
    frame(BINARY, encodeWire({ kind: 'cancel', id: 1 })),
    frame(TEXT, bytesOf('{"kind":"call"}')),
    new Uint8Array([...frame(PING, bytesOf('a')), ...frame(BINARY, encodeWire({ kind: 'cancel', id: 2 }))]),
  ]
  return {
    name: 'sockets',
    batch: 20,
    tokens: [
      '{"$array":["f64",0,1]}',
      '"$array"',
      '__proto__',
      '"kind":"call"',
      '{',
      '[',
      '"',
      '1e999',
      '-1',
      '\u0000',
      'null',
      '\u00ff',
    ],
    seeds: () => seeds,
    feed: (mutants) => feed(host, bystander, mutants),
    async close() {
      bystander.socket.close()
      await host.close()
    },
  }
}

/** Ping frame after the mutant; it is answered if the host has read the frames before it and left the socket open. */
const ending = frame(PING, bytesOf('ended'))

/** Sends the frames on a new socket. @returns the received text */
async function send({ port }: FuzzHost, hello: Uint8Array, frames: Uint8Array): Promise<string> {
  const connection = openRaw(port)
  connection.send(hello)
  const greeting = await connection.answer((answer) => answer.includes('\r\n\r\n'))
  if (!greeting.startsWith('HTTP/1.1 101')) return greeting
  connection.send(new Uint8Array([...frames, ...ending]))
  return connection.end((answer) => answer.includes('ended'))
}

async function feed(host: FuzzHost, bystander: WebWindow, mutants: readonly Mutant[]): Promise<Finding[]> {
  const hello = bytesOf(
    `GET /socket HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nOrigin: http://127.0.0.1:${host.port}\r\n` +
      'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
      `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: perpscope, ${host.token}\r\n\r\n`,
  )
  const answers = await Promise.all(mutants.map(({ bytes }) => send(host, hello, bytes)))
  const issues = takeFaults(host).map((message) => ({ index: mutants[0].index, message }))
  answers.forEach((answer, at) => {
    if (!answer.startsWith('HTTP/1.1 101')) issues.push({ index: mutants[at].index, message: 'was not let in' })
    if (answer.includes('"code":"internal"')) issues.push({ index: mutants[at].index, message: answer.slice(-400) })
  })
  const { version } = await bystander.client.call('app.info', {})
  if (version !== '0.0.0') issues.push({ index: mutants[0].index, message: 'another window is answered wrongly' })
  return issues
}
