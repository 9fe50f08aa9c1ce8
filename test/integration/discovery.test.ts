import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished, describe, expect, test } from 'vitest'
import type { Client } from '#shared/contract/client.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { createApp } from '#core/app.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const DAY_MS = 86_400_000

/** Returns documents of a service that a test may change between calls. */
function documents() {
  return {
    catalog: {
      metrics: [
        { id: 'flow', name: 'Order flow', category: 'Trades', fields: [{ name: 'x' }] },
        { id: 'brand_new' },
      ] as unknown[],
    },
    symbols: ['perpetual-龙-USDT:USDT', 'perpetual-BTC-USDT:USDT', 'perpetual-BTC-USDT:USDT'],
    raw: {
      schema_version: 1,
      daily_files_from: '2026-08-01',
      preview: { period: '2026-07', symbols: { 'venuea-futures': 'perpetual-BTC-USDT:USDT' } },
      datasets: [{ id: 'trades', columns: [{ name: 'price', type: 'float64', nullable: false }] }] as unknown[],
      coverage: {
        generated_at: '2026-11-20T01:02:03.004Z',
        datasets: {
          trades: {
            'venuea-futures': {
              'perpetual-BTC-USDT:USDT': { first: '2026-01-01', last: '2026-01-10', days: 8 },
              'perpetual-A-USDT:USDT': { first: '2026-02-30', last: '2026-01-10', days: 8 },
            },
          },
          quotes: 'nothing',
        } as unknown,
      },
    } as Record<string, unknown>,
    down: false,
  }
}

async function open() {
  const world = documents()
  const service = await fakeService(({ url = '' }, response) => {
    if (world.down) return sendJson(response, { message: 'maintenance' }, 503)
    if (url.startsWith('/api/v1/metadata/catalog')) return sendJson(response, world.catalog)
    if (url.startsWith('/api/v1/metadata/symbols')) return sendJson(response, { symbols: world.symbols, exchange: 'x' })
    if (url === '/raw.json') return sendJson(response, world.raw)
    sendJson(response, { error: 'nothing here' }, 404)
  })
  const ports = fakePorts()
  const app = createApp(ports, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const { id } = await client.call('connections.add', {
    name: 'Desk',
    metricsUrl: service.url,
    portfolioUrl: '',
    catalogLocation: `${service.url}/raw.json`,
    tier: null,
  })
  await client.call('connections.use', { id })
  return { world, service, client, clock: ports.clock, id }
}

describe('the catalog of metrics', () => {
  test('is asked once, kept a day, and shows datasets nobody knows', async () => {
    const { client, service, clock } = await open()
    const { datasets, freshness } = await client.call('discovery.catalog', {})
    expect(datasets).toMatchObject([
      { id: 'flow', fields: [{ name: 'x', label: '' }] },
      { id: 'brand_new', name: '', fields: [] },
    ])
    expect(freshness).toEqual({ fetchedAt: clock.nowMs(), generatedAt: null, source: service.url })
    await client.call('discovery.catalog', {})
    expect(service.requests).toHaveLength(1)
    clock.advance(DAY_MS)
    await client.call('discovery.catalog', {})
    expect(service.requests).toHaveLength(2)
  })

  test('is answered from what is known while the service is down or the switch is off, and says from when', async () => {
    const { client, world, clock } = await open()
    const { freshness } = await client.call('discovery.catalog', {})
    clock.advance(3 * DAY_MS)
    world.down = true
    expect((await client.call('discovery.catalog', {})).freshness).toEqual(freshness)
    await expect(client.call('discovery.catalog', { refresh: true })).rejects.toMatchObject({
      code: 'service',
      service: { message: 'maintenance' },
    })
    await client.call('settings.change', { offline: true })
    expect((await client.call('discovery.catalog', {})).datasets).toHaveLength(2)
    await expect(client.call('discovery.symbols', { exchange: 'venuea-futures' })).rejects.toMatchObject({
      code: 'not-here',
    })
  })

  test('an answer of another shape is refused and what is known stays', async () => {
    const { client, world } = await open()
    await client.call('discovery.catalog', {})
    world.catalog = { metrics: [{ name: 'no id' }] }
    await expect(client.call('discovery.catalog', { refresh: true })).rejects.toMatchObject({ code: 'bad-answer' })
    expect((await client.call('discovery.catalog', {})).datasets).toHaveLength(2)
  })
})

test('symbols are listed once each, searched in any form, and a refresh says what changed', async () => {
  const { client, world } = await open()
  const exchange = 'venuea-futures'
  const first = await client.call('discovery.symbols', { exchange })
  expect(first).toMatchObject({ symbols: ['perpetual-BTC-USDT:USDT', 'perpetual-龙-USDT:USDT'], changed: { added: 2 } })
  expect(await client.call('discovery.searchSymbols', { text: '龙', limit: 5 })).toEqual([
    { exchange, symbol: 'perpetual-龙-USDT:USDT' },
  ])
  world.symbols = ['perpetual-BTC-USDT:USDT', 'perpetual-0G-USDT:USDT']
  const { changed } = await client.call('discovery.symbols', { exchange, refresh: true })
  expect(changed).toMatchObject({ added: 1, gone: 1, examples: { added: ['perpetual-0G-USDT:USDT'] } })
})

describe('the catalog of raw events', () => {
  test('gives coverage with the number of missing days; what makes no sense is named and left out', async () => {
    const { client } = await open()
    const { rows, freshness } = await client.call('discovery.coverage', {})
    expect(rows.rows).toBe(1)
    const cell = (name: string) => {
      const column = columnOf(rows, name)
      return column && cellOf(column, 0)
    }
    expect([cell('symbol'), cell('first'), cell('days'), cell('missing')]).toEqual([
      'perpetual-BTC-USDT:USDT',
      Date.parse('2026-01-01'),
      8,
      2,
    ])
    expect(freshness.generatedAt).toBe(Date.parse('2026-11-20T01:02:03.004Z'))
    const { catalog } = await client.call('discovery.rawCatalog', {})
    expect(catalog).toMatchObject({
      schemaVersion: 1,
      previewPeriod: '2026-07',
      datasets: [{ id: 'trades', name: '', columns: [{ name: 'price', description: '' }] }],
    })
    const wrong = catalog.problems.filter((message) => message.startsWith('the coverage of'))
    expect(wrong).toHaveLength(2)
    expect(wrong.join()).toContain('perpetual-A-USDT:USDT')
  })

  test('a document with holes, or of another version, is used as far as it goes and says so', async () => {
    const { client, world } = await open()
    const read = async (raw: Record<string, unknown>) => {
      world.raw = raw
      return (await client.call('discovery.rawCatalog', { refresh: true })).catalog
    }
    const holed = await read({ schema_version: 1, datasets: [{ id: 'trades' }] })
    expect(holed).toMatchObject({ dailyFilesFrom: null, summary: [], datasets: [{ id: 'trades' }] })
    expect(holed.problems).toContain('the document has no coverage')
    const newer = await read({ ...documents().raw, schema_version: 2, datasets: 'elsewhere now' })
    expect(newer).toMatchObject({ schemaVersion: 2, dailyFilesFrom: '2026-08-01', datasets: [] })
    expect(newer.problems[0]).toMatch(/its schema_version is 2, not 1/)
    expect((await client.call('discovery.coverage', {})).rows.rows).toBe(1)
  })

  test('a document of something else is refused, and what is known stays', async () => {
    const { client, world } = await open()
    await client.call('discovery.rawCatalog', {})
    for (const other of [{ schema_version: 1, name: 'perpscope' }, ['trades'], null]) {
      world.raw = other as never
      await expect(client.call('discovery.rawCatalog', { refresh: true })).rejects.toMatchObject({ code: 'bad-answer' })
    }
    expect((await client.call('discovery.rawCatalog', {})).catalog.datasets).toHaveLength(1)
  })

  test('is read from a file just as well, by its path or address, with a byte order mark or without', async () => {
    const { client, id } = await open()
    const path = join(temporaryFolder(), 'catalog of mine.json')
    writeFileSync(path, `\uFEFF${JSON.stringify({ ...documents().raw, schema_version: 3 })}`)
    for (const catalogLocation of [path, pathToFileURL(path).href]) {
      await client.call('connections.edit', { id, catalogLocation })
      const { catalog } = await client.call('discovery.rawCatalog', { refresh: true })
      expect(catalog).toMatchObject({ schemaVersion: 3, freshness: { source: catalogLocation } })
      const tested = await client.call('connections.test', { id })
      expect(tested.find(({ service }) => service === 'catalog')).toMatchObject({
        outcome: 'ok',
        message: expect.stringContaining('schema_version is not 1'),
      })
    }
    await client.call('connections.edit', { id, catalogLocation: `${path}.gone` })
    await expect(client.call('discovery.rawCatalog', { refresh: true })).rejects.toMatchObject({ code: 'not-found' })
  })
})

test('the windows hear that something was renewed', async () => {
  const { client, id } = await open()
  const heard = heardOf(client)
  await client.call('discovery.catalog', {})
  await client.call('discovery.catalog', {})
  expect(heard).toEqual([{ connectionId: id }])
})

function heardOf(client: Client): unknown[] {
  const heard: unknown[] = []
  client.on('discovery.changed', (payload) => heard.push(payload))
  return heard
}
