import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AppError } from '#shared/contract/errors.ts'
import { callNames, type CallName } from '#shared/contract/names.ts'
import { createApp } from '#core/app.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { systemClock } from '#core/ports.ts'
import { examples } from '../contract/examples.ts'
import { openWorld } from '../contract/world.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { fakeVault } from '../fakes/fakeVault.ts'
import { dataFolder } from '../fakes/dataFolder.ts'

const CANARY = 'CANARY'

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

/** Starts a service that repeats the key and signs its links, as indiscreet as a service can be. */
const indiscreetService = () =>
  fakeService((request, response) => {
    const key = String(request.headers['x-api-key'])
    if (request.url?.includes('symbols')) {
      return response.writeHead(302, { location: `/signed?X-Amz-Signature=${CANARY}-signature` }).end()
    }
    if (request.url?.includes('universe')) return sendJson(response, `<html>${key} is not welcome</html>`, 403)
    if (request.url?.startsWith('/signed')) return sendJson(response, `no: ${request.url} ${key}`, 500)
    if (request.url?.includes('/portfolio/returns')) {
      return sendJson(response, { data: [1], index: ['2026-09-14'], columns: ['returns'], echo: key })
    }
    if (request.url?.includes('/risk-regime')) return sendJson(response, `{"data": ${key}`)
    sendJson(response, { metrics: [{ id: 'flow' }], echo: key })
  })

test('a key is nowhere but in the keychain: not in the folder, a log, an answer, an event, an export', async () => {
  const dataDir = dataFolder()
  const vault = fakeVault()
  const app = createApp(
    { ...fakePorts(), vault, log: createFileLog(dataDir), clock: systemClock },
    { version: '1.0.0', dataDir },
  )
  let isClosed = false
  onTestFinished(async () => void (isClosed || (await app.close())))
  const host = fakeHost()
  const client = app.clientFor(host)
  const outputs: unknown[] = []
  app.bus.subscribe((name, payload) => outputs.push(name, payload))
  const service = await indiscreetService()

  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: service.url,
    portfolioUrl: service.url,
    catalogLocation: `${service.url}/catalog`,
    tier: null,
    venues: [{ id: 'alpha-futures', short: null, sizes: null, exchangeTimes: null }],
  })
  for (const [connectionService, key] of [
    ['metrics', `${CANARY}/metrics+key=1`],
    ['portfolio', `${CANARY}-portfolio-key`],
  ] as const) {
    outputs.push(await client.call('keys.set', { connectionId: id, service: connectionService, key }))
  }
  outputs.push(await client.call('connections.test', { id }))
  const returns = { endpoint: 'returns', portfolio: 'p.20' } as const
  outputs.push(await client.call('portfolio.history', { connectionId: id, request: returns }))
  for (const request of [{ endpoint: 'universe', size: '20' } as const, { endpoint: 'regime', overlay: 'o' } as const])
    outputs.push(
      await client.call('portfolio.history', { connectionId: id, request }).catch((error: AppError) => error.toShape()),
    )
  outputs.push(await client.call('portfolio.revisions', { connectionId: id, request: returns, limit: 10 }))
  outputs.push(await client.call('requests.list', { limit: 100 }))
  outputs.push(await client.call('app.diagnostics', {}))
  outputs.push(await client.call('app.check', {}))
  outputs.push(await client.call('connections.list', {}))
  await client.call('requests.export', {})
  outputs.push(host.saved)
  expect(host.saved[0].text).toContain('/signed?…')
  expect(service.requests.some(({ headers }) => String(headers['x-api-key']).startsWith(CANARY))).toBe(true)
  expect([...vault.secrets.values()]).toHaveLength(2)

  expect(JSON.stringify(outputs)).not.toContain(CANARY)
  const withKey = () => filesBelow(dataDir).filter((path) => readFileSync(path).includes(CANARY))
  expect(withKey()).toEqual([])
  await app.close()
  isClosed = true
  expect(withKey()).toEqual([])
})

test('a key in a call that fails is not repeated by the failure', async () => {
  const world = await openWorld((app) => ({
    client: app.clientFor(fakeHost()),
    drop: null,
    sendRaw: null,
    close() {},
  }))
  const call = world.client.call as (name: CallName, input: unknown) => Promise<unknown>
  for (const key of [`${CANARY} with spaces`, `${CANARY}${'x'.repeat(5000)}`, [CANARY], { [CANARY]: 1 }]) {
    for (const name of callNames) {
      const { input } = examples[name](world)
      const failure = await call(name, { ...input, connectionId: 'nobody', key }).catch((error: Error) => error)
      expect(JSON.stringify(failure) + String(failure) + (failure as Error).stack, name).not.toContain(CANARY)
    }
  }
  expect(world.ports.log.lines.join('\n')).not.toContain(CANARY)
})
