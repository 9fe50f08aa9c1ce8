import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const ETH = 'perpetual-ETH-USDT:USDT'

/** Creates a data folder with a CSV of lists beside it; returns a function that runs commands on it offline. */
function openLists() {
  const folder = temporaryFolder()
  const perpscope = async (...args: string[]) => {
    let [stdout, stderr] = ['', '']
    const status = await run([...args, '--offline', '--data-dir', join(folder, 'data')], {
      stdout: { write: (text: string) => (stdout += text) },
      stderr: { write: (text: string) => (stderr += text) },
      env: {},
      signal: new AbortController().signal,
    })
    return { status, stdout, stderr }
  }
  const file = (...lines: string[]) => {
    const path = join(folder, 'lists.csv')
    writeFileSync(path, ['list,exchange,symbol,group', ...lines, ''].join('\r\n'))
    return path
  }
  const plannedSeries = async (...args: string[]) => {
    const { stdout } = await perpscope('fetch', ...args, '--dry-run', '--json')
    const files = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { exchange?: string; symbol?: string })
    return files.flatMap(({ exchange, symbol }) => (exchange === undefined ? [] : [`${exchange} ${symbol}`]))
  }
  return { folder, perpscope, file, plannedSeries }
}

const series = ['--dataset', 'flow', '--interval', '1h', '--timestamp', 'exchange']
const day = ['--start', '2026-09-01', '--end', '2026-09-01']

it('accepts a list in place of venues and symbols, and a set follows its list', async () => {
  const { folder, perpscope, file, plannedSeries } = openLists()
  const lines = [`majors,venueb-perps,${ETH},`, `majors,venuea-futures,${BTC},`]
  await perpscope('lists', 'import', file(...lines))
  expect(await plannedSeries('--list', 'majors', ...series, ...day)).toEqual([
    `venueb-perps ${ETH}`,
    `venuea-futures ${BTC}`,
  ])
  expect(await plannedSeries('--list', 'majors', '--exchange', 'venuea-futures', ...series, ...day)).toEqual([
    `venuea-futures ${BTC}`,
  ])

  const saved = await perpscope('set', 'save', 'morning', '--list', 'majors', ...series, '--last', '1')
  expect(saved.stderr).toContain(
    `The list “majors” has symbols that this connection does not know: ${ETH} on venueb-perps, ${BTC}`,
  )
  await perpscope('lists', 'import', file(lines[1]))
  expect(await plannedSeries('--set', 'morning')).toEqual([`venuea-futures ${BTC}`])
  expect((await perpscope('set', 'list')).stdout).toContain('list “majors”')

  writeFileSync(
    join(folder, 'instruments.csv'),
    `exchange,symbol,renamed_from\nvenuea-futures,${ETH},${BTC}\nvenueb-perps,${ETH},${BTC}\n`,
  )
  await perpscope('instruments', 'import', join(folder, 'instruments.csv'))
  expect(await plannedSeries('--set', 'morning')).toEqual([`venuea-futures ${BTC}`, `venuea-futures ${ETH}`])

  await perpscope('lists', 'remove', 'majors')
  expect(await perpscope('fetch', '--set', 'morning', '--dry-run')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is no list “majors”.') as string,
  })
})

it('refuses a list beside a symbol, and a list that does not exist, in every command that takes a symbol', async () => {
  const { folder, perpscope, file } = openLists()
  await perpscope('lists', 'import', file(`majors,venuea-futures,${BTC},`))
  const out = ['--out', join(folder, 'out')]
  const commands: string[][] = [
    ['ls'],
    ['cache', 'remove'],
    ['coverage'],
    ['fetch', ...series, ...day],
    ['set', 'save', 'x', ...series, '--last', '1'],
    ['read', ...series, ...day],
    ['export', ...series, '--format', 'csv', ...out],
    ['compute', ...series, ...day, ...out],
  ]
  for (const command of commands) {
    const both = await perpscope(...command, '--list', 'majors', '--symbol', BTC)
    expect(both, command.join(' ')).toMatchObject({ status: 2 })
    expect(both.stderr).toContain('Give either --list or --symbol.')
    const missing = await perpscope(...command, '--list', 'majros')
    expect(missing, command.join(' ')).toMatchObject({ status: 1 })
    expect(missing.stderr).toContain('There is no list “majros”. Did you mean “majors”?')
    const elsewhere = await perpscope(...command, '--list', 'majors', '--exchange', 'venueb-perps')
    expect(elsewhere.stderr, command.join(' ')).toContain('The list “majors” has no symbol on venueb-perps.')
  }
})

it('computes the other symbols of a list where one has no events, and says that the result is a part', async () => {
  const { folder, perpscope, file } = openLists()
  const gone = 'perpetual-GONE-USDT:USDT'
  await perpscope('lists', 'import', file(`majors,venuea-futures,${gone},`, `majors,venuea-futures,${BTC},`))
  const raw = join(import.meta.dirname, '../conformance/data/raw/v1')
  const range = ['--interval', '1h', '--timestamp', 'true', '--start', '2026-09-01', '--end', '2026-09-02']
  const request = ['--dataset', 'ohlcv', ...range, '--raw', raw, '--out', join(folder, 'computed')]
  const { status, stdout, stderr } = await perpscope('compute', '--list', 'majors', ...request, '--json')
  expect([status, stderr]).toEqual([3, expect.stringContaining(`${gone} on venuea-futures: ohlcv: there are no raw`)])
  expect(JSON.parse(stdout)).toMatchObject({ outputs: [{ symbol: BTC, dataset: 'ohlcv', rows: 48 }] })
})

it('saves no set whose names a fetch would refuse', async () => {
  const { perpscope } = openLists()
  const save = (...args: string[]) => perpscope('set', 'save', 'x', '--timestamp', 'exchange', '--last', '1', ...args)
  const [venue, symbol] = [
    ['--exchange', 'venuea-futures'],
    ['--symbol', BTC],
  ]
  const hourly = ['--dataset', 'ohlcv', '--interval', '1h']
  for (const [args, exitStatus, message] of [
    [[...venue, ...symbol, '--dataset', 'ohlcv', '--interval', 'hourly'], 2, 'Unknown interval “hourly”'],
    // Offline nobody can say what a short name means.
    [[...venue, '--symbol', 'BTC', ...hourly], 1, 'neither is what “BTC” means'],
  ] as const) {
    const { status, stderr } = await save(...args)
    expect([status, stderr]).toEqual([exitStatus, expect.stringContaining(message)])
  }
  expect((await perpscope('set', 'list', '--json')).stdout.trim()).toBe('[]')
})

it('imports, replaces, lists and removes named lists', async () => {
  const { perpscope, file } = openLists()
  const listed = async () => JSON.parse((await perpscope('lists', 'list', '--json')).stdout) as unknown

  const first = file(
    `majors,venueb-perps,${ETH},second`,
    `majors,venuea-futures,${BTC},first`,
    `alts,venuea-futures,${ETH},`,
  )
  expect(await perpscope('lists', 'import', first, '--json')).toMatchObject({ status: 0 })
  expect(await listed()).toEqual([
    { list: 'alts', exchange: 'venuea-futures', symbol: ETH, group: null, known: false },
    { list: 'majors', exchange: 'venueb-perps', symbol: ETH, group: 'second', known: false },
    { list: 'majors', exchange: 'venuea-futures', symbol: BTC, group: 'first', known: false },
  ])

  const bad = await perpscope(
    'lists',
    'import',
    file(`majors,venuea-futures,${BTC},`, 'majors,venuea-futures', `,x,${BTC},`),
  )
  expect(bad.status).toBe(1)
  expect(bad.stderr).toContain('line 3: has 2 cells, but the header has 4')
  expect(bad.stderr).toContain('line 4: the column list is empty')
  expect(await listed()).toHaveLength(3)

  await perpscope('lists', 'import', file(`majors,venuea-futures,${BTC},`))
  expect(await listed()).toEqual([
    { list: 'alts', exchange: 'venuea-futures', symbol: ETH, group: null, known: false },
    { list: 'majors', exchange: 'venuea-futures', symbol: BTC, group: null, known: false },
  ])

  expect(await perpscope('lists', 'remove', 'alts')).toMatchObject({ status: 0 })
  expect(await listed()).toHaveLength(1)
  expect((await perpscope('lists', 'remove', 'alts')).status).toBe(1)
})

it('keeps the symbols of a mistyped venue, and names the one that is meant', async () => {
  const { perpscope, file } = openLists()
  const { status, stderr } = await perpscope(
    ...['lists', 'import', file(`majors,venueb-prep,${BTC},`, `majors,venueb-prep,${ETH},`, `majors,crane,${BTC},`)],
  )
  expect([status, stderr.match(/is not among.*/g)]).toEqual([
    0,
    ['is not among the venues of a connection. Did you mean venueb-perps?'],
  ])
  expect((await perpscope('lists', 'list')).stdout).toContain('venueb-prep')
})
