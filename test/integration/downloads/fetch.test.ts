import { readFileSync, readdirSync, statSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { downloadWorld } from '../../fakes/downloadWorld.ts'
import { readParquet } from '../../fakes/readParquet.ts'

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort()

describe('a download from the service', () => {
  test('brings files into the folder that others can read, indexed with their facts', async () => {
    const { fetch, dataDir, connectionId, client } = await downloadWorld()
    const downloads = await fetch()
    expect(downloads.map(({ state, outcome, error }) => [state, outcome, error])).toEqual(
      Array.from({ length: 4 }, () => ['done', 'downloaded', null]),
    )
    const folder = join(dataDir, 'files', connectionId)
    const series =
      'metrics/dataset=vtwap/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT/interval=1h/timestamp=exchange'
    const days = ['2026-09-01', '2026-09-02', '2026-09-03', '2026-09-04']
    expect(filesBelow(folder)).toEqual(days.map((day) => `${series}/${day}.parquet`))
    const bytes = Uint8Array.from(readFileSync(join(folder, series, '2026-09-01.parquet')))
    const table = await readParquet(bytes)
    expect(table.rows).toBe(24)
    expect(downloads.find(({ period }) => period === '2026-09-01')?.totalBytes).toBe(bytes.length)
    expect(createHash('sha256').update(bytes).digest('hex')).toHaveLength(64)
    const preview = await client.call('downloads.preview', {
      request: {
        datasets: ['vtwap'],
        exchanges: ['venuea-futures'],
        symbols: ['perpetual-BTC-USDT:USDT'],
        intervals: ['1h'],
        startDay: '2026-09-01',
        endDay: '2026-09-05',
      },
    })
    expect(preview).toMatchObject({ files: { cached: 4, missing: 1 }, toFetch: 1 })
  })

  test('keeps its connection at its address: files of two services are never mixed', async () => {
    const { fetch, client, connectionId: id } = await downloadWorld()
    await fetch()
    const elsewhere = { id, metricsUrl: 'https://elsewhere.example' }
    await expect(client.call('connections.edit', elsewhere)).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('has files from http://127.0.0.1'),
    })
    await client.call('connections.edit', { id, name: 'Another name' })
    const moved = await client.call('connections.edit', { ...elsewhere, sameService: true })
    expect(moved).toMatchObject({ metricsUrl: 'https://elsewhere.example', name: 'Another name' })
    expect((await client.call('cache.list', { connectionId: id, after: null, limit: 10 })).total.files).toBe(4)
    await client.call('cache.removeConnectionData', { connectionId: id })
    const third = await client.call('connections.edit', { id, metricsUrl: 'https://third.example' })
    expect(third.metricsUrl).toBe('https://third.example')
  })

  test('ends with word of it, counting what came', async () => {
    const { enqueue, client } = await downloadWorld()
    const finished = new Promise((resolve) => client.on('downloads.finished', resolve))
    await enqueue()
    expect(await finished).toEqual({ done: 4, failed: 0 })
  })
})
