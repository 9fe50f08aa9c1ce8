import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { announcementOf } from '../../../electron/sandbox/announcement.ts'
import { readParquet, timesMs } from '../../fakes/readParquet.ts'
import { get, startTestSandbox, type FileRequest, type TestSandbox } from '../../fakes/testSandbox.ts'

let sandbox: TestSandbox
beforeAll(async () => {
  sandbox = await startTestSandbox()
})
afterAll(() => sandbox.close())

const table = async (request: FileRequest) => await readParquet(await sandbox.file(request))

describe('a dataset that the documents lack', () => {
  const columns = ['last_price', 'index_price', 'mark_price'].flatMap((name) => [name, `${name}_pct_change`]).sort()
  const day = { start: '2026-09-10', interval: '15m' }

  test('is listed with its fields, like any', async () => {
    const { metrics } = (await sandbox.api('/metadata/catalog')).json<{
      metrics: { id: string; category: string; fields: { name: string; description: string }[] }[]
    }>()
    const [entry, ...others] = metrics.filter(({ id }) => !isMetricDatasetId(id))
    expect(others).toEqual([])
    expect(entry).toMatchObject({ id: 'derivative_price', category: 'Derivatives' })
    expect(entry.fields.map(({ name }) => name).sort()).toEqual(columns)
  })

  test.each(['exchange', 'true'])(
    'has the last prices of each interval and their changes, by %s',
    async (timestamp) => {
      const file = await table({ bucket: 'derivative_price', timestamp, ...day })
      const candles = await table({ bucket: 'ohlcv', timestamp, ...day })
      expect(Object.keys(file.columns).sort()).toEqual([...columns, 'time'].sort())
      expect(timesMs(file)).toEqual(timesMs(candles))
      expect(file.numbers('last_price')).toEqual(candles.numbers('close'))
      const opens = candles.numbers('open')
      const changes = candles.numbers('close').map((close, row) => ((close - opens[row]) / opens[row]) * 100)
      expect(file.numbers('last_price_pct_change')).toEqual(changes)
      for (const [row, mark] of file.numbers('mark_price').entries())
        expect(Math.abs(mark / file.numbers('index_price')[row] - 1)).toBeLessThan(0.01)
    },
  )

  test('ends with the last full minute of a day that is not over', async () => {
    const times = timesMs(await table({ bucket: 'derivative_price', start: '2026-09-15' }))
    expect(new Date(times.at(-1)!).toISOString()).toBe('2026-09-15T12:00:00.000Z')
    expect(times).toHaveLength(13)
  })

  test('needs a key of its tier', async () => {
    const asked = (tier: '0' | '1') => sandbox.data({ bucket: 'derivative_price', start: '2026-09-10', tier })
    expect([(await asked('0')).status, (await asked('1')).status]).toEqual([403, 200])
  })
})

describe.each([
  ['future-BTC-USDT:USDT-20261225', ['funding_rate']],
  ['ETH-USDT', ['mark_price', 'index_price', 'funding_rate', 'open_interest']],
])('%s, which is no perpetual', (symbol, absent) => {
  const day = { symbol, start: '2026-09-10' }

  test('is listed, and has files of what it has', async () => {
    const { symbols } = (await sandbox.api('/metadata/symbols?exchange=venuea-futures')).json<{ symbols: string[] }>()
    expect(symbols).toContain(symbol)
    expect((await table({ bucket: 'ohlcv', ...day })).rows).toBe(24)
    const [trades] = await sandbox.rawDataFiles({ dataset: 'trades', ...day })
    expect((await get(trades.url)).bytes).toHaveLength(trades.size)
  })

  test('has nothing of what it lacks', async () => {
    expect(await sandbox.files({ bucket: 'funding', ...day })).toEqual([])
    const { coverage } = (await get(sandbox.catalogUrl)).json<{
      coverage: { datasets: Record<string, Record<string, Record<string, object>>> }
    }>()
    const lacks = Object.entries(coverage.datasets).filter(([, venues]) => !venues['venuea-futures'][symbol])
    expect(lacks.map(([dataset]) => dataset)).toEqual(absent)
    for (const dataset of absent) expect(await sandbox.rawDataFiles({ dataset, ...day })).toEqual([])
    expect(announcementOf(sandbox).funding.filter((truth) => truth.symbol === symbol)).toEqual([])
  })
})
