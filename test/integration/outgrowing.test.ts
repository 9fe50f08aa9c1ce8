import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { duckdbSnippets } from '../../renderer/views/guide/sections/outgrowing.ts'
import { BTC, downloadWorld } from '../fakes/downloadWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

test.each([
  { times: 'of one type', laterTime: 'int64' },
  { times: 'of mixed types', laterTime: 'naiveUs' },
] as const)(
  'the guide’s snippets for DuckDB read the cache as it lies there, times being $times',
  async ({ laterTime }) => {
    const { fetch, sandbox, dataDir, connectionId } = await downloadWorld()
    // The service publishes a monthly file and daily files.
    await fetch({ datasets: ['vtwap'], startDay: '2026-07-01', endDay: '2026-07-31' })
    sandbox.setFaults({ files: { time: laterTime } })
    await fetch({ datasets: ['vtwap'], startDay: '2026-08-01', endDay: '2026-08-02' })
    await fetch({ datasets: ['returns'], startDay: '2026-08-01', endDay: '2026-08-02' })
    const cache = join(dataDir, 'files', connectionId)
    const out = join(temporaryFolder(), 'copied')
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const run = async (snippet: string) =>
      (
        await connection.runAndReadAll(
          snippet.replaceAll('VENUE', 'venuea-futures').replaceAll('CACHE', cache).replaceAll('OUT', out),
        )
      ).getRowObjects()

    const [overview, series, copy] = duckdbSnippets
    const hours = 33 * 24
    const facts = { exchange: 'venuea-futures', symbol: BTC, interval: '1h' }
    expect(await run(overview)).toEqual([
      expect.objectContaining({ ...facts, dataset: 'returns', rows: 48n }),
      expect.objectContaining({ ...facts, dataset: 'vtwap', rows: BigInt(hours) }),
    ])
    const rows = await run(series)
    expect(rows).toHaveLength(hours)
    expect(rows.map(({ time }) => String(time))).toEqual(
      Array.from({ length: hours }, (_, hour) =>
        new Date(Date.UTC(2026, 6, 1, hour)).toISOString().slice(0, 19).replace('T', ' '),
      ),
    )
    expect(Object.keys(rows[0])).toEqual(expect.arrayContaining(['time', 'dataset', 'symbol']))
    await run(copy)
    expect(existsSync(out)).toBe(true)
    expect(readdirSync(out)).toEqual(['exchange=venuea-futures'])
    expect(
      await run("SELECT count(*) AS rows FROM read_parquet('OUT/**/*.parquet', hive_partitioning = true)"),
    ).toEqual([{ rows: BigInt(hours) }])
  },
)
