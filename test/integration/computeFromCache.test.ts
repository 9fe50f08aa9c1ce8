import { expect, test } from 'vitest'
import { join } from 'node:path'
import { computeMetrics } from '#core/compute/compute.ts'
import { openCacheFolder } from '#core/store/cacheFolder.ts'
import { differences, readTable } from '../conformance/compareMetrics.ts'
import { downloadWorld } from '../fakes/downloadWorld.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const day = '2026-09-02'

test('metrics computed from raw events in the cache equal the files of the service', async () => {
  const { app, client, connectionId, dataDir, fetch } = await downloadWorld()
  const { symbols } = await client.call('discovery.symbols', { connectionId, exchange: 'venuea-futures' })
  const symbol = symbols.find((each) => each.includes('龙')) ?? symbols[0]
  const series = { exchanges: ['venuea-futures'], symbols: [symbol], startDay: day, endDay: day }
  const raw = await fetch({ ...series, kind: 'raw', datasets: ['trades'] })
  expect(raw.map(({ state, outcome }) => [state, outcome])).toEqual([['done', 'downloaded']])
  await fetch({ ...series, datasets: ['ohlcv'], intervals: ['1h'] })

  const path = join(temporaryFolder(), 'ohlcv.parquet')
  const { missing } = await computeMetrics({
    outputs: [{ dataset: 'ohlcv', path }],
    intervalSeconds: 3600,
    timestamp: 'exchange',
    startDay: day,
    endDay: '2026-09-03',
    findFiles: app.cachedRawFileFinder({ connectionId, exchange: 'venuea-futures', symbol }),
  })
  expect(missing).toEqual([])
  const served = openCacheFolder(dataDir).pathOf(
    {
      connectionId,
      kind: 'metrics',
      dataset: 'ohlcv',
      exchange: 'venuea-futures',
      symbol,
      interval: '1h',
      timestamp: 'exchange',
    },
    day,
  )
  expect(differences(readTable(served), readTable(path))).toEqual([])
})

test('what is not in the cache is named, not invented', async () => {
  const { app, connectionId } = await downloadWorld()
  const findFiles = app.cachedRawFileFinder({
    connectionId,
    exchange: 'venuea-futures',
    symbol: 'perpetual-BTC-USDT:USDT',
  })
  expect(findFiles('trades')).toEqual([])
})
