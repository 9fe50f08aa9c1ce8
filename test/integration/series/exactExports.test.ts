import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, it } from 'vitest'
import { exportSeries } from '#core/export/exportSeries.ts'
import type { SaveFile } from '#core/ports.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestSeries } from '../../fakes/openTestSeries.ts'
import { cliSession } from '../../fakes/cliSession.ts'
import { addCachedFile, indexFile, writeCachedFile } from '../../fakes/parquetCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { readParquet } from '../../fakes/readParquet.ts'

const startMs = Date.UTC(2026, 7, 1)
const day = ['--start', '2026-08-01', '--end', '2026-08-01']

/** Opens a session whose cache has one day of hourly rows with a number and a text column; hour 3 occurs twice. */
async function setUp() {
  const session = await cliSession()
  const store = openTestStore(session.dataDir)
  const connectionId = store.connections.active().id
  const series = flowSeries({ connectionId, interval: '1h' })
  const hours = [0, 1, 2, 3, 3, 4]
  const values = [-0, 0, -0, 7, -0, 0]
  addCachedFile(store, session.dataDir, series, '2026-08-01', [
    { name: 'time', type: 'INT64', data: BigInt64Array.from(hours, (hour) => BigInt(startMs + hour * 3_600_000)) },
    { name: 'v', type: 'DOUBLE', data: Float64Array.from(values), encoding: 'PLAIN' },
    { name: '=note', type: 'STRING', data: hours.map((hour) => (hour === 1 ? '=1+1' : hour === 2 ? '' : 'plain')) },
  ])
  const { dataset, exchange, symbol, interval, timestamp } = series
  const named = { dataset, exchange, symbol, interval, timestamp }
  const names = Object.entries(named).flatMap(([name, value]) => [`--${name}`, value])
  return { ...session, store, series, names, out: (name: string) => join(session.dataDir, name) }
}

const signs = (values: readonly unknown[]) => values.map((value) => Object.is(value, -0))

it('keeps −0 in every format, says what it left out, and guards text only where that is not refused', async () => {
  const { runHere, names, out } = await setUp()
  const exported = async (format: string, ...more: string[]) => {
    const path = out(`${more.join('') || 'guarded'}.${format}`)
    const ended = await runHere(['export', ...names, ...day, '--format', format, '--out', path, '--json', ...more])
    expect(ended.status, ended.stderr).toBe(0)
    expect(ended.stderr).toContain('Left out 1 row: of rows with the same time, only the last is kept.')
    expect(ended.lines[0]).toMatchObject({ rows: 5, duplicates: 1 })
    return path
  }
  const csv = readFileSync(await exported('csv'), 'utf8').split('\n')
  expect(csv[0]).toBe(`time,v,"'=note"`)
  expect(csv.slice(1, 6).map((line) => line.split(',')[1])).toEqual(['-0', '0', '-0', '-0', '0'])
  expect(csv[2]).toContain(`"'=1+1"`)
  const beside = JSON.parse(readFileSync(`${out('guarded.csv')}.provenance.json`, 'utf8')) as Record<string, unknown>
  expect(beside).toMatchObject({ duplicatesLeftOut: 1, text: 'guarded' })

  const exact = readFileSync(await exported('csv', '--raw-text'), 'utf8').split('\n')
  expect(exact.slice(0, 4)).toEqual([
    'time,v,=note',
    '2026-08-01T00:00:00.000Z,-0,plain',
    '2026-08-01T01:00:00.000Z,0,=1+1',
    '2026-08-01T02:00:00.000Z,-0,""',
  ])

  const { columns } = await readParquet(new Uint8Array(readFileSync(await exported('parquet'))))
  expect(signs(columns.v)).toEqual([true, false, true, true, false])
  expect(columns['=note']).toEqual(['plain', '=1+1', '', 'plain', 'plain'])
})

it('prints −0 in json and csv', async () => {
  const { runHere, names } = await setUp()
  const json = await runHere(['read', ...names, ...day, '--format', 'json'])
  expect(signs((JSON.parse(json.stdout) as { v: number }[]).map(({ v }) => v))).toEqual([
    true,
    false,
    true,
    true,
    false,
  ])
  const csv = await runHere(['read', ...names, ...day, '--format', 'csv', '--raw-text'])
  expect(csv.stdout.split('\n')[2]).toBe('2026-08-01T01:00:00.000Z,0,=1+1')
})

it.each([
  ['signed', {}, [9_007_199_254_740_993n, -9_007_199_254_740_993n, null, 5n]],
  ['unsigned', { converted_type: 'UINT_64' as const }, [18_446_744_073_709_551_615n, 9_007_199_254_740_993n, null, 5n]],
])('prints every %s integer beyond 2^53 with all digits, by read, export and sql', async (_, meaning, integers) => {
  const { runHere, names, out, dataDir, series, store } = await setUp()
  const times = integers.map((_, hour) => BigInt(startMs + 86_400_000 + hour * 3_600_000))
  const columnData = [
    { name: 'time', data: times },
    { name: 'long', data: integers },
  ]
  const schema = [
    { name: 'root', num_children: 2 },
    { name: 'time', type: 'INT64' as const, repetition_type: 'REQUIRED' as const },
    { name: 'long', type: 'INT64' as const, repetition_type: 'OPTIONAL' as const, ...meaning },
  ]
  const path = writeCachedFile(dataDir, series, '2026-08-02')
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, schema })))
  indexFile(store, dataDir, series, '2026-08-02')
  const texts = integers.map((integer) => (integer === null ? '' : String(integer)))
  const range = ['--start', '2026-08-02', '--end', '2026-08-02', '--columns', 'long']
  const lastCells = (csv: string) =>
    csv
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(',').at(-1))
  const read = async (format: string) => (await runHere(['read', ...names, ...range, '--format', format])).stdout
  expect(lastCells(await read('csv'))).toEqual(texts)
  expect(await read('table')).toMatch(new RegExp(` ${texts.map((text) => text || '–').join('\\n.* ')}\\n`))
  expect((JSON.parse(await read('json')) as { long: unknown }[]).map(({ long }) => long ?? '')).toEqual(texts)
  const exported = async (format: string) => {
    const path = out(`long.${format}`)
    expect((await runHere(['export', ...names, ...range, '--format', format, '--out', path])).status).toBe(0)
    return readFileSync(path)
  }
  expect(lastCells(String(await exported('csv')))).toEqual(texts)
  expect((await readParquet(new Uint8Array(await exported('parquet')))).columns.long).toEqual(
    texts.map((text) => (text === '' ? null : text)),
  )
  const query = "SELECT long FROM metrics.flow WHERE time >= TIMESTAMP '2026-08-02' ORDER BY time"
  expect(lastCells((await runHere(['sql', query, '--format', 'csv'])).stdout)).toEqual(texts)
})

it('cuts the symbol of a default name that is too long, and neither the days nor the extension', async () => {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const series = flowSeries({ dataset: 'l1_liquidity', symbol: `perpetual-1M${'BABYDOGE'.repeat(5)}-USDT:USDT` })
  for (const period of ['2026-08-01', '2026-08-02']) addCachedFile(store, dataDir, series, period)
  let name = ''
  const save: SaveFile = (file) => {
    name = file.name
    return Promise.resolve(null)
  }
  const request = { format: 'csv', zone: 'UTC', text: 'exact', originMs: null } as const
  await exportSeries(
    openTestSeries(store).deps,
    { ...request, formulas: [], series: [{ series, timestamp: 'exchange', columns: [] }], startMs: null, endMs: null },
    { save, signal: new AbortController().signal, progress: () => {}, version: '0' },
  )
  expect(name).toMatch(/^l1_liquidity_venuea-futures_perpetual-1MBABY[A-Z]*_1m_2026-08-01_2026-08-02\.csv$/)
  expect(safeFileName(name)).toBe(name)
})

it('says where exchange times are modelled, and writes their kind as well', async () => {
  const session = await cliSession()
  const store = openTestStore(session.dataDir)
  const connectionId = store.connections.active().id
  const raw = { kind: 'raw', dataset: 'mark_price', exchange: 'venuec-perps', interval: '', timestamp: '' } as const
  const series = flowSeries({ ...raw, connectionId })
  const arrivals = [0, 1, 2].map((second) => new Date(startMs + second * 1000 + 7))
  const sent = arrivals.map((arrival) => new Date(arrival.getTime() - 5))
  const kinds = (kind: string) => ({ type: 'STRING' as const, data: [kind, kind, kind] })
  addCachedFile(store, session.dataDir, series, '2026-08-01', [
    { name: 'exchange_timestamp', data: sent, type: 'TIMESTAMP' },
    { name: 'exchange_timestamp_kind', ...kinds('modelled') },
    { name: 'local_timestamp', data: arrivals, type: 'TIMESTAMP' },
    { name: 'local_timestamp_kind', ...kinds('measured') },
    { name: 'mark_price', type: 'DOUBLE', data: [1, 2, 3] },
  ])
  const names = ['--dataset', 'mark_price', '--exchange', 'venuec-perps', '--symbol', series.symbol, ...day]
  const note = /exchange times are modelled on venuec-perps/
  for (const [clock, head] of [
    ['exchange', 'time,exchange_timestamp_kind'],
    ['true', 'time,exchange_timestamp,exchange_timestamp_kind'],
  ]) {
    const path = join(session.dataDir, `${clock}.csv`)
    const asked = [...names, '--timestamp', clock, '--columns', 'exchange_timestamp']
    const exported = await session.runHere(['export', ...asked, '--format', 'csv', '--out', path, '--json'])
    expect(exported.status, exported.stderr).toBe(0)
    expect(exported.stderr).toMatch(note)
    expect(exported.lines[0]).toMatchObject({ modelledTimes: [expect.stringMatching(note)] })
    expect(readFileSync(path, 'utf8').split('\n')[0]).toBe(head)
    expect(readFileSync(`${path}.provenance.json`, 'utf8')).toMatch(note)
    const read = await session.runHere(['read', ...asked, '--json'])
    expect(Object.keys((JSON.parse(read.stdout) as object[])[0]).join(',')).toBe(head)
    expect(JSON.parse(read.stderr.trim().split('\n').at(-1)!)).toEqual({
      ...{ rows: 3, duplicates: 0, units: {}, unitWarnings: [] },
      modelledTimes: [expect.stringMatching(note)],
    })
  }
  const prices = await session.runHere(['read', ...names, '--timestamp', 'true', '--columns', 'mark_price', '--json'])
  expect(prices.stderr).toContain('"units":{"mark_price":"price"},"unitWarnings":[],"modelledTimes":[]')
})
