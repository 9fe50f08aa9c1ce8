import { expect, test } from 'vitest'
import { BTC, downloadWorld, type DownloadWorld } from '../../fakes/downloadWorld.ts'

const oneDay = (day: string) => ({ startDay: day, endDay: day })
const dayMs = (day: string) => Date.parse(`${day}T00:00:00Z`)

async function rowsOf({ client, connectionId }: DownloadWorld, day: string, dataset = 'vtwap', interval = '1h') {
  const series = { connectionId, kind: 'metrics', dataset, exchange: 'venuea-futures', symbol: BTC, interval } as const
  const range = { startMs: dayMs(day), endMs: dayMs(day) + 86_400_000, limitRows: 1000 }
  const { rows, duplicates } = await client.call('series.read', {
    ...series,
    timestamp: 'exchange',
    columns: [],
    ...range,
  })
  return { rows: rows.rows, times: rows.columns[0].values, duplicates }
}

test('files come with every kind of time and are read alike', async () => {
  const world = await downloadWorld()
  const kinds = ['int64', 'ms', 'us', 'ns', 'naiveMs', 'naiveUs', 'naiveNs'] as const
  for (const [index, time] of kinds.entries()) {
    const day = `2026-09-0${index + 1}`
    world.sandbox.setFaults({ files: { time } })
    expect(await world.fetch(oneDay(day)), time).toMatchObject([{ outcome: 'downloaded' }])
    const { rows, times } = await rowsOf(world, day)
    expect([rows, Number(times[0])], time).toEqual([24, dayMs(day)])
  }
})

test('unsorted rows, duplicate rows, non-finite values and unknown columns are accepted', async () => {
  const world = await downloadWorld()
  world.sandbox.setFaults({ files: { unsorted: true, duplicates: true, nonFinite: true, extraColumn: true } })
  expect(await world.fetch({ ...oneDay('2026-09-02'), intervals: ['15m'] })).toMatchObject([{ outcome: 'downloaded' }])
  const { rows, times, duplicates } = await rowsOf(world, '2026-09-02', 'vtwap', '15m')
  expect(rows).toBe(96)
  expect([...times]).toEqual([...times].sort((a, b) => Number(a) - Number(b)))
  expect(duplicates).toBeGreaterThan(0)
})

test('a dataset and an interval that no document names can be fetched', async () => {
  const { fetch, sandbox } = await downloadWorld()
  sandbox.setFaults({ unknownDataset: true })
  const wanted = { ...oneDay('2026-09-02'), datasets: ['trade_pulse'], intervals: ['2h'] }
  expect(await fetch(wanted)).toMatchObject([{ state: 'done', outcome: 'downloaded' }])
})

test('without an etag an interrupted transfer starts over', async () => {
  const { fetch, sandbox } = await downloadWorld()
  sandbox.setFaults({ rules: [{ on: 'storage', cutAfterBytes: 700, noEtag: true, times: 1 }] })
  expect(await fetch(oneDay('2026-09-02'))).toMatchObject([{ state: 'done', outcome: 'downloaded' }])
})

test('the last period is tried first, then the first: a range that is not open shows early', async () => {
  const { enqueue, list } = await downloadWorld({ standsBy: true })
  await enqueue()
  expect((await list()).map(({ period }) => period.slice(-2))).toEqual(['04', '01', '02', '03'])
})
