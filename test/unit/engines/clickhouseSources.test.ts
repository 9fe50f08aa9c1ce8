import { expect, it } from 'vitest'
import type { ClickHouse } from '#core/clients/clickhouse.ts'
import { eventValueColumns } from '#core/compute/eventColumns.ts'
import { findSource } from '#core/engines/clickhouseSources.ts'
import { dayNumberOf } from '#shared/time/periods.ts'

const { signal } = new AbortController()
const times = ['exchange_timestamp', 'local_timestamp'].map((name) => [name, "DateTime64(6, 'UTC')"])
const describedColumns = [...times, ...eventValueColumns('mark_price').map(({ column }) => [column, 'Float64'])]

/** Fakes a server with one file a day, whose numbers of events are given by day. */
function serverWith(eventsByDay: Readonly<Record<string, number>>) {
  const statements: string[] = []
  const rows = async (sql: string): Promise<string[][]> => {
    statements.push(sql)
    if (sql.includes("'One'")) return Object.keys(eventsByDay).map((day) => [`/there/${day}.parquet`, '100', '17'])
    if (sql.startsWith('DESCRIBE')) return describedColumns
    const [, day] = /(\d{4}-\d\d-\d\d)\.parquet/.exec(sql)!
    return [[String(eventsByDay[day])]]
  }
  return { engine: { rows } as unknown as ClickHouse, statements }
}

async function filesFor(day: string, needsPrevious: boolean, eventsByDay: Readonly<Record<string, number>>) {
  const { engine, statements } = serverWith(eventsByDay)
  const request = { raw: { kind: 'folder', address: '/raw' }, cluster: '', timestamp: 'exchange' } as const
  const source = await findSource(engine, request, { exchange: 'venuea-futures', symbol: 'a' }, 'mark_price', signal)
  const { source: paths } = await source.placeOf(dayNumberOf(day), needsPrevious, signal)
  const counted = statements.filter((sql) => sql.startsWith('SELECT count()')).length
  return { days: paths.map((path) => /(\d{4}-\d\d-\d\d)[^/]*$/.exec(path)![1]), counted }
}

it('reads the events that carry over from an older file if the files before the day have none', async () => {
  const eventsByDay = { '2026-08-01': 5, '2026-08-02': 7, '2026-08-03': 0, '2026-08-04': 0, '2026-08-05': 0 }
  const { days } = await filesFor('2026-08-05', true, eventsByDay)
  expect(days).toEqual(['2026-08-02', '2026-08-05'])
})

it('reads no further back than the day before if that has events, and counts nothing if none carry over', async () => {
  const eventsByDay = { '2026-08-01': 5, '2026-08-02': 7, '2026-08-03': 9 }
  expect(await filesFor('2026-08-03', true, eventsByDay)).toEqual({ days: ['2026-08-02', '2026-08-03'], counted: 1 })
  expect(await filesFor('2026-08-03', false, eventsByDay)).toEqual({ days: ['2026-08-03'], counted: 0 })
})

it('reads the files of a shared store, which are named by period and content', async () => {
  const stored = '2026-08-02.0123456789abcdef'
  expect(await filesFor('2026-08-02', false, { [stored]: 5, '2026-08-02 (copy)': 5 })).toEqual({
    days: ['2026-08-02'],
    counted: 0,
  })
  await expect(filesFor('2026-08-02', false, { [stored]: 5, '2026-08-02': 5 })).rejects.toThrow(
    'both contain 2026-08-02',
  )
})
