import { readdirSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { columnOf } from '#shared/contract/frame.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'
import { downloadWorld } from '../../fakes/downloadWorld.ts'
import { day, eventsOf, rawWorld, symbol, venue } from './rawWorld.ts'

/** Rarely traded symbol, so that its day is computed quickly. */
const smallSymbol = 'perpetual-AVAX-USDT:USDT'
const startMs = Date.parse(day)
const startDay = startMs / MS_PER_DAY
const request = { exchange: venue, symbol, timestamp: 'exchange' as const, startDay, endDay: startDay + 2 }

test('computed series are read like served ones, have an owner of their own, and name the days they lack', async () => {
  const { raw, client, take } = await rawWorld()
  await take(await raw.write('trades', day, eventsOf.trades(20_000)))
  const [{ id: connectionId }] = await client.call('connections.list', {})
  const done = await client.call('raw.compute', { ...request, datasets: ['ohlcv', 'l1_price'], interval: '90m' })
  expect(done).toMatchObject({ files: 1, rows: 4 })
  expect(done.missing).toEqual([`${day}: no raw events for l1_price`, '2026-09-02: no raw events for ohlcv, l1_price'])

  const series = { dataset: 'ohlcv', exchange: venue, symbol, interval: '90m', timestamp: 'exchange' as const }
  const range = { startMs, endMs: startMs + MS_PER_DAY }
  const computed = await client.call('series.read', { connectionId: computedOwner(connectionId), ...series, ...range })
  expect([...columnOf(computed.rows, 'open')!.values]).toEqual([100, 103, 106, 102])
  const overview = await client.call('series.overview', {
    connectionId: computedOwner(connectionId),
    ...series,
    ...range,
    columns: ['close'],
  })
  expect(overview.points.frame.rows).toBe(4)
  // An empty connection id selects the connection in use; days that were not computed count as absent, not as
  // downloadable.
  const wide = { startMs: startMs - MS_PER_DAY, endMs: startMs + 2 * MS_PER_DAY }
  const active = { connectionId: computedOwner(''), ...series }
  const again = await client.call('series.overview', { ...active, ...wide, columns: ['close'] })
  expect(again.points.frame.rows).toBe(4)
  expect(again.coverage.map(({ state }) => state)).toEqual(['absent', 'cached', 'absent'])
  const listed = await client.call('coverage.cachedSeries', { connectionId: computedOwner('') })
  expect(listed.rows).toBe(1)
  const beside = await client.call('series.evaluate', {
    formula: 'c - s',
    inputs: { c: { ...active, column: 'close' }, s: { ...series, column: 'close' } },
    ...range,
  })
  expect(Object.values(beside.inputs).map(({ files }) => files.length)).toEqual([1, 0])
  const served = await client.call('series.read', { ...series, ...range })
  expect(served.rows.rows).toBe(0)
  expect(await client.call('cache.verify', {})).toMatchObject({ files: 2, broken: 0, harmless: 0 })
  await expect(client.call('raw.reconcile', { ...series, ...range })).rejects.toMatchObject({ code: 'not-here' })
  await client.call('cache.removeConnectionData', { connectionId })
  expect(await client.call('cache.verify', {})).toMatchObject({ files: 0, broken: 0, harmless: 0 })
})

test('cancelled, the days that were done stay, and nothing of the others', async () => {
  const { raw, client, take, filesDir } = await rawWorld()
  const days = ['2026-09-01', '2026-09-02', '2026-09-03']
  await take(
    ...(await Promise.all(days.map((one) => raw.write('trades', one, eventsOf.trades(500).replaceAll(day, one))))),
  )
  const controller = new AbortController()
  const onProgress = ({ message }: { message: string }) => message === days[1] && controller.abort()
  const wanted = { ...request, datasets: ['ohlcv' as const], interval: '2m', endDay: startDay + 3 }
  await expect(client.call('raw.compute', wanted, { signal: controller.signal, onProgress })).rejects.toMatchObject({
    code: 'cancelled',
  })
  const { series } = await client.call('raw.computed', { exchange: venue, symbol })
  expect(series).toMatchObject([{ interval: '2m', startDay }])
  expect(series[0].files).toBeLessThan(3)
  expect(await client.call('cache.verify', {})).toMatchObject({ broken: 0, harmless: 0 })
  const names = readdirSync(filesDir, { recursive: true }) as string[]
  expect(names.filter((name) => name.includes('.part'))).toEqual([])
})

test('what cannot be computed is reported', async () => {
  const { client } = await rawWorld()
  const ask = (datasets: ['flow' | 'l2_imbalance'], interval = '1m') =>
    client.call('raw.compute', { ...request, datasets, interval })
  await expect(ask(['flow'])).rejects.toMatchObject({ code: 'not-here' })
  await expect(ask(['l2_imbalance'])).rejects.toMatchObject({ code: 'unsupported' })
  await expect(ask(['flow'], '7h')).rejects.toMatchObject({ code: 'bad-input' })
})

const fromRawEvents = metricDatasets.filter(({ drivingSource }) => drivingSource !== 'book').map(({ id }) => id)

test.each(timestampSources)(
  'on the sandbox, all that is computed here by %s time agrees with what is served, column by column; the report says so',
  async (timestamp) => {
    const { app, client, connectionId, fetch } = await downloadWorld()
    const series = { exchanges: [venue], symbols: [smallSymbol], startDay: '2026-09-02', endDay: '2026-09-02' }
    const raw = { ...series, kind: 'raw' as const, datasets: rawDatasets.map(({ id }) => id) }
    // The computation also reads the day before; by arrival time, events of the day may lie in the files of both
    // neighbouring days.
    await fetch({ ...raw, startDay: day, endDay: '2026-09-03' })
    await fetch({ ...series, datasets: fromRawEvents, intervals: ['15m'], timestamps: [timestamp] })
    const range = { startDay: startDay + 1, endDay: startDay + 2 }
    const place = { connectionId, exchange: venue, symbol: smallSymbol, interval: '15m', timestamp }
    await client.call('raw.compute', { ...place, ...range, datasets: fromRawEvents })
    for (const dataset of fromRawEvents) {
      const question = { ...place, dataset, startMs: startMs + MS_PER_DAY, endMs: startMs + 2 * MS_PER_DAY }
      const report = await client.call('raw.reconcile', question)
      expect([dataset, report.compared > 80, report.onlyComputed, report.onlyServed]).toEqual([dataset, true, 0, 0])
      const apart = report.columns.filter(({ agree, rows, isInBoth }) => !isInBoth || agree !== rows)
      expect([dataset, apart]).toEqual([dataset, []])
      const host = fakeHost()
      await app.clientFor(host).call('raw.exportReconciliation', { ...question, format: 'csv' })
      expect(host.saved[0].text.split('\n').filter(Boolean).length).toBe(report.columns.length + 1)
    }
  },
  60_000,
)

test('a computed day says when the events it was made from were replaced, removed, or came since', async () => {
  const { raw, app, client, take } = await rawWorld()
  const write = async (dataset: 'trades' | 'quotes', on: string, count: number) =>
    raw.write(dataset, on, eventsOf[dataset](count).replaceAll(day, on))
  const next = '2026-09-02'
  await take(await write('trades', day, 1000), await write('trades', next, 1000), await write('quotes', next, 1000))
  const compute = (more = {}) =>
    client.call('raw.compute', { ...request, datasets: ['ohlcv', 'slippage'], interval: '1h', ...more })
  await compute({ startDay, endDay: startDay + 2 })
  const outdated = async () => {
    const { series } = await client.call('raw.computed', { exchange: venue, symbol })
    return Object.fromEntries(series.map(({ dataset, outdatedDays }) => [dataset, outdatedDays]))
  }
  expect(await outdated()).toEqual({ ohlcv: [], slippage: [] })

  // The computation of slippage also reads the quotes of the day before.
  await take(await write('quotes', day, 1000))
  expect(await outdated()).toEqual({ ohlcv: [], slippage: [startDay, startDay + 1] })

  await app.receiveFiles([await write('trades', next, 500)])
  const [{ id }] = (await client.call('raw.inspect', {})).files
  await client.call('raw.import', { files: [{ id, exchange: venue, symbol, replace: true }] })
  expect(await outdated()).toEqual({ ohlcv: [startDay + 1], slippage: [startDay, startDay + 1] })

  await compute()
  expect(await outdated()).toEqual({ ohlcv: [], slippage: [] })

  const { files } = await client.call('cache.list', { kind: 'raw', datasets: ['trades'] })
  rmSync(files.find(({ period }) => period === next)!.path)
  await client.call('cache.repair', { connectionId: '' })
  expect(await outdated()).toEqual({ ohlcv: [startDay + 1], slippage: [startDay + 1] })
})
