import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { addDays, dayOf } from '#shared/time.ts'
import { confirmRemoval } from '../../electron/cli/confirm.ts'
import type { OptionSpec } from '../../electron/cli/command.ts'
import { registry } from '../../electron/cli/registry.ts'
import { run as runCommandLine } from '../../electron/cli/run.ts'
import { cliSession, type CliSession } from '../fakes/cliSession.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const bitcoin = 'perpetual-BTC-USDT:USDT'
const hourly = ['--interval', '1h', '--timestamp', 'exchange']
const series = ['--dataset', 'ohlcv', '--exchange', 'venuea-futures', ...hourly]
const days = ['--start', '2026-09-01', '--end', '2026-09-02']

/** Runs a command in this process with its own standard input, and with a data folder that is said to be read-only. */
async function runWith(
  { dataDir, sandbox }: CliSession,
  args: readonly string[],
  { input = '', isReadOnly = false }: { input?: string; isReadOnly?: boolean },
) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({
    write: (text: string | Uint8Array) => (written[name] += String(text)),
  })
  const status = await runCommandLine([...args, '--data-dir', dataDir], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: { PERPSCOPE_API_KEY: sandbox.keys['3'] },
    signal: new AbortController().signal,
    openInput: () => Readable.from([Buffer.from(input)]),
    isReadOnly: () => isReadOnly,
  })
  return { status, ...written }
}

test('symbols are chosen by name, pattern and turnover, and cached files are counted in one line', async () => {
  const { runHere: run } = await cliSession()
  const first = await run(['fetch', ...series, '--symbol', 'btc-usdt,perpetual-ETH-USDT*', ...days])
  expect([first.status, first.stdout]).toEqual([
    0,
    expect.stringContaining(`downloaded ohlcv venuea-futures ${bitcoin}`),
  ])
  expect(first.stdout).toContain('perpetual-ETH-USDT:USDT')
  const again = await run(['fetch', ...series, '--symbol', 'btc-usdt', ...days])
  expect([again.status, again.stdout]).toEqual([0, '2 files: 2 cached\n'])
  const verbose = await run(['fetch', ...series, '--symbol', 'btc-usdt', ...days, '--verbose'])
  expect(verbose.stdout.split('\n').filter((line) => line.startsWith('cached'))).toHaveLength(2)
  expect((await run(['fetch', ...series, '--symbol', 'btc-usdt', ...days, '--json'])).lines).toHaveLength(3)
  const estimate = await run(['fetch', ...series, '--symbol', 'btc-usdt', '--days', '3', '--estimate', '--json'])
  expect(estimate.lines).toEqual([
    { summary: expect.objectContaining({ files: 3, missing: 3, toFetch: 3 }) as unknown },
  ])
  const top = await run(['ls', '--top', '1', '--json'])
  expect(new Set(top.lines.map(({ symbol }) => symbol)).size).toBe(1)
  const read = await run(['read', ...series, '--symbol', 'eth,btc', '--columns', 'close', ...days, '--format', 'csv'])
  const readLines = read.stdout.trim().split('\n')
  expect([read.status, readLines]).toEqual([0, expect.objectContaining({ length: 97 })])
  expect(readLines[0]).toBe('time,exchange,symbol,close')
  expect(new Set(readLines.slice(1).map((line) => line.split(',')[2]))).toEqual(
    new Set([bitcoin, 'perpetual-ETH-USDT:USDT']),
  )
  const table = await run(['read', ...series, '--symbol', 'eth,btc', '--columns', 'close', ...days])
  expect(
    new Set(
      table.stdout
        .trim()
        .split('\n')
        .map(({ length }) => length),
    ).size,
  ).toBe(1)
  const alone = await run(['read', ...series, '--symbol', 'btc', '--columns', 'close', ...days, '--format', 'csv'])
  expect(alone.stdout.split('\n')[0]).toBe('time,close')
  const comma = await run(['read', ...series, '--symbol', ',', '--columns', 'close', ...days])
  expect([comma.status, comma.stderr]).toEqual([2, expect.stringContaining('--symbol must not be empty.')])
  const ambiguous = await run(['fetch', ...series, '--symbol', 'BTC,ETH', ...days])
  expect(ambiguous.status).toBe(2)
  for (const candidate of ['“BTC” names', 'perpetual-BTC-USD:BTC', '“ETH” names', 'perpetual-ETH-USD:ETH'])
    expect(ambiguous.stderr).toContain(candidate)
  const mistyped = await run(['fetch', ...series, '--symbol', 'BTCC', ...days])
  expect([mistyped.status, mistyped.stderr]).toEqual([2, expect.stringContaining('Did you mean “BTC”?')])
  expect((await run(['ls', '--list', 'x', '--top', '3'])).stderr).toContain('--top does not go with --list')
})

test('a connection has defaults for venue and clock, which a list or an own choice replaces', async () => {
  const { runHere: run } = await cliSession()
  const edited = await run(['connection', 'edit', 'desk', '--default-exchange', 'venuea-futures', '--json'])
  expect(edited.lines).toEqual([{ version: 1, connection: 'desk', defaults: { exchange: 'venuea-futures' } }])
  const missing = await run(['fetch', '--dataset', 'ohlcv', '--symbol', bitcoin])
  expect([missing.status, missing.stderr]).toEqual([
    2,
    expect.stringMatching(/^--interval, --timestamp, --start and --end are missing\./),
  ])
  await run(['connection', 'edit', 'desk', '--default-timestamp', 'exchange'])
  const fetched = await run([
    'fetch',
    '--dataset',
    'ohlcv',
    '--symbol',
    bitcoin,
    '--interval',
    '1h',
    '--days',
    '2',
    '--json',
  ])
  const today = dayOf(Date.now())
  expect([fetched.status, fetched.lines.slice(0, -1).map(({ period }) => period)]).toEqual([
    0,
    expect.arrayContaining([addDays(today, -2), addDays(today, -1)]),
  ])
  const raw = await run([
    'fetch',
    '--raw',
    '--dataset',
    'trades',
    '--symbol',
    bitcoin,
    '--start',
    'yesterday',
    '--dry-run',
  ])
  expect(raw.status).toBe(0)
})

test('standard input stands for a file, and for one only', async () => {
  const session = await cliSession()
  const rows = 'time,close\n2026-09-01,5\n2026-09-02,7\n'
  const sum = await runWith(session, ['-q', 'sql', 'SELECT sum(close) AS s FROM own.x', '--attach', 'x=-'], {
    input: rows,
  })
  expect(sum).toEqual({ status: 0, stdout: 's\n12\n', stderr: '' })
  const query = await runWith(session, ['sql', '--file', '-'], { input: 'SELECT 3 AS three' })
  expect(query).toMatchObject({ status: 0, stdout: 'three\n3\n' })
  const twice = await runWith(session, ['study', 'run', '-', '--panel', '-'], { input: '{}' })
  expect([twice.status, twice.stderr]).toEqual([2, expect.stringContaining('only once')])
})

test('standard input stands for every file that is read, and for no path that is written', async () => {
  const session = await cliSession()
  const actions = await Promise.all(Object.values(registry).map(async (load) => (await load()).command))
  const unread = actions.flatMap(({ verb, actions }) =>
    actions.flatMap(({ name, args = [], options = {} }) => [
      ...args.flatMap((arg) => (arg.path && !arg.reads ? [`${verb} ${name} ${arg.name}`] : [])),
      ...Object.entries<OptionSpec>(options).flatMap(([option, spec]) =>
        spec.type === 'path' && !spec.reads ? [`${verb} ${name} --${option}`] : [],
      ),
    ]),
  )
  // Folders, files that are written, and catalogs, which are read again later.
  expect(unread.toSorted()).toMatchInlineSnapshot(`
    [
      "backup  FILE",
      "compute  --out",
      "compute  --raw",
      "connection add --catalog",
      "connection edit --catalog",
      "documents use FOLDER",
      "export  --out",
      "import  --computed",
      "import  --metrics",
      "python wheel --out",
      "reconcile  --raw",
      "report board --out",
      "report calibration --out",
      "report plan --out",
      "report sql --out",
      "report study --out",
      "report tearsheet --out",
      "report workbench --out",
      "sql  --out",
      "study panel --out",
      "study run --out",
    ]
  `)
  for (const args of [
    ['export', ...series, '--symbol', bitcoin, '--columns', 'close', ...days, '--format', 'csv', '--out', '-'],
    ['backup', '-'],
  ]) {
    const { status, stderr } = await runWith(session, args, {})
    expect([status, stderr]).toEqual([2, expect.stringContaining('must be a path: “-” stands for standard input')])
  }
  const study = JSON.stringify({ version: 1, kind: 'schedule', interval: '1h', value: 'x' })
  const explained = await runWith(session, ['study', 'explain', '-'], { input: study })
  expect([explained.status, explained.stdout]).toEqual([0, expect.stringContaining('x')])
  const lists = await runWith(session, ['lists', 'import', '-'], {
    input: `list,exchange,symbol\nmajors,venuea-futures,${bitcoin}\n`,
  })
  expect(lists.status).toBe(0)
  const sheet = await runWith(session, ['portfolio', 'tearsheet', '--returns', '-', '--fraction'], {
    input: 'date,return\n2026-01-01,0.01\n2026-01-02,-0.02\n2026-01-03,0.005\n',
  })
  expect([sheet.status, sheet.stdout]).toEqual([0, expect.stringContaining('2026-01-01 to 2026-01-03')])
  const merged = await runWith(session, ['ledger', 'merge', '-'], { input: 'no entry\n' })
  expect([merged.status, merged.stderr]).toEqual([1, expect.stringContaining('Line 1 of - is not')])
})

test('of a pattern over several venues it is counted what a venue does not list', async () => {
  const { runHere: run } = await cliSession()
  const every = ['--symbol', 'perpetual-A*', ...hourly, ...days, '--estimate']
  const { status, stderr } = await run([
    'fetch',
    '--dataset',
    'ohlcv',
    '--exchange',
    'venuea-futures,venueb-perps',
    ...every,
  ])
  expect([status, stderr]).toEqual([
    0,
    expect.stringMatching(/Of these symbols, the service lists \d+ on other venues but not on venueb-perps\./),
  ])
  expect(stderr).not.toContain('Did you mean')
  expect(stderr.trim().split('\n').length).toBeLessThan(5)
  const misspelt = Array.from({ length: 8 }, (_, at) => `perpetual-NONE${at}-USDT:USDT`).join(',')
  const named = await run(['fetch', ...series, '--symbol', misspelt, ...days, '--estimate'])
  expect(named.stderr.match(/does not list perpetual-NONE/g)).toHaveLength(5)
  expect(named.stderr).toContain('The service does not list 3 further symbols on venuea-futures.')
})

test('a dataset of standard input says at once that there is no file to read again', async () => {
  const session = await cliSession()
  const input = 'time,value\n2026-09-01,5\n2026-09-02,7\n'
  expect((await runWith(session, ['data', 'add', 'typed', '-'], { input })).status).toBe(0)
  expect(JSON.parse((await session.runHere(['data', 'show', 'typed', '--json'])).stdout)).toMatchObject({
    files: [{ path: 'stdin.csv' }],
  })
  for (const watching of [[], ['--watch']]) {
    const { status, stderr } = await session.runHere(['data', 'refresh', 'typed', ...watching])
    expect([status, stderr]).toEqual([1, expect.stringContaining('no file to read again') as string])
  }
  expect((await session.runHere(['sql', 'SELECT sum(value) AS s FROM own.typed', '-q'])).stdout).toBe(
    's (unit unknown)\n12\n',
  )
})

test('a data folder that can only be read answers what reads, and says which command would write', async () => {
  const session = await cliSession()
  await session.runHere(['fetch', ...series, '--symbol', bitcoin, ...days])
  const filesOf = () => readdirSync(session.dataDir, { recursive: true }).toSorted()
  const before = filesOf()
  const reads = (...args: string[]) => runWith(session, args, { isReadOnly: true })
  expect(
    await reads('read', ...series, '--symbol', 'btc', '--columns', 'close', ...days, '--format', 'csv'),
  ).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('2026-09-02T23:00:00.000Z,') as unknown,
  })
  const listed = await reads('ls', '--json')
  expect([listed.status, JSON.parse(listed.stdout.split('\n')[0])]).toEqual([
    0,
    expect.objectContaining({ path: expect.stringContaining(`${session.dataDir}/files/`) as unknown }),
  ])
  expect((await reads('sql', 'SELECT count(*) AS n FROM metrics.ohlcv')).stdout).toBe('n\n48\n')
  const out = join(temporaryFolder(), 'x.csv')
  expect((await reads('export', ...series, '--symbol', bitcoin, '--format', 'csv', '--out', out)).status).toBe(0)
  const study = join(temporaryFolder(), 'study.json')
  writeFileSync(study, JSON.stringify({ version: 1, kind: 'schedule', interval: '1h', value: 'x' }))
  for (const args of [
    ['study', 'explain', study],
    ['board', 'list'],
    ['ledger', 'calibration'],
    ['key', 'status', 'desk'],
    ['fetch', ...series, '--symbol', bitcoin, ...days, '--estimate'],
    ['cache', 'remove', '--symbol', bitcoin, '--dry-run'],
    ['portfolio', 'snapshots', '--kind', 'weights'],
    ['portfolio', 'own', 'list'],
    ['check', 'allow'],
    ['verify', '--deep'],
  ])
    expect(await reads(...args)).toMatchObject({ status: 0 })
  for (const args of [
    ['fetch', ...series, '--symbol', bitcoin, ...days],
    ['cache', 'remove', '--symbol', bitcoin],
    ['prune', '--max-size', '1KB'],
    ['verify', '--repair'],
    ['set', 'remove', 'x'],
    ['check', 'allow', 'alarms.example'],
  ]) {
    const { status, stderr } = await reads(...args)
    expect([status, stderr]).toEqual([1, expect.stringContaining(`writes to the data folder, but ${session.dataDir}`)])
  }
  expect(filesOf()).toEqual(before)
})

test('no check is allowed to post to a service, whatever asks for it', async () => {
  const session = await cliSession()
  await session.runHere(['connection', 'add', 'Other', '--metrics-url', 'https://metrics.example'])
  const refused = await session.runHere(['check', 'allow', 'metrics.example'])
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('one of your services')])
  expect((await session.runHere(['check', 'allow', 'alarms.example'])).stdout).toBe('alarms.example\n')
  expect((await session.runHere(['check', 'allow'])).stdout).toBe('alarms.example\n')
})

test('a study that is not to be recorded leaves no trial', async () => {
  const session = await cliSession()
  const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
  const study = join(data, 'studies', 'v01-micro-signal.json')
  const input = readFileSync(join(data, 'panels', 'micro.csv'), 'utf8')
  const ran = await runWith(session, ['study', 'run', study, '--panel', '-', '--no-record'], { input })
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringContaining('Not recorded')])
  expect((await session.runHere(['study', 'list'])).stdout).toContain('No studies yet')
  expect((await session.runHere(['ledger', 'list'])).stdout).toContain('The ledger is empty')
})

test('removing more than a hundred files needs a yes', async () => {
  await expect(confirmRemoval(100, '1 kB', false)).resolves.toBeUndefined()
  await expect(confirmRemoval(101, '1 kB', true)).resolves.toBeUndefined()
  await expect(confirmRemoval(101, '1 kB', false)).rejects.toThrow(
    'this would remove 101 files, 1 kB. Confirm with --yes.',
  )
})

test('a short symbol is asked of the service in a data folder that does not exist yet, and never guessed offline', async () => {
  const { runHere: run, dataDir } = await cliSession()
  const short = ['fetch', ...series, '--symbol', 'ada-usdt', ...days]
  const fresh = (name: string) => ['--connection', 'Sandbox', '--data-dir', join(dataDir, name)]
  const offline = await run([...short, '--offline', ...fresh('offline')])
  expect([offline.status, offline.stdout, offline.stderr]).toEqual([
    1,
    '',
    expect.stringContaining('list them once with “perpscope symbols --exchange venuea-futures”, or write the whole'),
  ])
  const asked = await run([...short, ...fresh('new')])
  expect([asked.status, asked.stdout]).toEqual([
    0,
    expect.stringContaining('downloaded ohlcv venuea-futures perpetual-ADA-USDT:USDT'),
  ])
})
