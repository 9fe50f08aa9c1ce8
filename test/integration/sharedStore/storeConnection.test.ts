import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import type { Connection } from '#shared/contract/areas/connections.ts'
import { run } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const key = 'team-id:canary-secret-77aa'
const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null }
const bucket = { ...fields, store: 's3://research/perpscope', storeEndpoint: 'https://storage.example' }

function openApp() {
  const ports = fakePorts()
  const app = createApp(ports, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  return { client: app.clientFor(fakeHost()), secrets: ports.vault.secrets, log: ports.log }
}

describe('the shared store of a connection', () => {
  it('keeps its key in the keychain, tells no character of it, and loses it with another service', async () => {
    const { client, secrets } = openApp()
    const { id } = await client.call('connections.add', bucket)
    const status = await client.call('keys.set', { connectionId: id, service: 'store', key })
    expect(status).toEqual({ set: true, ending: null, kept: 'keychain' })
    expect([...secrets]).toEqual([[`${id}/store`, key]])

    const otherBucket = await client.call('connections.edit', { id, store: 's3://archive' })
    expect(otherBucket).toMatchObject({ store: 's3://archive', keys: { store: { set: true } } })
    const moved = await client.call('connections.edit', { id, storeEndpoint: 'https://elsewhere.example' })
    expect(moved).toMatchObject({ store: 's3://archive', keys: { store: { set: false } } })
    expect(secrets.size).toBe(0)

    await client.call('keys.set', { connectionId: id, service: 'store', key })
    await client.call('connections.remove', { id })
    expect(secrets.size).toBe(0)
  })

  it('needs no key for a folder, which has to be there and is never made', async () => {
    const { client } = openApp()
    const folder = temporaryFolder()
    const { id, ...added } = await client.call('connections.add', { ...fields, store: folder })
    expect(added).toMatchObject({ store: folder })
    expect(added.keys).not.toHaveProperty('store')
    const missing = join(folder, 'missing')
    await expect(client.call('connections.edit', { id, store: missing })).rejects.toThrow(/missing does not exist/)
    expect(readdirSync(folder)).toEqual([])
    writeFileSync(missing, '')
    await expect(client.call('connections.edit', { id, store: missing })).rejects.toThrow(/is not a folder/)
    await expect(client.call('connections.edit', { id, storeEndpoint: 'https://storage.example' })).rejects.toThrow(
      /needs s3/,
    )
    rmSync(missing)
    rmSync(folder, { recursive: true })
    expect(await client.call('connections.edit', { id, name: 'Desk 2', store: folder })).toMatchObject({
      name: 'Desk 2',
    })
    expect(await client.call('connections.edit', { id, store: '' })).not.toHaveProperty('store')
  })

  it('accepts plain http to another machine only after a confirmation, which applies to that address alone', async () => {
    const { client } = openApp()
    const plain = { ...bucket, storeEndpoint: 'http://10.0.0.7:9000' }
    await expect(client.call('connections.add', plain)).rejects.toThrow(/plain http/)
    const { id } = await client.call('connections.add', { ...plain, storePlainHttp: true })
    expect(await client.call('connections.edit', { id, name: 'Desk 2' })).toMatchObject({ storePlainHttp: true })
    const other = { id, storeEndpoint: 'http://10.0.0.8:9000' }
    await expect(client.call('connections.edit', other)).rejects.toThrow(/plain http/)
    const loopback = await client.call('connections.edit', { id, storeEndpoint: 'http://127.0.0.1:9000' })
    expect(loopback).not.toHaveProperty('storePlainHttp')
  })
})

describe('perpscope connection --store', () => {
  async function perpscope(dataDir: string, args: string[], env: Record<string, string> = {}) {
    let stdout = ''
    let stderr = ''
    const status = await run([...args, '--data-dir', dataDir], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env,
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }

  it('lists the store, takes its key from the environment, and writes the key nowhere', async () => {
    const dataDir = dataFolder()
    const env = { PERPSCOPE_STORE_KEY: key }
    const add = ['connection', 'add', 'Desk', '--store', bucket.store, '--store-endpoint', bucket.storeEndpoint]
    expect(await perpscope(dataDir, add, env)).toMatchObject({ status: 0 })
    const list = await perpscope(dataDir, ['connection', 'list'], env)
    expect(list.stdout).toContain('STORE')
    expect(list.stdout).toContain(bucket.store)
    const json = JSON.parse((await perpscope(dataDir, ['connection', 'list', '--json'], env)).stdout) as Connection[]
    expect(json.find(({ name }) => name === 'Desk')).toMatchObject({
      store: bucket.store,
      storeEndpoint: bucket.storeEndpoint,
      keys: { store: { set: true, ending: null, kept: 'environment' } },
    })
    const status = await perpscope(dataDir, ['key', 'status', 'Desk', '--service', 'store'], env)
    expect(status.stdout).toBe('Key of Desk (store): set (from PERPSCOPE_STORE_KEY).\n')
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(dataDir, name)
      if (statSync(path).isFile()) expect(readFileSync(path).includes('canary-secret'), name).toBe(false)
    }
  })

  it('changes the store and takes it away again', async () => {
    const [dataDir, folder] = [dataFolder(), temporaryFolder()]
    mkdirSync(join(folder, 'team'))
    await perpscope(dataDir, ['connection', 'add', 'Desk', '--store', folder])
    const edited = await perpscope(dataDir, ['connection', 'edit', 'Desk', '--store', join(folder, 'team')])
    expect(edited).toMatchObject({ status: 0 })
    expect((await perpscope(dataDir, ['connection', 'list'])).stdout).toContain(join(folder, 'team'))
    expect(await perpscope(dataDir, ['connection', 'edit', 'Desk', '--store', 'none'])).toMatchObject({ status: 0 })
    expect((await perpscope(dataDir, ['connection', 'list'])).stdout).not.toContain(folder)
  })

  it.each([
    [['--store', 's3://bucket', '--store-endpoint', 'http://10.0.0.7:9000'], '--plain-http'],
    [['--store', 's3://bucket', '--store-endpoint', 'ftp://store.example'], '--store-endpoint: must be an https'],
    [['--store', 's3://id:word@bucket'], '--store: must be a folder or s3://BUCKET/PREFIX'],
    [['--store', 'https://bucket.example'], '--store: must be a folder or s3://BUCKET/PREFIX'],
    [['--store', '/nowhere/at/all'], '--store: /nowhere/at/all does not exist'],
    [['--store', '/', '--store-endpoint', 'https://store.example'], '--store-endpoint: needs s3://'],
  ])('refuses %j with a sentence', async (options, sentence) => {
    const { status, stderr } = await perpscope(dataFolder(), ['connection', 'add', 'Desk', ...options])
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
    expect(stderr).not.toContain('word@')
  })
})
