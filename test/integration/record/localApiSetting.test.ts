import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { LocalApiStatus } from '#shared/contract/areas/network.ts'
import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import { createApp } from '#core/app.ts'
import { followLocalApiSetting } from '../../../electron/localApi/followSetting.ts'
import { createLocalApiAnswers } from '../../../electron/localApi/answers.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

async function openCore(policy: MachinePolicy | null = null, dataDir = dataFolder()) {
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir, policy })
  const faults: string[] = []
  const onFault = (message: string) => void faults.push(message)
  const localApi = followLocalApiSetting({ app, version: '1.0.0', dataDir, onFault })
  onTestFinished(async () => {
    await localApi.close()
    await app.close()
  })
  const client = app.clientFor(fakeHost())
  const seen: LocalApiStatus[] = []
  client.on('network.doorChanged', (state) => void seen.push(state))
  return { app, client, seen, localApi, dataDir, faults }
}

const ask = (url: string, tokenFile: string) =>
  fetch(`${url}/v1/coverage`, { headers: { Authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` } })

test('the switch opens the local API with a new token, and closes it', async () => {
  const { client, seen, localApi } = await openCore()
  expect(await client.call('network.door', {})).toEqual({ open: null, problem: null })

  await client.call('settings.change', { localDoor: true })
  await vi.waitFor(() => expect(seen).toHaveLength(1), 30_000)
  const { url, tokenFile } = (await client.call('network.door', {})).open!
  const token = readFileSync(tokenFile, 'utf8')
  expect((await ask(url, tokenFile)).status).toBe(200)
  expect((await fetch(`${url}/v1/coverage`)).status).toBe(401)

  await client.call('settings.change', { localDoor: false })
  await client.call('settings.change', { localDoor: true })
  await vi.waitFor(() => expect(seen).toHaveLength(3), 30_000)
  expect(readFileSync(tokenFile, 'utf8')).not.toBe(token)

  const again = seen[2].open!.url
  await localApi.close()
  await expect(fetch(again)).rejects.toThrow()
  expect(existsSync(tokenFile)).toBe(false)
})

test('a policy that forbids access by other programs keeps the local API closed for every face', async () => {
  const rules = { forbidDoors: true }
  const { app, client } = await openCore({ file: '/etc/perpscope/policy.json', rules })
  await expect(client.call('settings.change', { localDoor: true })).rejects.toMatchObject({ code: 'policy' })
  expect((await client.call('network.door', {})).open).toBe(null)
  expect(() => createLocalApiAnswers(app, '1.0.0')).toThrow(
    '/etc/perpscope/policy.json forbids access by other programs.',
  )
})

test('a second program on the data folder leaves an open local API and its token as they are', async () => {
  const { client, dataDir } = await openCore()
  await client.call('settings.change', { localDoor: true })
  await expect.poll(async () => (await client.call('network.door', {})).open, { timeout: 30_000 }).not.toBe(null)
  const { url, tokenFile } = (await client.call('network.door', {})).open!
  const second = await openCore(null, dataDir)
  await expect
    .poll(() => second.client.call('network.door', {}), { timeout: 30_000 })
    .toEqual({ open: null, problem: `The local API of this data folder is already running at ${url}.` })
  await second.localApi.close()
  expect((await ask(url, tokenFile)).status).toBe(200)
})

test('files of a local API that was killed do not keep the next one closed', async () => {
  const dataDir = dataFolder()
  mkdirSync(join(dataDir, 'door'))
  writeFileSync(join(dataDir, 'door', 'token'), 'of-before')
  writeFileSync(join(dataDir, 'door', 'address.json'), '{"url":"http://127.0.0.1:9"}')
  const { client } = await openCore(null, dataDir)
  await client.call('settings.change', { localDoor: true })
  await expect.poll(async () => (await client.call('network.door', {})).open, { timeout: 30_000 }).not.toBe(null)
  const { url, tokenFile } = (await client.call('network.door', {})).open!
  expect((await ask(url, tokenFile)).status).toBe(200)
})

test('a program that ends as it starts leaves no local API behind', async () => {
  const { client, dataDir } = await openCore()
  await client.call('settings.change', { localDoor: true })
  await expect.poll(async () => (await client.call('network.door', {})).open, { timeout: 30_000 }).not.toBe(null)
  await client.call('settings.change', { localDoor: false })
  await expect.poll(() => existsSync(join(dataDir, 'door', 'token')), { timeout: 30_000 }).toBe(false)
  const next = createApp(fakePorts(), { version: '1.0.0', dataDir, policy: null })
  onTestFinished(() => next.close())
  await next.clientFor(fakeHost()).call('settings.change', { localDoor: true })
  await followLocalApiSetting({ app: next, version: '1.0.0', dataDir, onFault: () => {} }).close()
  expect(next.localApi.read()).toEqual({ open: null, problem: null })
})
