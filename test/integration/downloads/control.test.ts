import { readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { downloadWorld, hourly } from '../../fakes/downloadWorld.ts'
import { startCachedSandbox } from '../../fakes/testSandbox.ts'

const slow = { rules: [{ on: 'storage' as const, bytesPerSecond: 400 }] }
const everything = { which: { filter: {} } }

describe('the person', () => {
  test('pauses and resumes: a transfer goes on where it was', async () => {
    const { enqueue, until, client, sandbox, list } = await downloadWorld()
    sandbox.setFaults(slow)
    await enqueue({ startDay: '2026-09-02', endDay: '2026-09-02' })
    await until(({ running }) => running.some(({ doneBytes }) => doneBytes > 100))
    await client.call('downloads.pause', everything)
    await until(({ counts, running }) => counts.paused === 1 && running.length === 0)
    sandbox.setFaults({})
    await client.call('downloads.resume', everything)
    await until(({ counts }) => counts.done === 1)
    const [{ totalBytes }] = await list()
    const frame = await client.call('requests.list', { limit: 10 })
    const bytes = frame.columns.find(({ name }) => name === 'bytes')
    expect(Number(bytes?.values[0])).toBeLessThan(totalBytes ?? 0)
  })

  test('cancels, tries again, and changes the order', async () => {
    const { enqueue, until, client, list, app } = await downloadWorld({ standsBy: true })
    await enqueue()
    const ids = (await list()).map(({ id }) => id)
    await client.call('downloads.cancel', { which: { ids: ids.slice(0, 2) } })
    expect((await client.call('downloads.retry', { which: { filter: { states: ['cancelled'] } } })).jobs).toBe(2)
    await client.call('downloads.reorder', { ids: [ids[3]], beforeId: ids[0] })
    await client.call('downloads.prioritise', { which: { ids: [ids[2]] }, priority: 9 })
    expect((await list()).map(({ id }) => id)).toEqual([ids[2], ids[3], ids[0], ids[1]])
    app.runDownloads()
    await until(({ counts }) => counts.done === 4)
    await client.call('downloads.forgetEnded', {})
    expect(await list()).toEqual([])
  })

  test('goes offline: all waits and nothing fails; back online it goes on', async () => {
    const { enqueue, until, client, sandbox } = await downloadWorld()
    sandbox.setFaults(slow)
    await enqueue()
    await until(({ counts }) => counts.running > 0)
    await client.call('settings.change', { offline: true })
    const { counts } = await until((progress) => progress.counts.running === 0)
    expect(counts).toMatchObject({ queued: 4, failed: 0 })
    sandbox.setFaults({})
    await client.call('settings.change', { offline: false })
    await until((progress) => progress.counts.done === 4)
  })
})

test('one service takes no more than its part of what runs at once', async () => {
  const { client, sandbox, enqueue, until } = await downloadWorld()
  const other = await startCachedSandbox()
  onTestFinished(() => other.close())
  const fields = { name: 'Other', metricsUrl: other.url, portfolioUrl: '', catalogLocation: '', tier: null }
  const { id } = await client.call('connections.add', fields)
  await client.call('keys.set', { connectionId: id, service: 'metrics', key: other.keys['3'] })
  await client.call('settings.change', { downloadConcurrency: 6, downloadHostConcurrency: 2 })
  for (const each of [sandbox, other]) each.setFaults(slow)
  let most = 0
  client.on('downloads.progressed', ({ running }) => (most = Math.max(most, running.length)))
  await enqueue({ endDay: '2026-09-08' })
  await until(({ running }) => running.length === 2)
  await enqueue({ connectionId: id })
  await until(({ running }) => running.length === 4)
  expect(most).toBeLessThanOrEqual(4)
  await client.call('settings.change', { downloadHostConcurrency: null })
  await until(({ running }) => running.length === 6)
})

describe('this machine', () => {
  test('without its folder holds everything with words, and goes on when it is back', async () => {
    const { enqueue, until, client, dataDir } = await downloadWorld()
    const folder = join(dataDir, 'files')
    renameSync(folder, `${folder}-gone`)
    await enqueue()
    const { holds, counts } = await until((progress) => progress.holds.length > 0 && progress.counts.running === 0)
    expect(holds).toMatchObject([{ connectionId: '', code: 'read-only' }])
    expect(holds[0].detail).toContain('files')
    expect(counts.failed).toBe(0)
    renameSync(`${folder}-gone`, folder)
    await client.call('downloads.resume', everything)
    await until((progress) => progress.counts.done === 4)
  })

  test('has a hundred thousand files in its queue and does everything with them a slice at a time', async () => {
    const { client } = await downloadWorld({ standsBy: true })
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    const turnsOf = async (work: () => Promise<unknown>) => {
      const before = turns
      await work()
      return turns - before
    }
    setImmediate(count)
    const symbols = Array.from({ length: 1000 }, (_, index) => `perpetual-S${index}-USDT:USDT`)
    const request = { ...hourly, symbols, startDay: '2026-05-01', endDay: '2026-09-05' }
    const files = 1000 * 39
    expect(await turnsOf(() => client.call('downloads.preview', { request }))).toBeGreaterThan(10)
    let added = 0
    for (const dataset of ['vtwap', 'flow', 'ohlcv']) {
      const turned = await turnsOf(async () => {
        added += (await client.call('downloads.enqueue', { request: { ...request, datasets: [dataset] } })).added
      })
      expect(turned).toBeGreaterThan(files / 1000 - 5)
    }
    expect(added).toBe(3 * files)
    const page = await client.call('downloads.list', { offset: 2 * files, limit: 50 })
    // The requests take turns.
    const turn = ['vtwap', 'flow', 'ohlcv']
    expect(page.downloads.map(({ dataset }) => dataset)).toEqual(page.downloads.map((_, index) => turn[index % 3]))
    await client.call('downloads.prioritise', { which: { filter: { text: 'S999' } }, priority: 5 })
    const [first] = (await client.call('downloads.list', { offset: 0, limit: 1 })).downloads
    expect(first).toMatchObject({ priority: 5, symbol: 'perpetual-S999-USDT:USDT' })
    expect((await client.call('downloads.progress', {})).counts).toMatchObject({ queued: 3 * files })
    for (const name of ['downloads.pause', 'downloads.resume', 'downloads.cancel'] as const) {
      let jobCount = 0
      expect(await turnsOf(async () => (jobCount = (await client.call(name, everything)).jobs))).toBeGreaterThan(100)
      expect(jobCount, name).toBe(3 * files)
    }
    isOver = true
  }, 180_000)
})

test('the key is nowhere but where it belongs, after all kinds of trouble', async () => {
  const canary = 'CANARY-key-of-the-downloads'
  const { fetch, client, connectionId, sandbox, dataDir, app, ports, enqueue, until } = await downloadWorld({
    key: canary,
  })
  const crossed: unknown[] = []
  app.bus.subscribe((name, payload) => crossed.push(name, payload))
  await enqueue()
  await until(({ holds }) => holds.length > 0)
  crossed.push(await client.call('downloads.list', { offset: 0, limit: 10 }))
  crossed.push(await client.call('downloads.cancel', everything))
  sandbox.setFaults({ rules: [{ on: 'storage', expired: true }] })
  await client.call('keys.set', { connectionId, service: 'metrics', key: sandbox.keys['3'] })
  crossed.push(await fetch())
  crossed.push(await client.call('requests.list', { limit: 100 }), await client.call('downloads.progress', {}))
  const known = JSON.stringify(crossed) + ports.log.lines.join('\n')
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile())
  for (const secret of [canary, sandbox.keys['3'], 'X-Link-Signature=']) {
    expect(known).not.toContain(secret)
    expect(files.filter((path) => readFileSync(path).includes(secret))).toEqual([])
  }
  expect(sandbox.stats().storageRequestsWithKey).toBe(0)
})

describe('a connection', () => {
  test('that is removed takes its downloads out of the queue, and nothing more of it comes', async () => {
    const { client, enqueue, until, sandbox, connectionId: id } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', bytesPerSecond: 300 }] })
    await enqueue()
    await until(({ running }) => running.some(({ doneBytes }) => doneBytes > 0))
    await client.call('connections.remove', { id })
    const { counts, holds } = await until(({ running }) => running.length === 0)
    expect(counts).toMatchObject({ cancelled: 4, queued: 0, running: 0, done: 0 })
    expect(holds).toEqual([])
  })

  test('that gets another service takes nothing more from the one before', async () => {
    const { client, enqueue, until, sandbox, connectionId: id } = await downloadWorld()
    const other = await startCachedSandbox()
    onTestFinished(() => other.close())
    sandbox.setFaults({ rules: [{ on: 'storage', bytesPerSecond: 300 }] })
    await enqueue()
    await until(({ running }) => running.some(({ doneBytes }) => doneBytes > 0))
    const fromFirst = sandbox.stats().storageRequests
    await client.call('connections.edit', { id, metricsUrl: other.url })
    // The key belonged to another service, so the app requests a new one.
    await until(({ holds }) => holds.length > 0)
    await client.call('keys.set', { connectionId: id, service: 'metrics', key: other.keys['3'] })
    await until(({ counts }) => counts.done === 4)
    expect(other.stats().storageRequests).toBeGreaterThanOrEqual(4)
    expect(sandbox.stats().storageRequests).toBe(fromFirst)
  })
})
