import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ColumnSource } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { addCachedFile, hourlyColumns } from '../../fakes/parquetCache.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const symbols = ['BTC', 'ETH', 'SOL'].map((base) => `perpetual-${base}-USDT:USDT`)
const seriesOf = (symbol: string) => flowSeries({ dataset: 'ohlcv', interval: '1h', symbol })
const days = ['2026-08-01', '2026-08-02', '2026-08-03']

const study = {
  ...{ version: 1, kind: 'signal', name: 'Reversal', interval: '1h', start: days[0], end: days[2] },
  source: { exchanges: ['venuea-futures'], symbols, universe: null, timestamp: 'exchange', against: null },
  signal: '-diff(ohlcv.close)',
  horizons: [1],
}
const sql = 'SELECT symbol, sum(close) AS total FROM metrics.ohlcv GROUP BY symbol ORDER BY symbol'

let folder = ''
const place = (name: string) => join(folder, name)

async function perpscope(...args: string[]) {
  let [stdout, stderr] = ['', '']
  const status = await run([...args, '--data-dir', place('data'), '--offline'], {
    stdout: { write: (text) => (stdout += String(text)) },
    stderr: { write: (text) => (stderr += String(text)) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr, firstLine: stdout.split('\n')[0] }
}

/** Returns columns with closes that depend on the version of the file; a later version also has another order. */
function closes(day: string, seed: number, hours = 24): ColumnSource[] {
  const [time] = hourlyColumns(day)
  const data = Float64Array.from({ length: hours }, (_, hour) => 100 + Math.sin(seed * (hour + 1)) / 3)
  const columns: ColumnSource[] = [
    { ...time, data: (time.data as BigInt64Array).slice(0, hours) },
    { name: 'close', type: 'DOUBLE', data },
  ]
  return seed > 10 ? [...columns, { name: 'open', type: 'DOUBLE', data }] : columns
}

/** Caches the candles of these days, as a download does: a new file replaces the old one. */
function cache(cachedDays: readonly string[], version: number, hours?: number): void {
  const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
  for (const [index, symbol] of symbols.entries())
    for (const day of cachedDays) {
      const series = seriesOf(symbol)
      rmSync(store.folder.pathOf(series, day), { force: true })
      addCachedFile(store, place('data'), series, day, closes(day, version * 10 + index + 1, hours))
    }
  store.close()
}

beforeAll(() => {
  folder = temporaryFolder(afterAll)
  writeFileSync(place('study.json'), JSON.stringify(study))
})

const kinds: [kind: string, args: () => string[]][] = [
  ['sql', () => [sql]],
  ['study', () => [place('study.json')]],
]

describe.each(kinds)('the replay of a report of kind %s', (kind, args) => {
  const [fromOriginals, fromCurrent] = [
    /^0 differences if computed from the original files;/,
    /; [1-9]\d* from the cur/,
  ]

  it('reads files as they were after they were republished, with other rows and columns', async () => {
    cache(days.slice(0, 2), 0)
    const file = place(`${kind}.html`)
    expect(await perpscope('report', kind, ...args(), '--out', file)).toMatchObject({ status: 0 })
    expect((await perpscope('replay', file)).firstLine).toBe('0 differences')
    cache(days.slice(0, 1), 1, 23)
    const replayed = await perpscope('replay', file)
    expect(replayed.firstLine).toMatch(fromOriginals)
    expect(replayed.firstLine).toMatch(fromCurrent)
    expect(replayed.status).toBe(0)
    if (kind !== 'study') return
    const { entries } = JSON.parse((await perpscope('ledger', 'list', '--json')).stdout) as {
      entries: { sequence: number; repeats: number | null }[]
    }
    // The report's own run, its repeat at the first replay, the run on the current files, and the one on the originals.
    expect(entries.slice(-4).map(({ repeats }) => repeats !== null)).toEqual([false, true, false, true])
  })

  it('leaves out files that were cached later', async () => {
    const file = place(`${kind}-later.html`)
    await perpscope('report', kind, ...args(), '--out', file)
    cache(days.slice(2), 0)
    const replayed = await perpscope('replay', file)
    expect(replayed.firstLine).toMatch(fromOriginals)
    expect(replayed.firstLine).toMatch(fromCurrent)
    const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
    store.files.forget(symbols.map((symbol) => ({ series: seriesOf(symbol), period: days[2] })))
    store.close()
  })
})

it('reports the same sum of doubles each time', async () => {
  cache(days, 0)
  const query = 'SELECT sum(close / 7) AS total FROM metrics.ohlcv, range(5000) WHERE close IS NOT NULL'
  const totals = new Set<string | undefined>()
  for (const name of ['1.html', '2.html']) {
    const { stdout } = await perpscope('report', 'sql', query, '--out', place(name), '--json')
    expect(stdout).toContain('"kind":"sql"')
    totals.add((await perpscope('replay', place(name))).firstLine)
  }
  expect([...totals]).toEqual(['0 differences'])
})

it('finds the files of a report on a machine where their connection has another id', async () => {
  cache(days, 0)
  const file = place('elsewhere.html')
  await perpscope('report', 'sql', sql, '--out', file)
  const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
  const { id, name } = store.connections.active()
  store.close()
  const html = readFileSync(file, 'utf8')
  const elsewhere = html.replaceAll(`files/${id}/`, 'files/0f2b/').replaceAll(`"id":"${id}"`, '"id":"0f2b"')
  expect(elsewhere).not.toBe(html)
  writeFileSync(file, elsewhere)
  expect(await perpscope('replay', file)).toMatchObject({ status: 0, firstLine: '0 differences' })
  expect(await perpscope('replay', file, '--connection', name)).toMatchObject({ status: 0, firstLine: '0 differences' })
  expect((await perpscope('replay', file, '--connection', 'Nowhere')).stderr).toContain('no connection “Nowhere”')
})
