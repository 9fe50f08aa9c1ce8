import { createConnection } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { startWebHost } from '../../electron/web/server.ts'
import { startSandbox } from '../../electron/sandbox/server.ts'
import { fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { openWebWindow } from '../fakes/webWindow.ts'

async function openHost() {
  const dataDir = temporaryFolder()
  const ports = fakePorts()
  const app = createApp(ports, { version: '0', dataDir })
  const host = await startWebHost({ app, port: 0, rendererDir: dataDir, incomingDir: dataDir })
  onTestFinished(async () => {
    await host.close()
    await app.close()
  })
  return { host, ports }
}

/** Returns other addresses of this machine: its network addresses and IPv6's loopback address. */
const otherAddresses = () => [
  '::1',
  ...Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
    .map(({ address }) => address),
]

const answers = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 2000 })
    const end = (connected: boolean) => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })

test('neither the browser host nor the sandbox answers on any address but 127.0.0.1', async () => {
  const { host } = await openHost()
  const sandbox = await startSandbox({})
  onTestFinished(() => sandbox.close())
  for (const port of [host.port, Number(new URL(sandbox.url).port)]) {
    expect(await answers('127.0.0.1', port)).toBe(true)
    for (const address of otherAddresses()) expect(await answers(address, port), address).toBe(false)
  }
})

test('the token has 256 bits, is another at each start, and is in no log', async () => {
  const [first, second] = [await openHost(), await openHost()]
  expect(Buffer.from(first.host.token, 'base64url')).toHaveLength(32)
  expect(first.host.token).not.toBe(second.host.token)
  const { socket } = await openWebWindow(first.host)
  socket.close()
  await expect(openWebWindow(first.host, { token: second.host.token })).rejects.toThrow('401')
  expect(first.ports.log.lines.join('\n')).not.toContain(first.host.token)
})

test('a token in a query string, a cookie or a header opens nothing: it counts in the socket’s protocol alone', async () => {
  const { host } = await openHost()
  const headers = { Cookie: `token=${host.token}`, Authorization: `Bearer ${host.token}`, 'X-Token': host.token }
  await expect(openWebWindow(host, { token: 'none', headers })).rejects.toThrow('401')
  const page = await fetch(`http://127.0.0.1:${host.port}/socket?token=${host.token}`)
  expect(page.status).toBe(404)
})
