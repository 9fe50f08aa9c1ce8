import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import type { AppConfig } from '#core/storage.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'

export const day = '2026-09-01'
export const venue = 'venuea-futures'
export const symbol = 'perpetual-BTC-USDT:USDT'

export const eventsOf = {
  trades: (count = 1000, more = '') =>
    `SELECT ${stampsAt(day, 'i * 1000000')}, CAST(i AS VARCHAR) AS id, CASE WHEN i % 3 = 0 THEN 'buy' ELSE 'sell' END AS side,
       100e0 + i % 7 AS price, 0.5e0 + i % 5 AS amount ${more} FROM range(${count}) t(i)`,
  quotes: (count = 1000) =>
    `SELECT ${stampsAt(day, 'i * 1000000')}, 100e0 + i % 7 AS bid_price, 1e0 AS bid_amount, 100.5e0 + i % 7 AS ask_price,
       2e0 AS ask_amount FROM range(${count}) t(i)`,
}

/** Opens a core with an empty cache, and a folder of raw files that are not in the cache. */
export async function rawWorld(config: Partial<AppConfig> = {}) {
  const dataDir = dataFolder()
  const host = fakeHost()
  const app = createApp(fakePorts(), { version: '0', dataDir, ...config })
  onTestFinished(() => app.close())
  const client = app.clientFor(host)
  const raw = await RawFolder.create()
  return {
    app,
    client,
    host,
    raw,
    dataDir,
    filesDir: join(dataDir, 'files'),
    async inspect(...paths: string[]) {
      await app.receiveFiles(paths)
      return (await client.call('raw.inspect', {})).files
    },
    /**
     * Hands the files to the app, inspects them and imports them as what the app recognizes, by default as the test's
     * venue and symbol.
     */
    async take(...paths: string[]) {
      await app.receiveFiles(paths)
      const { files } = await client.call('raw.inspect', {})
      const wanted = files.map((file) => ({
        id: file.id,
        exchange: file.exchange ?? venue,
        symbol: file.symbol ?? symbol,
      }))
      return (await client.call('raw.import', { files: wanted })).files
    },
  }
}
