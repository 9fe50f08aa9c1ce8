import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Settings } from '#shared/contract/areas/settings.ts'
import { createApp } from '#core/app.ts'
import type { AppConfig } from '#core/storage.ts'
import { run } from '../../electron/cli/run.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { sendJson } from '../fakes/fakeService.ts'
import { fakeTlsService, fakeTunnelProxy, SERVICE_NAME, testRootFile } from '../fakes/fakeTlsService.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const KEY = 'CANARY-key-0123456789'
const catalog = { schema_version: 1, datasets: [{ id: 'trades' }], coverage: {} }
const workingResult = { service: 'catalog', outcome: 'ok', message: '1 datasets.' }

const startService = (certificate?: 'server' | 'expired') =>
  fakeTlsService((_request, response) => sendJson(response, catalog), certificate)

/** Opens the core with one connection whose raw catalog is at the address. */
async function openCore(catalogLocation: string, settings: Partial<Settings> = {}, config: Partial<AppConfig> = {}) {
  const app = createApp(fakePorts(), { version: '1.0.0', dataDir: dataFolder(), ...config })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  await client.call('settings.change', settings)
  const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation, tier: null }
  const { id } = await client.call('connections.add', fields)
  await client.call('keys.set', { connectionId: id, service: 'metrics', key: KEY })
  const testCatalog = async () =>
    (await client.call('connections.test', { id })).find(({ service }) => service === 'catalog')
  return { client, testCatalog }
}

const at = (port: number, host = '127.0.0.1') => `https://${host}:${port}/catalog.json`

describe('a service whose certificate comes from a company', () => {
  // This test must be the first of the file, because only the first requests of a process find the certificate
  // untrusted.
  test('is reached by several requests at once that are the first to need its file', async () => {
    const { port } = await startService()
    const { testCatalog } = await openCore(at(port), { extraCaFile: testRootFile })
    expect(await Promise.all([testCatalog(), testCatalog(), testCatalog()])).toEqual([
      workingResult,
      workingResult,
      workingResult,
    ])
  })

  test('is refused by a sentence that names the issuer, and reached once its file is in the settings', async () => {
    const { port, requests } = await startService()
    const { client, testCatalog } = await openCore(at(port))
    expect(await testCatalog()).toEqual({
      service: 'catalog',
      outcome: 'unreachable',
      message: expect.stringMatching(
        /its certificate was issued by “Perpscope Test Root”, which this machine does not trust; .*Settings → Network/,
      ),
    })
    expect(requests).toEqual([])
    await client.call('settings.change', { extraCaFile: testRootFile })
    expect(await testCatalog()).toEqual(workingResult)
    await client.call('settings.change', { extraCaFile: '' })
    expect(await testCatalog()).toMatchObject({ outcome: 'unreachable' })
  })

  test('is reached with the file of the environment, where Node may not read that itself', async () => {
    const { port } = await startService()
    const { testCatalog } = await openCore(at(port), {}, { environmentCaFile: testRootFile })
    expect(await testCatalog()).toEqual(workingResult)
  })

  test('is reached through the proxy of the settings, and not through it once that is “direct”', async () => {
    const { port } = await startService()
    const proxy = await fakeTunnelProxy(port)
    const surrounding = { http: proxy.address, https: proxy.address, except: '' }
    const settings = { extraCaFile: testRootFile, proxy: proxy.address.replace('http://', '') }
    const { client, testCatalog } = await openCore(at(port, SERVICE_NAME), settings, { proxy: surrounding })
    expect(await testCatalog()).toEqual(workingResult)
    expect(proxy.targets).toEqual([`${SERVICE_NAME}:${port}`])
    await client.call('settings.change', { proxy: 'direct' })
    expect(await testCatalog()).toMatchObject({ message: expect.stringContaining('unknown host name') })
    await client.call('settings.change', { proxy: '' })
    expect(await testCatalog()).toEqual(workingResult)
    await client.call('settings.change', { proxy: proxy.address, proxyExcept: '.perpscope.test' })
    expect(await testCatalog()).toMatchObject({ message: expect.stringContaining('unknown host name') })
    expect(proxy.targets).toHaveLength(2)
  })

  test.each([
    ['has expired', 'expired', SERVICE_NAME, 'its certificate from “Perpscope Test Root” expired on 2021-01-01'],
    [
      'is for another name',
      'server',
      'other.perpscope.test',
      `is for other names (${SERVICE_NAME}, localhost, 127.0.0.1)`,
    ],
  ] as const)('that %s is refused with the reason', async (_what, certificate, host, reason) => {
    const { port, requests } = await startService(certificate)
    const proxy = (await fakeTunnelProxy(port)).address
    const { testCatalog } = await openCore(at(port, host), { extraCaFile: testRootFile, proxy })
    expect(await testCatalog()).toMatchObject({ outcome: 'unreachable', message: expect.stringContaining(reason) })
    expect(requests).toEqual([])
  })

  test('behind a proxy names the issuer too', async () => {
    const { port } = await startService()
    const { testCatalog } = await openCore(at(port, SERVICE_NAME), { proxy: (await fakeTunnelProxy(port)).address })
    expect(await testCatalog()).toMatchObject({ message: expect.stringContaining('issued by “Perpscope Test Root”') })
  })
})

test.each([
  ['is missing', null, /missing\.pem cannot be used: There is no file [^ ]+missing\.pem\. Correct/],
  ['is text', 'hello', /no certificate in PEM form/],
  ['is damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /certificate 1 in it is damaged/],
])('a certificate file that %s is named with the reason', async (_what, text, reason) => {
  const { port, requests } = await startService()
  const extraCaFile = join(temporaryFolder(), 'missing.pem')
  if (text !== null) writeFileSync(extraCaFile, text)
  const { testCatalog } = await openCore(at(port), { extraCaFile })
  expect((await testCatalog())?.message).toMatch(reason)
  expect(requests).toEqual([])
})

describe('the command line', () => {
  async function perpscope(dataDir: string, args: readonly string[], env: Record<string, string> = {}) {
    const written = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
    const status = await run([...args, '--data-dir', dataDir], {
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      env,
      signal: new AbortController().signal,
      readPolicy: () => null,
    })
    return { status, ...written }
  }

  test('takes the proxy and the certificate file from options, else from the environment', async () => {
    const { port } = await startService()
    const proxy = await fakeTunnelProxy(port)
    const dataDir = dataFolder()
    await perpscope(dataDir, ['connection', 'add', 'desk', '--catalog', at(port, SERVICE_NAME)])
    const testIt = ['connection', 'test', 'desk']
    expect(await perpscope(dataDir, testIt, { HTTPS_PROXY: proxy.address })).toMatchObject({
      stdout: expect.stringContaining('issued by “Perpscope Test Root”'),
    })
    const options = ['--proxy', proxy.address, '--ca-file', testRootFile]
    expect((await perpscope(dataDir, [...testIt, ...options])).stdout).toContain('1 datasets')
    const env = { HTTPS_PROXY: proxy.address, NODE_EXTRA_CA_CERTS: testRootFile }
    expect((await perpscope(dataDir, testIt, env)).stdout).toContain('1 datasets')
    expect((await perpscope(dataDir, [...testIt, '--proxy', 'direct'], env)).stdout).toContain('unknown host name')
  })

  test('refuses a proxy that is no address', async () => {
    expect(await perpscope(dataFolder(), ['connection', 'list', '--proxy', 'socks5://p:1'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--proxy must be an http or https address'),
    })
  })
})
