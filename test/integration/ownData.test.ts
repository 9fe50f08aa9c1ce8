import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseInterval } from '#shared/time.ts'
import { run as runCommandLine } from '../../electron/cli/run.ts'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { openTestStore } from '../fakes/openTestStore.ts'
import { expectedOf, ownDataCases, ownDataFolder, panelRows } from '../fakes/ownDataCases.ts'

async function perpscope(dataDir: string, ...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
  const signal = new AbortController().signal
  const status = await runCommandLine([...args, '--data-dir', dataDir], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal,
  })
  return { status, ...written }
}

/** Returns a data folder with the prices of the five instruments in its cache, at every interval. */
function folderWithPrices(): string {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  for (const [panel, interval] of [
    ['hourly', '1h'],
    ['quarter', '15m'],
    ['daily', '1d'],
  ]) {
    const byInstrument = Map.groupBy(panelRows(panel), ({ exchange, symbol }) => `${exchange}/${symbol}`)
    for (const rows of byInstrument.values()) {
      const [{ exchange, symbol }] = rows
      const series = { dataset: 'ohlcv', exchange, symbol, interval, columns: ['close'] }
      const prices = rows.map(({ time, close }) => ({ time, close }))
      addMetricFiles(store, dataDir, { ...series, rows: prices }, ['2026-07'])
    }
  }
  return dataDir
}

const addArgs = ({ name, files, add }: (typeof ownDataCases)[number]) => [
  ...['data', 'add', name],
  ...files.map((file) => join(ownDataFolder, file)),
  ...add,
]

/** Runs the studies of a case, and returns their signals by formula and instrument, as they were written. */
async function signalsOf(dataDir: string, formula: string, expected: ReturnType<typeof expectedOf>) {
  const { interval, first, bars } = expected
  const instruments = Object.keys(Object.values(expected.values)[0])
  const intervalMs = parseInterval(interval)! * 1000
  const study = {
    version: 1,
    kind: 'signal',
    signal: formula,
    price: 'ohlcv.close',
    interval,
    start: new Date(first).toISOString(),
    end: new Date(first + bars * intervalMs).toISOString(),
    source: {
      exchanges: [...new Set(instruments.map((name) => name.slice(0, name.indexOf('/'))))],
      timestamp: 'exchange',
    },
  }
  const [path, out] = [join(dataDir, 'study.json'), join(dataDir, 'panel.csv')]
  writeFileSync(path, JSON.stringify(study))
  const { status, stderr } = await perpscope(dataDir, 'study', 'panel', path, '--out', out)
  expect({ formula, status, stderr }).toMatchObject({ status: 0 })
  const [head, ...lines] = readFileSync(out, 'utf8').trim().split(/\r?\n/)
  const columns = head.split(',')
  const cells = lines.map((line) => line.split(','))
  return Object.fromEntries(
    instruments.map((name) => {
      const values: (string | null)[] = Array.from({ length: bars }, () => null)
      for (const row of cells)
        if (row[columns.indexOf('symbol')] === name)
          values[(Number(row[columns.indexOf('time')]) - first) / intervalMs] = row[columns.indexOf('signal')]
      return [name, values.map((value) => (value === null || value === '' ? null : Number(value)))]
    }),
  )
}

/** Selects the rows of a dataset with its times in microseconds. */
const sqlOf = (name: string, columns: readonly string[]) =>
  `SELECT ${columns.map((column) => (['time', 'known_at'].includes(column) ? `epoch_us(${column}) AS ${column}` : `"${column}"`)).join(', ')} FROM own.${name}`

const accepted = ownDataCases.filter(({ refused }) => !refused)

test.each(accepted)('$id: $note', async (each) => {
  const dataDir = folderWithPrices()
  const expected = expectedOf(each)
  const added = await perpscope(dataDir, ...addArgs(each), '--json')
  expect(added).toMatchObject({ status: 0 })
  const facts = JSON.parse(added.stdout) as Record<string, unknown>
  expect(facts).toMatchObject({
    version: 1,
    name: each.name,
    dataset: `own_${each.name}`,
    kind: expected.facts.kind,
    interval: expected.facts.interval,
    time: { unit: expected.facts.timeUnit },
    rows: expected.facts.rows,
    duplicates: expected.facts.duplicates,
    unknownSymbols: expected.facts.unknownSymbols,
    columns: expected.facts.columns.map((name) => ({ name, unit: null })),
    references: [],
  })
  const table = await perpscope(dataDir, 'sql', sqlOf(each.name, expected.columns), '--json')
  expect(table).toMatchObject({ status: 0 })
  const rows = (JSON.parse(table.stdout) as Record<string, string | number | null>[]).map((row) =>
    expected.columns.map((column) => row[column]),
  )
  // Rows of one time may stand in any order.
  const sorted = (all: unknown[][]) => all.map((row) => JSON.stringify(row)).toSorted()
  expect(sorted(rows)).toEqual(sorted(expected.rows))
  for (const formula of each.formulas!)
    expect({ formula, values: await signalsOf(dataDir, formula, expected) }).toEqual({
      formula,
      values: expected.values[formula],
    })
})

test.each(ownDataCases.filter(({ refused }) => refused))('$id: refused, $note', async (each) => {
  const dataDir = dataFolder()
  const { status, stdout, stderr } = await perpscope(dataDir, ...addArgs(each), '--json')
  expect(status).not.toBe(0)
  expect(stdout).toBe('')
  // A slow machine also prints how much was read.
  expect(stderr.trim().replace(/^(?:Read: \d+ %\n)+/, '')).not.toContain('\n')
  const { file, line, column, says = [] } = each
  if (file) expect(stderr).toContain(file)
  if (line) expect(stderr).toContain(`line ${line}`)
  if (column) expect(stderr).toContain(`column ${column}`)
  for (const text of says) expect(text.split('|').some((each) => stderr.includes(each))).toBe(true)
  expect(JSON.parse((await perpscope(dataDir, 'data', 'list', '--json')).stdout)).toEqual([])
  const own = join(dataDir, 'files', 'own')
  expect(existsSync(own) ? readdirSync(own) : []).toEqual([])
})
