import { expect, test } from 'vitest'
import { columnOf } from '#shared/contract/frame.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { fakeHost } from '../../fakes/fakePorts.ts'
import { downloadWorld } from '../../fakes/downloadWorld.ts'
import { day, eventsOf, rawWorld, symbol, venue } from './rawWorld.ts'

const startMs = Date.parse(day)
const startDay = startMs / MS_PER_DAY
const order = { exchange: venue, symbol, timestamp: 'exchange' as const, startDay, endDay: startDay + 2 }

test('computed series are read like served ones, of an owner of their own, and name the days they lack', async () => {
  const { raw, client, take } = await rawWorld()
  await take(await raw.write('trades', day, eventsOf.trades(20_000)))
  const [{ id: connectionId }] = await client.call('connections.list', {})
  const done = await client.call('raw.compute', { ...order, datasets: ['ohlcv', 'l1_price'], interval: '90m' })
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
  const served = await client.call('series.read', { ...series, ...range })
  expect(served.rows.rows).toBe(0)
  expect(await client.call('cache.verify', {})).toMatchObject({ files: 2, broken: 0, harmless: 0 })
  await expect(client.call('raw.reconcile', { ...series, ...range })).rejects.toMatchObject({ code: 'not-here' })
  await client.call('cache.removeConnectionData', { connectionId })
  expect(await client.call('cache.verify', {})).toMatchObject({ files: 0, broken: 0, harmless: 0 })
})

test('what cannot be computed is said', async () => {
  const { client } = await rawWorld()
  const ask = (datasets: ['flow' | 'l2_imbalance'], interval = '1m') =>
    client.call('raw.compute', { ...order, datasets, interval })
  await expect(ask(['flow'])).rejects.toMatchObject({ code: 'not-here' })
  await expect(ask(['l2_imbalance'])).rejects.toMatchObject({ code: 'unsupported' })
  await expect(ask(['flow'], '7h')).rejects.toMatchObject({ code: 'bad-input' })
})

test('on the sandbox, what is computed here agrees with what is served, column by column; the report says so', async () => {
  const { app, client, connectionId, fetch } = await downloadWorld()
  const sets = ['flow', 'ohlcv', 'funding', 'basis'] as const
  const series = { exchanges: [venue], symbols: [symbol], startDay: '2026-09-02', endDay: '2026-09-02' }
  await fetch({
    ...series,
    kind: 'raw',
    datasets: ['trades', 'mark_price', 'index_price', 'funding_rate'],
    startDay: day,
  })
  await fetch({ ...series, datasets: [...sets], intervals: ['5m'] })
  const range = { startDay: startDay + 1, endDay: startDay + 2 }
  await client.call('raw.compute', { ...order, ...range, connectionId, datasets: [...sets], interval: '5m' })
  for (const dataset of sets) {
    const question = {
      connectionId,
      dataset,
      exchange: venue,
      symbol,
      interval: '5m',
      timestamp: 'exchange' as const,
      startMs: startMs + MS_PER_DAY,
      endMs: startMs + 2 * MS_PER_DAY,
    }
    const report = await client.call('raw.reconcile', question)
    expect(report.compared).toBeGreaterThan(200)
    expect(report).toMatchObject({ onlyComputed: 0, onlyServed: 0 })
    expect(report.columns.length).toBeGreaterThanOrEqual(3)
    for (const { name, agree, rows, isInBoth } of report.columns)
      expect([name, agree, isInBoth]).toEqual([name, rows, true])
    const host = fakeHost()
    await app.clientFor(host).call('raw.exportReconciliation', { ...question, format: 'csv' })
    expect(host.saved[0].text.split('\r\n').filter(Boolean).length).toBe(report.columns.length + 1)
  }
})
