import { onTestFinished, expect, test, vi } from 'vitest'
import type { EventPayload } from '#shared/contract/events.ts'
import { SAMPLE_DAYS, sampleSources } from '#shared/workspace/sampleWorkspace.ts'
import { addDays, dayOf } from '#shared/time.ts'
import { createApp } from '#core/app.ts'
import { runningClock } from '../fakes/downloadWorld.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { startCachedSandbox } from '../fakes/testSandbox.ts'

const FILES = sampleSources('venuea-futures').length * SAMPLE_DAYS

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
  return { app, client, counts, sampleData, today: dayOf(ports.clock.nowMs()) }
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

test('only the files of the sample go, and come back; downloads of the user stay', async () => {
  const { app, client, counts, today } = await newApp()
  const [sample] = sampleSources('venuea-futures')
  const connectionId = (await client.call('connections.list', {})).find(({ builtIn }) => builtIn)!.id
  const enqueue = (startAgo: number, endAgo: number) =>
    client.call('downloads.enqueue', {
      label: 'Mine',
      request: {
        connectionId,
        datasets: [sample.dataset],
        exchanges: [sample.exchange],
        symbols: [sample.symbol],
        intervals: [sample.interval],
        timestamps: [sample.timestamp],
        startDay: addDays(today, -startAgo),
        endDay: addDays(today, -endAgo),
      },
    })
  const allDone = (wanted: number) =>
    vi.waitFor(async () => expect((await counts()).done).toBe(wanted), { timeout: 60_000, interval: 20 })
  const days = async () => (await client.call('cache.list', { connectionId })).files.map(({ period }) => period).sort()

  app.runDownloads()
  // The first of these days are also days of the sample, which finds them cached.
  await enqueue(SAMPLE_DAYS + 5, SAMPLE_DAYS - 1)
  await allDone(7)
  const ownDays = await days()
  await client.call('sample.fetch', {})
  await allDone(7 + FILES - 2)
  const allDays = await days()
  await client.call('settings.change', { offline: true })
  await enqueue(400, 20)
  const before = await counts()
  expect(before.queued + before.waiting).toBeGreaterThan(10)

  const removed = await client.call('sample.remove', {})
  expect(removed.files).toBe(FILES - 2)
  expect(await days()).toEqual(ownDays)
  const after = await counts()
  expect([after.queued + after.waiting, after.cancelled]).toEqual([before.queued + before.waiting, before.cancelled])

  await client.call('downloads.cancel', { which: { filter: { connectionId } } })
  await client.call('settings.change', { offline: false })
  await client.call('sample.fetch', { days: removed.days! })
  await vi.waitFor(async () => expect(await days()).toEqual(allDays), { timeout: 60_000, interval: 20 })
}, 180_000)

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
