import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { createComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { computeOnDuckDb } from '#core/engines/duckdbCompute.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

const pool = createComputePool(1)
afterAll(() => pool.close())

it('removes the temporary folders of runs that were killed, and its own', async () => {
  const temporary = temporaryFolder()
  // Other files of the same worker have their folders elsewhere.
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('TMPDIR', temporary)
  vi.stubEnv('TEMP', temporary)
  const endedPid = spawnSync(process.execPath, ['--version']).pid
  for (const owner of [`${endedPid}-killed`, `${process.pid}-running`, 'older'])
    mkdirSync(join(temporary, `perpscope-duckdb-${owner}`))
  const raw = await RawFolder.create()
  await raw.write(
    'trades',
    '2026-08-01',
    `SELECT ${stampsAt('2026-08-01', 'i')}, i::VARCHAR AS id, 'buy' AS side, 1.0 AS price, 1.0 AS amount FROM range(9) AS t(i)`,
  )
  const { outputs } = await computeOnDuckDb(
    {
      outputs: [{ dataset: 'ohlcv', path: raw.outputPath('ohlcv') }],
      intervalSeconds: 3600,
      timestamp: 'exchange',
      startDay: '2026-08-01',
      endDay: '2026-08-02',
      findFiles: rawFileFinder(raw.folder, 'venuea-futures', 'perpetual-BTC-USDT:USDT'),
    },
    { pool },
  )
  expect(outputs).toMatchObject([{ rows: 1 }])
  expect(
    readdirSync(temporary)
      .filter((name) => name.startsWith('perpscope-duckdb-'))
      .sort(),
  ).toEqual([`perpscope-duckdb-${process.pid}-running`, 'perpscope-duckdb-older'])
})
