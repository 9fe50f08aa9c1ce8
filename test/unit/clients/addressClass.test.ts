import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  classOfAddress,
  classOfHost,
  createAddressClasses,
  createHttpAgents,
  defaultTimeouts,
  INSIDE_ADDRESS,
  sendRequest,
} from '#core/clients/httpRequest.ts'

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1111', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.8.9.1', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['0.0.0.0', 'private'],
  ['::', 'private'],
  ['::7f00:1', 'private'],
  ['::ffff:0:7f00:1', 'private'],
  ['64:ff9b:1::7f00:1', 'private'],
  ['10.1.2.3', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['169.254.169.254', 'private'],
  ['::ffff:169.254.169.254', 'private'],
  ['100.64.0.1', 'private'],
  ['64:ff9b::7f00:1', 'private'],
  ['fd00::1', 'private'],
  ['fe80::1%eth0', 'private'],
  ['239.1.1.1', 'private'],
])('the address %s is %s', (address, expected) => expect(classOfAddress(address)).toBe(expected))

test.each([
  ['[::1]', 'loopback'],
  ['[::ffff:7f00:1]', 'loopback'],
  ['localhost', 'loopback'],
  ['a.localhost', 'loopback'],
  ['localhost.', 'loopback'],
  ['printer', 'private'],
  ['nas.local', 'private'],
  ['metadata.google.internal', 'private'],
  ['files.example.com', null],
])('the host %s is %s', (host, expected) => expect(classOfHost(host)).toBe(expected))

test.each(['http://2130706433/', 'http://0x7f.1/', 'http://017700000001/', 'http://127.1/'])(
  '%s is recognised however it is written',
  (address) => expect(classOfHost(new URL(address).hostname)).toBe('loopback'),
)

test('a name is refused by the address that it has when it is dialled', async () => {
  const answers = [['93.184.216.34'], ['93.184.216.34', '10.0.0.1']]
  const classes = createAddressClasses((_name, _options, done) =>
    done(
      null,
      (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
    ),
  )
  const resolveName = () =>
    new Promise((resolve) =>
      classes.publicLookup('rebound.example', {}, (error, address) => resolve(error?.code ?? address)),
    )
  expect(await resolveName()).toBe('93.184.216.34')
  expect(await resolveName()).toBe(INSIDE_ADDRESS)
})

test('a service whose own name leads inside this network may name addresses there', () => {
  const classes = createAddressClasses((_name, _options, done) => done(null, [{ address: '10.0.0.1', family: 4 }]))
  expect(classes.classOf('metrics.example')).toBe('public')
  classes.lookup('metrics.example', {}, () => {})
  expect(classes.classOf('metrics.example')).toBe('private')
})

test.each([
  ['at once', [['93.184.216.34', '127.0.0.1']]],
  ['one after the other', [['93.184.216.34'], ['127.0.0.1'], ['10.0.0.1']]],
])('a service whose name has public and inside addresses, %s, counts as public', (_when, answers) => {
  const waiting = [...answers]
  const classes = createAddressClasses((_name, _options, done) =>
    done(
      null,
      waiting.shift()!.map((address) => ({ address, family: 4 })),
    ),
  )
  for (const _answer of answers) classes.lookup('metrics.example', {}, () => {})
  expect(classes.classOf('metrics.example')).toBe('public')
})

test('a name that the proxy is not used for is refused by the address that it has when it is dialled', async () => {
  const server = createServer((_request, response) => response.end('reached')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const classes = createAddressClasses((_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]))
  const proxy = { http: 'http://proxy.invalid:1', https: 'http://proxy.invalid:1', except: '.excepted.example' }
  const agents = createHttpAgents(await import('undici'), defaultTimeouts, proxy, classes)
  onTestFinished(async () => {
    await agents.close()
    server.closeAllConnections()
    server.close()
  })
  const url = new URL(`http://files.excepted.example:${port}/`)
  const send = (isPublicOnly: boolean) =>
    sendRequest(agents.agentFor(url, isPublicOnly), url, {}, new AbortController().signal).then(
      ({ status }) => status,
      ({ code }: NodeJS.ErrnoException) => code,
    )
  expect(await send(true)).toBe(INSIDE_ADDRESS)
  // A request that is not restricted to public addresses reaches an inside service, whose address class is known from
  // then on.
  expect(await send(false)).toBe(200)
  expect(agents.classOf(url.hostname)).toBe('loopback')
})
