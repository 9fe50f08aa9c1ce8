import { expect, test } from 'vitest'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { downloadWorld, hourly } from '../../fakes/downloadWorld.ts'

test('a service that changes to daily files on another date is planned by its own date, also when the date moves', async () => {
  const { client, sandbox, fetch, connectionId } = await downloadWorld({
    sandbox: { faults: { dailyFilesFrom: '2026-07-01' } },
  })
  await client.call('connections.edit', { id: connectionId, catalogLocation: sandbox.catalogUrl })
  const days = { startDay: '2026-06-29', endDay: '2026-07-02' }
  const planned = async () => {
    const frame = await client.call('downloads.plan', { request: { connectionId, ...hourly, ...days } })
    const column = columnOf(frame, 'period')!
    return Array.from({ length: frame.rows }, (_, row) => cellOf(column, row))
  }
  expect(await planned()).toEqual(['2026-06', '2026-07'])
  await client.call('discovery.rawCatalog', { connectionId, refresh: true })
  expect(await planned()).toEqual(['2026-06', '2026-07-01', '2026-07-02'])
  const fetched = await fetch(days)
  expect(fetched.map(({ period, state, outcome }) => [period, state, outcome]).toSorted()).toEqual([
    ['2026-06', 'done', 'downloaded'],
    ['2026-07-01', 'done', 'downloaded'],
    ['2026-07-02', 'done', 'downloaded'],
  ])
  const { periods: calendar } = await client.call('coverage.periods', {
    connectionId,
    kind: 'metrics',
    dataset: 'vtwap',
    exchange: 'venuea-futures',
    symbol: hourly.symbols[0],
    interval: '1h',
    timestamp: 'exchange',
    ...days,
  })
  expect(calendar.map(({ period }) => period)).toEqual(['2026-06', '2026-07-01', '2026-07-02'])

  sandbox.setFaults({ dailyFilesFrom: '2026-09-01' })
  await client.call('discovery.rawCatalog', { connectionId, refresh: true })
  expect(await planned()).toEqual(['2026-06', '2026-07'])
  const more = await fetch(days)
  expect(more.every(({ state }) => state === 'done')).toBe(true)
})
