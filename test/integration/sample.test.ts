import { onTestFinished, expect, test } from 'vitest'
import type { EventPayload } from '#shared/contract/events.ts'
import { SAMPLE_DAYS, sampleSources } from '#shared/workspace/sampleWorkspace.ts'
import { createApp } from '#core/app.ts'
import { runningClock } from '../fakes/downloadWorld.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { startCachedSandbox } from '../fakes/testSandbox.ts'

const FILES = sampleSources.length * SAMPLE_DAYS

/** Opens a newly installed app, which has only the built-in connection. */
async function newApp() {
  const sandbox = await startCachedSandbox()
  const ports = { ...fakePorts(), clock: { ...fakePorts().clock, ...runningClock() } }
  ports.startSandbox = async () => ({ ...sandbox, close: async () => {} })
  const app = createApp(ports, { version: '0', dataDir: temporaryFolder() })
  onTestFinished(async () => {
    await app.close()
    await sandbox.close()
  })
  const client = app.clientFor(fakeHost())
  const counts = async () => (await client.call('downloads.progress', {})).counts
  const sampleData = async () => (await client.call('settings.read', {})).sampleData
  return { app, client, counts, sampleData }
}

test('the first start queues the sample once, and one call takes all of it away again', async () => {
  const { app, client, counts, sampleData } = await newApp()
  await app.fetchSampleOnce()
  await app.fetchSampleOnce()
  expect((await counts()).queued).toBe(FILES)
  expect(await sampleData()).toBe('here')
  const first = await client.call('downloads.list', { offset: 0, limit: 1 })
  expect(first.downloads[0]).toMatchObject({ dataset: sampleSources('')[0].dataset, interval: '5m' })

  const some = new Promise<EventPayload<'downloads.progressed'>>((resolve) => {
    client.on('downloads.progressed', (progress) => progress.counts.done > 0 && resolve(progress))
  })
  app.runDownloads()
  await some
  // Most files of the sample are still in the queue and are removed as well.
  await client.call('sample.remove', {})
  expect((await client.call('cache.usage', { by: 'connection' })).total).toEqual({ files: 0, sizeBytes: 0 })
  expect(await counts()).toMatchObject({ queued: 0, waiting: 0 })
  expect(await sampleData()).toBe('removed')
  await app.fetchSampleOnce()
  expect((await counts()).queued).toBe(0)
  expect((await client.call('sample.fetch', {})).files).toBe(FILES)
}, 30_000)

test('nothing is fetched where the user’s own connection is in use, or the sandbox cannot start', async () => {
  const { app, client, counts, sampleData } = await newApp()
  const fields = { name: 'Desk', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null }
  const { id } = await client.call('connections.add', fields)
  await client.call('connections.use', { id })
  await app.fetchSampleOnce()
  expect([(await counts()).queued, await sampleData()]).toEqual([0, 'never'])

  const without = createApp(fakePorts(), { version: '0', dataDir: temporaryFolder() })
  onTestFinished(() => without.close())
  await without.fetchSampleOnce()
  expect((await without.clientFor(fakeHost()).call('settings.read', {})).sampleData).toBe('never')
})
