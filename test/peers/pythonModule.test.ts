import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { ColumnSource } from 'hyparquet-writer'
import { openStore } from '#core/store/store.ts'
import { flowSeries } from '../fakes/cachedFiles.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { addCachedFile, hourlyColumns } from '../fakes/parquetCache.ts'
import { pythonWheel } from '../../electron/cli/pythonWheel.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { available, peerEnvironment, provePython } from './peer.ts'

const run = promisify(execFile)

const module = join(import.meta.dirname, '..', '..', 'resources', 'python')

/**
 * Creates a cache with a month, daily files that take precedence over it, a second venue, a file with duplicate times,
 * and a file with rows of the next day and with columns named like those that the module adds.
 */
function filledFolder(): string {
  const dataDir = dataFolder()
  const store = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
  const series = flowSeries({ interval: '1h' })
  addCachedFile(store, dataDir, series, '2026-07')
  addCachedFile(store, dataDir, series, '2026-07-10', hourlyColumns('2026-07-10', 10_000))
  const twice = hourlyColumns('2026-08-01', 20_000)
  const times = twice[0].data as BigInt64Array
  times[5] = times[4]
  addCachedFile(store, dataDir, series, '2026-08-01', twice)
  const strays = hourlyColumns('2026-08-01').map(({ data, ...column }) => ({ ...column, data: [...data] as unknown[] }))
  strays[0].data.push(BigInt(Date.UTC(2026, 7, 2)))
  strays[1].data.push(99_999)
  const own = ['exchange', 'symbol'].map((name) => ({
    name,
    type: 'STRING' as const,
    data: strays[0].data.map(() => 'own'),
  }))
  addCachedFile(store, dataDir, flowSeries({ interval: '1h', exchange: 'venueb-perps' }), '2026-08-01', [
    ...(strays as ColumnSource[]),
    ...own,
  ])
  store.close()
  return dataDir
}

/**
 * Python program that prints figures of rows, which must be those that the CLI reads: a day's file takes precedence
 * over its month's, and the last of rows with equal times counts.
 */
const facts = (rows: string) => `
import json, sys
sys.path.insert(0, ${JSON.stringify(module)})
import perpscope
${rows}
print(json.dumps({"rows": len(time), "first": time[0], "last": time[-1], "sum": sum(value), "exchanges": sorted(set(exchange))}))
`

const choice = (dataDir: string) =>
  `dict(data_dir=${JSON.stringify(dataDir)}, base="BTC", interval="1h", start="2026-07-09", end="2026-08-01")`

const hours = (count: number, first: number) => Array.from({ length: count }, (_, at) => first + at)
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const expected = {
  rows: 24 + 24 + 21 * 24 + 23 + 24,
  first: Date.UTC(2026, 6, 9),
  last: Date.UTC(2026, 7, 1, 23),
  exchanges: ['venuea-futures', 'venueb-perps'],
  sum:
    sum([...hours(24, 192), ...hours(24, 10_000), ...hours(21 * 24, 240), ...hours(24, 20_000), ...hours(24, 0)]) -
    20_004,
}

const ways: Record<string, (dataDir: string) => string> = {
  polars: (dataDir) => `
df = perpscope.scan("flow", **${choice(dataDir)}).collect()
time, value, exchange = df["time"].dt.epoch("ms").to_list(), df["value"].to_list(), df["exchange"].to_list()`,
  pandas: (dataDir) => `
df = perpscope.pandas("flow", **${choice(dataDir)})
time, value, exchange = [int(each.timestamp() * 1000) for each in df["time"]], df["value"].tolist(), df["exchange"].tolist()`,
}

for (const [peer, rows] of Object.entries(ways))
  provePython(peer, 'the Python module reads the rows of our own reader', async (python) => {
    const found = await python(facts(rows(filledFolder())))
    expect(found).toEqual(expected)
  })

const columnsOf: Record<string, string> = {
  polars: 'perpscope.scan("flow", columns=["value"], **choice).collect().columns',
  pandas: 'list(perpscope.pandas("flow", columns=["value"], **choice).columns)',
}

for (const [peer, expression] of Object.entries(columnsOf))
  provePython(peer, 'the Python module reads the columns that are asked for', async (python) => {
    const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(module)})
import perpscope
choice = ${choice(filledFolder())}
print(json.dumps(${expression}))
`
    expect(await python(program)).toEqual(['exchange', 'symbol', 'time', 'value'])
  })

test('pyright: the types of the module are complete', async (context) => {
  const { modules, python } = available(context, 'pyright')
  if (!python) return context.skip('pyright (there is no Python 3)')
  const folder = temporaryFolder()
  const venv = join(folder, 'venv')
  await run(python, ['-m', 'venv', '--without-pip', venv])
  const { name, bytes } = pythonWheel(module)
  writeFileSync(join(folder, name), bytes)
  const programs = join(venv, process.platform === 'win32' ? 'Scripts' : 'bin')
  const { stdout: packages } = await run(join(programs, 'python'), [
    '-c',
    'import site; print(site.getsitepackages()[-1])',
  ])
  await run(python, ['-m', 'zipfile', '-e', join(folder, name), packages.trim()])
  const env = { ...peerEnvironment(), PATH: `${programs}${delimiter}${process.env.PATH}` }
  // Types of other packages are those of other people.
  const verify = [
    join(modules!, 'pyright', 'index.js'),
    '--ignoreexternal',
    '--verifytypes',
    'perpscope',
    '--outputjson',
  ]
  const { stdout } = await run(process.execPath, verify, { env, maxBuffer: 64 * 1024 * 1024 })
  const { typeCompleteness } = JSON.parse(stdout) as { typeCompleteness: Record<string, unknown> }
  expect(typeCompleteness).toMatchObject({
    completenessScore: 1,
    exportedSymbolCounts: { withKnownType: 22, withAmbiguousType: 0, withUnknownType: 0 },
  })
})
