import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { BTC, downloadWorld, hourly } from '../../fakes/downloadWorld.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'

const HOUR_MS = 3_600_000
const hoursOf = (day: string, count = 24) =>
  Array.from({ length: count }, (_, hour) => Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS)

const fileOf = (timesMs: readonly number[], firstValue = 1) =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'time', data: timesMs.map(BigInt), type: 'INT64' },
        { name: 'vwap', data: timesMs.map((_, row) => row + firstValue), type: 'DOUBLE' },
      ],
    }),
  )

/** Opens a download world whose service sends rows at the given times for every requested day. */
async function worldWith(timesMs: readonly number[]) {
  const world = await downloadWorld()
  const bytes = fileOf(timesMs)
  const service = await fakeService((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service')
    if (pathname === '/file') return void response.end(bytes)
    const [year, month, day] = searchParams.get('start_date')!.split('-').map(Number)
    sendJson(response, { files: [{ year, month, day, url: `${service.url}/file` }] })
  })
  await world.client.call('connections.edit', { id: world.connectionId, metricsUrl: service.url })
  await world.client.call('keys.set', { connectionId: world.connectionId, service: 'metrics', key: 'any-key' })
  return world
}

const oneDay = { startDay: '2026-09-02', endDay: '2026-09-02' }

test.each([
  ['of the day before', hoursOf('2026-09-01')],
  ['of another year', hoursOf('2025-09-02')],
  ['before and after its day', [...hoursOf('2026-09-01'), ...hoursOf('2026-09-03')]],
])('a file with rows %s alone is refused with that reason, and the day stays missing', async (_, timesMs) => {
  const { client, fetch } = await worldWith(timesMs)
  expect(await fetch(oneDay)).toMatchObject([
    {
      state: 'failed',
      error: {
        code: 'bad-answer',
        detail: 'The downloaded file for 2026-09-02 cannot be used: none of its rows is in its period.',
      },
    },
  ])
  const plan = await client.call('downloads.preview', { request: { ...hourly, ...oneDay } })
  expect(plan.files).toMatchObject({ cached: 0, missing: 1 })
})

test('a file with rows of its day beside others is kept; readers leave the others out and the quality page names them', async () => {
  const { client, connectionId, fetch } = await worldWith([...hoursOf('2026-09-02'), ...hoursOf('2026-09-03', 2)])
  expect(await fetch(oneDay)).toMatchObject([{ outcome: 'downloaded' }])
  const series = { connectionId, kind: 'metrics', dataset: 'vtwap', exchange: 'venuea-futures', symbol: BTC } as const
  const range = { startMs: hoursOf('2026-09-01')[0], endMs: hoursOf('2026-09-05')[0], limitRows: 1000 }
  const { rows } = await client.call('series.read', {
    ...series,
    interval: '1h',
    timestamp: 'exchange',
    columns: [],
    ...range,
  })
  expect([...rows.columns[0].values].map(Number)).toEqual(hoursOf('2026-09-02'))
  const { findings } = await client.call('quality.check', { connectionId })
  expect(findings).toMatchObject([
    { kind: 'impossible', column: 'time', count: 2, detail: 'times outside the period of the file' },
  ])
})

test('a month that also has files of some days is read from both, and those days win', async () => {
  const world = await downloadWorld()
  const days = Array.from({ length: 31 }, (_, day) => `2026-07-${String(day + 1).padStart(2, '0')}`)
  const fileByPath = new Map([
    ['/month', fileOf(days.flatMap((day) => hoursOf(day)))],
    ['/day', fileOf(hoursOf('2026-07-30'), 9000)],
  ])
  const service = await fakeService((request, response) => {
    const bytes = fileByPath.get(request.url!)
    if (bytes) return void response.end(bytes)
    const files = [
      { year: 2026, month: 7, url: `${service.url}/month` },
      { year: 2026, month: 7, day: 30, url: `${service.url}/day` },
      // 31 February does not exist.
      { year: 2026, month: 2, day: 31, url: `${service.url}/none` },
    ]
    sendJson(response, { files })
  })
  await world.client.call('connections.edit', { id: world.connectionId, metricsUrl: service.url })
  await world.client.call('keys.set', { connectionId: world.connectionId, service: 'metrics', key: 'any-key' })
  const downloads = await world.fetch({ startDay: '2026-07-29', endDay: '2026-07-31' })
  expect(downloads.map(({ period, outcome }) => `${period} ${outcome}`).toSorted()).toEqual([
    '2026-07 downloaded',
    '2026-07-30 downloaded',
  ])
  const { rows } = await world.client.call('series.read', {
    connectionId: world.connectionId,
    kind: 'metrics',
    dataset: 'vtwap',
    exchange: 'venuea-futures',
    symbol: BTC,
    interval: '1h',
    timestamp: 'exchange',
    columns: ['vwap'],
    startMs: hoursOf('2026-07-29')[23],
    endMs: hoursOf('2026-07-31')[1],
    limitRows: 1000,
  })
  const values = [...rows.columns[1].values]
  expect([values.length, values[0], values[1], values[24], values[25]]).toEqual([26, 696, 9000, 9023, 721])
})

test('a file without rows is kept, because a day may have none', async () => {
  const { fetch } = await worldWith([])
  expect(await fetch(oneDay)).toMatchObject([{ outcome: 'downloaded' }])
})
