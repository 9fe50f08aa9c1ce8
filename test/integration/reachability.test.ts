import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { NetworkState } from '#shared/contract/areas/network.ts'
import { downloadWorld } from '../fakes/downloadWorld.ts'
import { createHttpClient } from '#core/clients/http.ts'
import { createRedactor } from '#core/clients/redact.ts'
import { fakeClock } from '../fakes/fakeClock.ts'

const signal = new AbortController().signal

async function portOfNobody(): Promise<number> {
  const server = createServer()
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

async function listen(port: number): Promise<() => number> {
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount++
    response.writeHead(request.url === '/' ? 404 : 200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return () => requestCount
}

test('a server out of reach is looked for, not waited for, and is back by itself', async () => {
  let offline = false
  const changes: number[] = []
  const traces: string[] = []
  const client = createHttpClient({
    clock: fakeClock(),
    redactor: createRedactor(),
    record: ({ address }) => traces.push(address),
    isOffline: () => offline,
    onReachabilityChange: () => changes.push(client.unreachable().length),
    route: () => ({ proxy: null, caFiles: [] }),
  })
  onTestFinished(() => client.close())
  const port = await portOfNobody()
  const url = `http://127.0.0.1:${port}/api`
  await expect(client.json({ url, signal })).rejects.toMatchObject({ code: 'network' })
  expect(client.unreachable()).toMatchObject([{ origin: `http://127.0.0.1:${port}` }])
  expect(client.unreachable()[0].nextProbeMs ?? 0).toBeGreaterThan(0)
  const traceCount = traces.length
  for (let i = 0; i < 50; i++) {
    const error: unknown = await client.json({ url, signal }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'network', detail: expect.stringContaining('connection refused') })
  }
  expect(traces.length - traceCount).toBeLessThan(3)
  const requestCount = await listen(port)
  await expect.poll(() => client.unreachable(), { timeout: 30_000 }).toEqual([])
  expect(changes.filter((lost, at) => lost !== changes[at - 1])).toEqual([1, 0])
  expect(await client.json({ url, signal })).toMatchObject({ value: {} })
  expect(requestCount()).toBeGreaterThan(1)
  offline = true
  await expect(client.json({ url, signal })).rejects.toMatchObject({ code: 'offline' })
})

test('downloads stand still while their service is out of reach, and go on when it is back', async () => {
  const { client, enqueue, until, sandbox } = await downloadWorld()
  const heard: NetworkState[] = []
  client.on('network.changed', (state) => heard.push(state))
  const { port } = new URL(sandbox.url)
  await sandbox.close()
  await enqueue()
  const held = await until(({ holds }) => holds.length > 0)
  expect(held.holds[0]).toMatchObject({ code: 'network' })
  expect(held.counts).toMatchObject({ failed: 0 })
  expect((await client.call('network.state', {})).unreachable).toHaveLength(1)
  const requests = await listen(Number(port))
  await until(
    ({ holds, counts }) => holds.every(({ code }) => code !== 'network') && counts.failed + counts.waiting > 0,
  )
  expect(requests()).toBeGreaterThan(1)
  const counts = heard.map(({ unreachable }) => unreachable.length)
  expect(counts.filter((lost, at) => lost !== counts[at - 1]).slice(0, 2)).toEqual([1, 0])
})
