import { DuckDBInstance } from '@duckdb/node-api'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { BTC, downloadWorld } from '../../fakes/downloadWorld.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { exportedFiles, timesInFiles } from '../../peers/exportedFiles.ts'

async function duckDb(cwd: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  await connection.run("SET TimeZone = 'America/New_York'")
  await connection.run(`SET file_search_path = '${cwd}'`)
  return async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJS()
}

it.each(timesInFiles)(
  'the README of a Hive export and the pasted snippet are right in DuckDB, times being %s',
  async (times) => {
    const { folder, readme, snippet, minutes, rows } = await exportedFiles(times)
    const run = await duckDb(folder)
    const example = await run(readme('DuckDB'))
    expect(example.map(({ at, time }) => Number(at ?? time))).toEqual(minutes.time)
    expect(new Set(example.map(({ symbol }) => symbol))).toEqual(new Set([BTC]))
    const pasted = await run(await snippet('DuckDB'))
    expect(pasted.map(({ time }) => Number(time))).toEqual(rows.time)
    expect(pasted.map(({ vwap }) => vwap)).toEqual(rows.vwap)
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
      times === 'of mixed types' ? 'in milliseconds since 1970-01-01 UTC' : '`time` is a timestamp in UTC',
    )
  },
)

it('named series are exported alone, not every combination of their names', async () => {
  const { app, fetch, connectionId } = await downloadWorld()
  const symbols = [BTC, 'perpetual-ETH-USDT:USDT']
  await fetch({ datasets: ['vtwap', 'returns'], symbols, startDay: '2026-09-01', endDay: '2026-09-01' })
  const folder = join(temporaryFolder(), 'exported')
  const host = {
    ...fakeHost(),
    async saveFolder(name: string, write: (path: string) => Promise<void>) {
      await write(folder)
      return { name, path: folder }
    },
  }
  const hourly = { exchange: 'venuea-futures', interval: '1h', timestamp: 'exchange' }
  const series = [
    { ...hourly, dataset: 'vtwap', symbol: symbols[0] },
    { ...hourly, dataset: 'returns', symbol: symbols[1] },
  ]
  const input = { connectionId, kind: 'metrics' as const, series, startMs: null, endMs: null }
  expect(await app.clientFor(host).call('series.exportHive', input)).toMatchObject({ files: 2 })
  const venue = (dataset: string) => readdirSync(join(folder, `dataset=${dataset}`, 'exchange=venuea-futures'))
  expect(venue('vtwap')).toEqual([expect.stringContaining('BTC')])
  expect(venue('returns')).toEqual([expect.stringContaining('ETH')])
  expect(existsSync(join(folder, 'README.md'))).toBe(true)
})
