import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../electron/sandbox/server.ts'
import { parseVenues } from '../../electron/sandbox/market/venues.ts'
import { cliSession } from '../fakes/cliSession.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { testNowMs } from '../fakes/testSandbox.ts'

test('a service whose venues have other names is tested, listed and read, and no name of the documents appears', async () => {
  const venues = parseVenues(
    'wren-futures,short=wren,sizes=base;heron-perps,short=heron,sizes=contracts;crane,sizes=base,times=modelled',
  )
  const sandbox = await startSandbox({ nowMs: testNowMs, venues })
  onTestFinished(() => sandbox.close())
  const { runHere } = await cliSession()
  const add = ['connection', 'add', 'birds', '--metrics-url', sandbox.url, '--catalog', sandbox.catalogUrl]
  expect((await runHere(add)).status).toBe(0)
  const run = (...words: string[]) => runHere(['--connection', 'birds', ...words])
  const tested = await run('connection', 'test')
  const listed = await run('coverage', '--refresh', '--dataset', 'trades', '--symbol', 'perpetual-BTC-USDT:USDT')
  await run('connection', 'edit', 'birds', '--venue', 'heron-perps,sizes=contracts')
  const known = await run('connection', 'venues', '--json')
  const misspelt = await run('symbols', '--exchange', 'heron')
  expect(tested.stdout).toMatch(/symbols? on wren-futures/)
  expect(listed.stdout).toMatch(/heron-perps/)
  expect(known.lines[0]).toMatchObject([
    { id: 'heron-perps', sizes: 'contracts', basis: { id: 'typed', sizes: 'typed', short: null } },
    { id: 'wren-futures', sizes: null, basis: { id: 'catalog' } },
    { id: 'crane', sizes: null, basis: { id: 'catalog' } },
  ])
  expect([misspelt.status, misspelt.stderr]).toEqual([1, expect.stringContaining('Did you mean heron-perps?')])
  for (const { stdout, stderr } of [tested, listed, known, misspelt]) expect(stdout + stderr).not.toMatch(/venue[abc]/)
})

test('columns of two venues are of mixed units by what the venues count, whatever they are called', async () => {
  const venues = parseVenues('wren-futures;heron-perps;crane')
  const sandbox = await startSandbox({ nowMs: testNowMs, venues })
  onTestFinished(() => sandbox.close())
  const { runHere } = await cliSession()
  await runHere(['connection', 'add', 'birds', '--metrics-url', sandbox.url, '--catalog', sandbox.catalogUrl])
  const run = (...words: string[]) => runHere(['--connection', 'birds', ...words])
  await run(
    'connection',
    'edit',
    'birds',
    '--venue',
    'wren-futures,sizes=base',
    '--venue',
    'heron-perps,sizes=contracts',
  )
  const choice = [
    '--dataset',
    'flow',
    '--symbol',
    'perpetual-BTC-USDT:USDT',
    '--interval',
    '1h',
    '--timestamp',
    'exchange',
  ]
  const day = ['--start', '2026-08-01', '--end', '2026-08-01']
  const all = await run('fetch', ...choice, '--exchange', 'wren-futures,heron-perps,crane', ...day)
  expect(all).toMatchObject({ status: 0 })
  const folder = temporaryFolder()
  const unitsOf = async (exchanges: string) => {
    const columns = ['--columns', 'taker_buy_volume', '--format', 'csv', '--out', join(folder, `${exchanges}.csv`)]
    const { lines } = await run('export', ...choice, '--exchange', exchanges, ...day, ...columns, '--json')
    return (lines[0] as { unitWarnings?: string[] }).unitWarnings ?? []
  }
  expect(await unitsOf('wren-futures,heron-perps')).toEqual(['mixed units: base asset and contracts'])
  expect(await unitsOf('wren-futures,crane')).toEqual(['mixed units: amount on crane (unit not known) and base asset'])
  await run('connection', 'edit', 'birds', '--venue', 'crane,sizes=base')
  expect(await unitsOf('wren-futures,crane')).toEqual([])
})

const idsIn = (lines: unknown[]) => (lines[0] as { id: string }[]).map(({ id }) => id)

/** Starts a sandbox with these venues and adds it as a connection that nothing was read of. */
async function newConnection() {
  const venues = parseVenues('gamma-perps,times=modelled;alpha-futures;beta-perps')
  const sandbox = await startSandbox({ nowMs: testNowMs, venues })
  onTestFinished(() => sandbox.close())
  const { runHere } = await cliSession()
  const add = (...more: string[]) =>
    runHere(['connection', 'add', 'flock', '--metrics-url', sandbox.url, '--catalog', sandbox.catalogUrl, ...more])
  return { add, runHere, run: (...words: string[]) => runHere(['--connection', 'flock', ...words]) }
}

test('the catalog of a new connection is read before its first venue is needed', async () => {
  const { add, run } = await newConnection()
  await add()
  const offline = await run('--offline', 'connection', 'venues', '--json')
  expect(offline.lines[0]).toEqual([])
  const listed = await run('connection', 'venues', '--json')
  expect(idsIn(listed.lines)).toEqual(['gamma-perps', 'alpha-futures', 'beta-perps'])
})

test('a catalog that contradicts typed venues is told by the test and by the refresh; what was typed stands', async () => {
  const { add, run } = await newConnection()
  await add('--venue', 'delta-perps', '--venue', 'gamma-perps,times=measured')
  const tested = await run('connection', 'test')
  const refreshed = await run('coverage', '--refresh', '--dataset', 'trades')
  for (const text of [tested.stdout, refreshed.stderr]) {
    expect(text).toContain('it does not name the venue delta-perps, which was typed and stays')
  }
  const known = await run('connection', 'venues', '--json')
  expect(known.lines[0]).toMatchObject([
    { id: 'delta-perps' },
    { id: 'gamma-perps', exchangeTimes: 'measured', basis: { exchangeTimes: 'typed' } },
    { id: 'alpha-futures' },
    { id: 'beta-perps' },
  ])
})

test.each([
  [['--venue', 'alpha-futures', '--venue', 'alpha-futures'], 'the venue alpha-futures is named twice'],
  [['--venue', 'a,short=x', '--venue', 'b,short=x'], 'two venues have the short name x'],
  [['--venue', 'a,sizes=coins'], 'sizes must be base or contracts'],
])('venues that are not clear are refused with a sentence, and nothing is changed: %j', async (options, problem) => {
  const { add, runHere } = await newConnection()
  const refused = await add(...options)
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining(problem)])
  await add('--venue', 'gamma-perps,short=x')
  const edited = await runHere(['connection', 'edit', 'flock', ...options])
  expect([edited.status, edited.stderr]).toEqual([2, expect.stringContaining(problem)])
  const clash = await runHere(['connection', 'edit', 'flock', '--venue', 'beta-perps,short=x'])
  expect([clash.status, clash.stderr]).toEqual([2, expect.stringContaining('two venues have the short name x')])
  const known = await runHere(['--connection', 'flock', '--offline', 'connection', 'venues', '--json'])
  expect(idsIn(known.lines)).toEqual(['gamma-perps'])
})
