import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addMetricFiles } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { runInProcess } from '../../fakes/runInProcess.ts'
import { sharedByTests } from '../../fakes/sharedByTests.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-06-29')
const HOURS = 96
const place = { exchange: 'some-venue', symbol: 'perpetual-AAA-USDT:USDT', interval: '1h' }
const times = Array.from({ length: HOURS }, (_, hour) => START + hour * HOUR)

/** Writes the rows of the dataset; another seed changes only those of July, and adds a column and an owner. */
function writeRows(csv: string, seed: number): void {
  const isLater = (time: number) => seed > 0 && time >= Date.parse('2026-07-01')
  const lines = times.map((time, hour) => `${time},AAA,${Math.sin(isLater(time) ? seed + hour : hour)},${hour}`)
  const others = seed > 0 ? times.map((time) => `${time},A0,1,2`) : []
  writeFileSync(csv, ['time,symbol,level,other', ...others, ...lines].join('\n'))
}

const study = {
  ...{ version: 1, kind: 'series', name: 'Own', interval: '1h', start: '2026-06-29', end: '2026-07-03' },
  source: { exchanges: [place.exchange], symbols: null, universe: null, timestamp: 'exchange', against: null },
  ...{ signal: 'own_mine.level', price: 'ohlcv.close', horizons: [1], warmUp: 20, window: 20, buckets: 2 },
}
const source = { kind: 'column', dataset: 'own_mine', column: 'level', ...place, timestamp: 'exchange' }
const workspace = {
  format: 'perpscope workspace',
  name: 'Own',
  document: {
    version: 1,
    panes: [{ id: 'p1', title: '', series: [{ id: 's1', name: 'a', source }] }],
    range: { startMs: START, endMs: START + HOURS * HOUR },
  },
}

const world = sharedByTests(async (ending) => {
  const dataDir = dataFolder(ending)
  const store = openTestStore(dataDir, ending)
  const rows = times.map((time, hour) => ({ time, close: 100 + Math.sin(hour * hour) }))
  addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...place, columns: ['close'], rows }, ['2026-06', '2026-07'])
  const csv = join(dataDir, 'mine.csv')
  writeRows(csv, 0)
  await runInProcess(dataDir, 'data', 'add', 'mine', csv, '--known-after', '1m', '--unit', 'level=quote')
  writeFileSync(join(dataDir, 'study.json'), JSON.stringify(study))
  writeFileSync(join(dataDir, 'own.perpscope'), JSON.stringify(workspace))
  return { dataDir, csv }
})

const kinds: [kind: string, args: (dataDir: string) => string[]][] = [
  ['sql', () => ['SELECT symbol, sum(level) AS total FROM own.mine GROUP BY symbol ORDER BY symbol']],
  ['study', (dataDir) => [join(dataDir, 'study.json')]],
  ['workbench', (dataDir) => ['--workspace', join(dataDir, 'own.perpscope')]],
]

test.each(kinds)('a report of kind %s reads own rows as they were before a refresh', async (kind, args) => {
  const { dataDir, csv } = world()
  writeRows(csv, 0)
  await runInProcess(dataDir, 'data', 'refresh', 'mine')
  const file = join(dataDir, `${kind}.html`)
  const report = await runInProcess(dataDir, 'report', kind, ...args(dataDir), '--out', file, '--json')
  expect(report).toMatchObject({ status: 0, stderr: '' })
  const { sources } = JSON.parse(report.stdout) as { sources: { path: string }[] }
  const own = sources.filter(({ path }) => path.startsWith('files/own/mine/month='))
  expect(own.map(({ path }) => path.split('/')[3])).toEqual(['month=2026-06', 'month=2026-07'])
  expect((await runInProcess(dataDir, 'replay', file)).stdout).toMatch(/^0 differences\n/)

  writeRows(csv, 7)
  await runInProcess(dataDir, 'data', 'refresh', 'mine')
  const replayed = await runInProcess(dataDir, 'replay', file)
  expect(replayed.stdout).toMatch(/^0 differences if computed from the original files; [1-9]\d* from the cur/)
  expect(replayed.status).toBe(0)
})

test('a dataset says which documents, columns of Watch, reports and runs refer to it, before it is removed', async () => {
  const { dataDir } = world()
  openTestStore(dataDir).settings.change({ watchColumns: [{ name: 'Mine', formula: 'own_mine.level' }] })
  await runInProcess(dataDir, 'check', 'save', 'mine', '--sql', 'SELECT 1 FROM own.mine WHERE level > 5')
  const { stdout } = await runInProcess(dataDir, 'data', 'show', 'mine', '--json')
  const { references } = JSON.parse(stdout) as { references: string[] }
  expect(references).toEqual([
    'check “mine”',
    'column “Mine” of Watch',
    'report “SQL result”',
    'report “Series study: Own”',
    'report “Own”',
    expect.stringMatching(/^\d+ runs in the ledger$/),
  ])
  const removed = await runInProcess(dataDir, 'data', 'remove', 'mine')
  expect(removed.status).not.toBe(0)
  for (const each of references) expect(removed.stderr).toContain(each)
})

test('reports replay on the rows that they kept after their dataset is removed, and after another takes its name', async () => {
  const { dataDir, csv } = world()
  writeRows(csv, 0)
  await runInProcess(dataDir, 'data', 'refresh', 'mine')
  const reports = kinds.map(([kind, args]) => ({ kind, file: join(dataDir, `removed-${kind}.html`), args }))
  for (const { kind, file, args } of reports)
    expect((await runInProcess(dataDir, 'report', kind, ...args(dataDir), '--out', file)).status).toBe(0)
  await runInProcess(dataDir, 'data', 'remove', 'mine', '--yes')
  for (const { file } of reports) {
    const { status, stdout } = await runInProcess(dataDir, 'replay', file)
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^0 differences if computed from/) })
  }
  writeRows(csv, 3)
  await runInProcess(dataDir, 'data', 'add', 'mine', csv)
  for (const { file } of reports) {
    const { status, stdout } = await runInProcess(dataDir, 'replay', file)
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^0 differences if computed from/) })
  }
})
