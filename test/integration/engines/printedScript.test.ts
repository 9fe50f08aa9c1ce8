import { beforeEach, expect, it } from 'vitest'
import { engineScript } from '#shared/engines/script.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

const DAY = '2026-08-01'
const trades = (amount: number) =>
  `SELECT ${stampsAt(DAY, 'i * 1000000')}, i::VARCHAR AS id, 'buy' AS side, 100.0 AS price, ${amount}.0 AS amount FROM range(60) AS t(i)`

let raw: RawFolder
beforeEach(async () => {
  raw = await RawFolder.create()
})

/** Runs the printed script and returns the volume that it computes for the day. */
async function scriptVolume(): Promise<unknown> {
  const script = engineScript('duckdb', {
    datasets: ['ohlcv'],
    exchange: 'venuea-futures',
    symbol: 'perpetual-BTC-USDT:USDT',
    interval: '1h',
    intervalSeconds: 3600,
    timestamp: 'exchange',
    startUs: Date.parse(DAY) * 1000,
    endUs: Date.parse('2026-08-02') * 1000,
    raw: { kind: 'folder', address: raw.folder },
    out: null,
  })
  const rows = await raw.db.runAndReadAll(script)
  return rows.getRowObjects()[0].volume
}

async function localVolume(): Promise<unknown> {
  const pool = createComputePool(1)
  try {
    await raw.compute(['ohlcv'], { start: DAY }, { pool })
  } finally {
    await pool.close()
  }
  const rows = await raw.db.runAndReadAll(`SELECT volume FROM '${raw.outputPath('ohlcv')}'`)
  return rows.getRowObjects()[0].volume
}

it('reads only files that are named by their period, so that a copy does not count twice', async () => {
  await raw.write('trades', DAY, trades(1))
  await raw.write('trades', `${DAY} (copy)`, trades(1))
  expect(await scriptVolume()).toBe(60)
  expect(await localVolume()).toBe(60)
})

it('reads the files of a shared store, as compute does', async () => {
  await raw.write('trades', `${DAY}.0123456789abcdef`, trades(2))
  expect(await scriptVolume()).toBe(120)
  expect(await localVolume()).toBe(120)
})

it('fails if a day is in two files', async () => {
  await raw.write('trades', DAY, trades(1))
  await raw.write('trades', '2026-08', trades(1))
  await expect(scriptVolume()).rejects.toThrow('no day may be in two of them')
  await expect(localVolume()).rejects.toThrow('both contain 2026-08-01')
})

it('fails if a day is in a store with two contents', async () => {
  await raw.write('trades', `${DAY}.0123456789abcdef`, trades(1))
  await raw.write('trades', `${DAY}.fedcba9876543210`, trades(2))
  await expect(scriptVolume()).rejects.toThrow('no day may be in two of them')
})

it('fails if no file is named by its period, instead of computing nothing', async () => {
  await raw.write('trades', 'part-0', trades(1))
  await expect(scriptVolume()).rejects.toThrow('must be named by day or month')
})
