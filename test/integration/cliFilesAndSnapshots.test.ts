import { expect, test } from 'vitest'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { documentedVenues } from '../../electron/sandbox/market/venues.ts'
import { cliSession, type CliSession } from '../fakes/cliSession.ts'

const BTC = 'perpetual-BTC-USDT:USDT'
const where = ['--exchange', 'venuea-futures', '--symbol', BTC, '--interval', '1h', '--timestamp', 'exchange']
const fetchArgs = (dataset: string, start: string, end = start) => [
  'fetch',
  '--dataset',
  dataset,
  ...where,
  '--start',
  start,
  '--end',
  end,
  '--json',
]

async function document<Value = Record<string, unknown>>({ runHere }: CliSession, ...args: string[]): Promise<Value> {
  const { status, stdout, stderr } = await runHere([...args, '--json'])
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout) as Value
}

test('catalog --tiers names the tier of each dataset, and leaves out what no document names', async () => {
  const session = await cliSession()
  const { datasets } = await document<{ datasets: { id: string; tier: number | null }[] }>(
    session,
    'catalog',
    '--tiers',
  )
  const tiers = Object.fromEntries(datasets.map(({ id, tier }) => [id, tier]))
  expect(tiers).toMatchObject({ vtwap: 0, flow: 1, l1_price: 2, l2_imbalance: 3, ohlcv: null })
  const table = await session.runHere(['catalog', '--tiers'])
  expect(table.stdout).toMatch(/^DATASET +CATEGORY +COLUMNS +TIER +NAME$/m)
  expect(table.stdout).toMatch(/^flow .* 1 /m)
  expect(table.stderr).toContain('15s and 30s need tier 3')
  expect((await session.runHere(['catalog', '--raw', '--tiers'])).status).toBe(2)
})

test('catalog --raw prints the six datasets with columns, units by venue, notes and the summary', async () => {
  const session = await cliSession()
  // Without an address of its own, it is found at the metrics service.
  expect(await session.runHere(['catalog', '--raw'])).toMatchObject({ status: 0 })
  await document(session, 'connection', 'edit', 'desk', '--catalog', session.sandbox.catalogUrl)
  const catalog = await document<{
    dailyFilesFrom: string
    generatedAt: string
    preview: { period: string; symbols: Record<string, string> }
    datasets: { id: string; columns: Record<string, unknown>[]; notes: string[] }[]
    summary: unknown[]
  }>(session, 'catalog', '--raw')
  expect(catalog.dailyFilesFrom).toBe('2026-08-01')
  expect(catalog.generatedAt).toMatch(/^20\d\d-.*Z$/)
  expect(catalog.preview.period).toMatch(/^\d{4}-\d{2}$/)
  expect(Object.keys(catalog.preview.symbols)).toHaveLength(3)
  expect(catalog.datasets.map(({ id }) => id)).toEqual(rawDatasets.map(({ id }) => id))
  expect(catalog.summary).toHaveLength(rawDatasets.length * documentedVenues.length)
  const trades = catalog.datasets.find(({ id }) => id === 'trades')
  expect(trades?.columns.find(({ name }) => name === 'amount')).toMatchObject({
    type: 'float64',
    nullable: false,
    units: { 'venuea-futures': 'base asset', 'venueb-perps': 'contracts', 'venuec-perps': 'base asset' },
  })
  const mark = catalog.datasets.find(({ id }) => id === 'mark_price')
  expect(mark?.notes.join(' ')).toContain('exchange_timestamp is modelled there')
  const text = (await session.runHere(['catalog', '--raw'])).stdout
  expect(text).toContain('Files are monthly before 2026-08-01 and daily from then on.')
  expect(text).toMatch(/^amount +float64 +no +venuea-futures: base asset, venueb-perps: contracts/m)
})

test('a locked file names its tier, and --try-locked asks all the same', async () => {
  const session = await cliSession()
  const { status } = await session.runHere(['connection', 'edit', 'desk', '--tier', '0'])
  expect(status).toBe(0)
  const locked = await session.runHere(fetchArgs('flow', '2026-09-01'))
  expect(locked.status).toBe(1)
  expect(locked.lines[0]).toMatchObject({ state: 'locked', error: expect.stringContaining('tier 1 or higher') })
  expect((await session.runHere(fetchArgs('l2_liquidity', '2026-09-01'))).lines[0].error).toContain('tier 3 or higher')
  const tried = await session.runHere([...fetchArgs('flow', '2026-09-01'), '--try-locked'])
  expect([tried.status, tried.lines[0].state]).toEqual([0, 'downloaded'])
})

test('private storage is allowed for a connection, shown, kept by other edits, and taken back', async () => {
  const session = await cliSession()
  const desk = async () =>
    (await document<{ name: string; privateStorage?: boolean }[]>(session, 'connection', 'list')).find(
      ({ name }) => name === 'desk',
    )
  expect(await desk()).not.toHaveProperty('privateStorage')
  expect((await session.runHere(['connection', 'edit', 'desk', '--private-storage', 'yes'])).status).toBe(0)
  await session.runHere(['connection', 'edit', 'desk', '--tier', '2'])
  expect(await desk()).toMatchObject({ privateStorage: true, tier: 2 })
  await session.runHere(['connection', 'edit', 'desk', '--private-storage', 'no'])
  expect(await desk()).not.toHaveProperty('privateStorage')
  expect(await session.runHere(['connection', 'edit', 'desk', '--private-storage', 'maybe'])).toMatchObject({
    status: 2,
  })
})

test('connection edit keeps the id and the files, and says how many', async () => {
  const session = await cliSession()
  await session.runHere(fetchArgs('vtwap', '2026-09-01', '2026-09-02'))
  const list = () =>
    document<{ id: string; name: string; tier: number | null; metricsUrl: string }[]>(session, 'connection', 'list')
  const desk = (await list()).find(({ name }) => name === 'desk')
  const other = session.sandbox.url.replace('127.0.0.1', 'localhost')
  const edited = await document(
    session,
    'connection',
    'edit',
    'desk',
    '--name',
    'office',
    '--metrics-url',
    other,
    '--tier',
    '2',
  )
  expect(edited).toEqual({ files: 2, bytes: expect.any(Number) })
  expect(await list()).toContainEqual(
    expect.objectContaining({ id: desk?.id, name: 'office', tier: 2, metricsUrl: other }),
  )
  const { lines } = await session.runHere([...fetchArgs('vtwap', '2026-09-01', '2026-09-02'), '--offline'])
  expect(lines.slice(0, -1).map(({ state }) => state)).toEqual(['cached', 'cached'])
  expect(await session.runHere(['connection', 'edit', 'office'])).toMatchObject({ status: 2, stdout: '' })
  const bad = await session.runHere(['connection', 'edit', 'office', '--metrics-url', 'ftp://x'])
  expect(bad).toMatchObject({ status: 2, stderr: expect.stringContaining('--metrics-url: must be an https address') })
  expect(await session.runHere(['connection', 'edit', 'offce', '--tier', '1'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Did you mean “office”?'),
  })
  expect((await document(session, 'connection', 'edit', 'office', '--tier', 'unknown')).files).toBe(2)
  expect((await list()).find(({ name }) => name === 'office')?.tier).toBeNull()
})

test('connection remove says which files stay, and removes them with --files', async () => {
  const session = await cliSession()
  await session.runHere(fetchArgs('vtwap', '2026-09-01', '2026-09-02'))
  await session.runHere(['connection', 'add', 'spare', '--metrics-url', session.sandbox.url])
  await session.runHere([...fetchArgs('vtwap', '2026-09-01'), '--connection', 'spare'])
  expect(await document(session, 'connection', 'remove', 'spare')).toEqual({
    removed: 'spare',
    files: 1,
    bytes: expect.any(Number),
  })
  const gone = await session.runHere(['connection', 'remove', 'desk', '--files'])
  expect(gone.stdout).toMatch(/^Removed “desk” and its 2 files \([\d.]+ kB\)\.$/m)
  // The file of the other connection is still on disk.
  const verified = await document(session, 'verify')
  expect(verified).toMatchObject({ files: 1, broken: 0 })
})

test('cache remove removes what a filter finds and nothing else', async () => {
  const session = await cliSession()
  await session.runHere(fetchArgs('vtwap', '2026-09-01', '2026-09-04'))
  await session.runHere(fetchArgs('returns', '2026-09-01'))
  const remove = (...args: string[]) => document<{ files: number; bytes: number }>(session, 'cache', 'remove', ...args)
  const inCache = async () =>
    (await session.runHere(['ls', '--json'])).lines
      .map(({ dataset, period }) => `${String(dataset)} ${String(period)}`)
      .toSorted()
  const dry = await remove('--dataset', 'vtwap', '--start', '2026-09-03', '--dry-run')
  expect(dry.files).toBe(2)
  expect(await inCache()).toHaveLength(5)
  expect(await remove('--dataset', 'vtwap', '--start', '2026-09-03')).toEqual(dry)
  expect(await inCache()).toEqual(['returns 2026-09-01', 'vtwap 2026-09-01', 'vtwap 2026-09-02'])
  expect((await remove('--origin', 'import', '--dry-run')).files).toBe(0)
  expect((await remove('--origin', 'import')).files).toBe(0)
  expect((await remove('--raw')).files).toBe(0)
  expect((await remove('--period', '2026-09,2026-08-31')).files).toBe(0)
  expect((await remove('--period', '2026-09-02', '--dry-run')).files).toBe(1)
  expect((await remove('--timestamp', 'true')).files).toBe(0)
  expect((await remove('--interval', '1h', '--symbol', BTC, '--end', '2026-09-01')).files).toBe(2)
  expect(await inCache()).toEqual(['vtwap 2026-09-02'])
  expect(await document(session, 'verify')).toMatchObject({ files: 1, broken: 0 })
  expect(await session.runHere(['cache', 'remove'])).toMatchObject({ status: 2, stdout: '' })
  expect(await session.runHere(['cache', 'remove', '--start', 'soon'])).toMatchObject({ status: 2 })
  expect((await session.runHere(['cache', 'remove', '--dataset', 'vtwapp'])).stderr).toContain('“vtwap”')
  expect((await remove('--connection', 'desk')).files).toBe(1)
})

test('portfolio snapshots lists what was seen, and --at shows one as its live command does', async () => {
  const session = await cliSession()
  const { sandbox } = session
  await session.runHere(['connection', 'edit', 'desk', '--portfolio-url', sandbox.url])
  const live = (...args: string[]) => document<Record<string, unknown>>(session, 'portfolio', ...args, '--refresh')
  const { regimes } = (await (await fetch(`${sandbox.url}/sandbox/status`)).json()) as { regimes?: string[] }
  const regime = regimes?.[0] ?? 'market_trend'
  sandbox.setNow(Date.parse('2026-09-14T03:30:00Z'))
  const first = await live('regime-live', '--overlay', regime)
  sandbox.setNow(Date.parse('2026-09-15T07:30:00Z'))
  const second = await live('regime-live', '--overlay', regime)
  const weights = await live('weights', '--portfolio', 'momentum_ls.20', '--as-of', 'latest')
  await live('weights', '--portfolio', 'momentum_ls.20', '--as-of', 'close')
  const listSnapshots = (...args: string[]) =>
    document<Record<'kind' | 'name' | 'date' | 'createdAt' | 'fetchedAt', string>[]>(
      session,
      '--offline',
      'portfolio',
      'snapshots',
      ...args,
    )
  const seen = await listSnapshots('--kind', 'regime')
  expect(seen.map(({ createdAt }) => createdAt)).toEqual([second.createdAt, first.createdAt])
  expect(seen[0]).toEqual({
    kind: 'regime',
    name: regime,
    date: second.index,
    createdAt: second.createdAt,
    fetchedAt: expect.stringMatching(/Z$/),
  })
  const at = (...args: string[]) =>
    document<Record<string, unknown>>(session, '--offline', 'portfolio', 'snapshots', ...args)
  const { learned: _, ...secondValues } = second
  expect(await at('--kind', 'regime', '--at', String(second.createdAt))).toMatchObject(secondValues)
  const before = await at('--kind', 'regime', '--at', '2026-09-14T23:59:59Z')
  expect(before).toMatchObject({ data: first.data, createdAt: first.createdAt, learned: { asked: false } })
  const ofWeights = await listSnapshots('--kind', 'weights', '--portfolio', 'momentum_ls.20')
  expect(ofWeights).toHaveLength(2)
  const latest = await at('--kind', 'weights', '--as-of', 'latest', '--at', '2026-09-16')
  expect(latest).toMatchObject({ data: weights.data, columns: weights.columns })
  expect(await listSnapshots('--kind', 'factors')).toEqual([])
  const runSnapshots = (...args: string[]) => session.runHere(['portfolio', 'snapshots', ...args])
  expect(await runSnapshots('--kind', 'weights', '--at', '2026-09-16')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--as-of'),
  })
  expect(await runSnapshots('--kind', 'regime', '--at', '2026-09-01')).toMatchObject({ status: 1 })
  expect(await runSnapshots('--kind', 'regime', '--portfolio', 'x')).toMatchObject({ status: 2 })
  expect(await runSnapshots('--kind', 'regime', '--at', 'noon')).toMatchObject({ status: 2 })
  expect(await runSnapshots('--kind', 'mood')).toMatchObject({ status: 2 })
  expect(await runSnapshots()).toMatchObject({ status: 2, stderr: expect.stringContaining('--kind') })
})
