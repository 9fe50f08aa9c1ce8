import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import type { DocumentKind } from '#shared/contract/documents/kindNames.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { type ScreenName, screenNames } from '#shared/contract/screenNames.ts'
import { createApp } from '#core/app.ts'
import { openStore } from '#core/store/store.ts'
import { settingsText } from '../../renderer/text/settings.ts'
import { augustSet, emptyFields } from '../contract/examples.ts'
import { addMetricFiles } from '../fakes/cacheMarket.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeLog } from '../fakes/fakeLog.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

const example = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests', 'v01-worked-example')

/** Opens a core that can be closed and started again on the same data folder, in which the user also saves files. */
function openInstallation(dataDir: string) {
  const saved: string[] = []
  const host = {
    ...fakeHost(),
    async save(file: { name: string }, open: () => AsyncIterable<unknown>) {
      const chunks: Buffer[] = []
      for await (const chunk of open()) chunks.push(Buffer.from(chunk as Uint8Array))
      saved.push(join(dataDir, file.name))
      writeFileSync(saved.at(-1)!, Buffer.concat(chunks))
      return { name: file.name, path: null }
    },
  }
  const start = () => {
    const app = createApp(fakePorts(), { version: '9.8.7', dataDir })
    return { app, client: app.clientFor(host) }
  }
  const installation = {
    dataDir,
    saved,
    ...start(),
    async restart() {
      await installation.app.close()
      Object.assign(installation, start())
    },
    async receive(path: string): Promise<string> {
      await installation.app.receiveFiles([path])
      return (await installation.client.call('files.received', {})).at(-1)!.id
    },
  }
  return installation
}
type Installation = ReturnType<typeof openInstallation>

function openNewInstallation(): Installation {
  const house = openInstallation(dataFolder())
  onTestFinished(() => house.app.close())
  return house
}

/** Fills a data folder with every kind of thing that a user can create. */
async function fillInstallation({ client, dataDir, receive }: Installation, documents: string): Promise<void> {
  const { id: connectionId } = await client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 2 })
  await client.call('connections.use', { id: connectionId })
  await client.call('settings.change', {
    ...{ theme: 'dark', timeZone: 'local', zoom: 1.25 },
    watchColumns: [{ name: 'double', formula: 'ohlcv.close * 2' }],
    favouritePortfolios: ['momentum_ls.20'],
  })
  await client.call('documents.create', { kind: 'workspace', name: 'Week 47', document: emptyDocument() })
  await client.call('lists.import', { text: `list,exchange,symbol,group\nmajors,venuea-futures,${BTC},one\n` })
  const rows = [`venuea-futures,${BTC},,8h`, `venuea-futures,${BTC},2026-10-01,8h`]
  await client.call('instruments.import', { text: ['exchange,symbol,valid_from,funding_every', ...rows].join('\n') })
  await client.call('funding.setDefault', { exchange: 'alpha-futures', symbol: null, every: '4h' })
  await client.call('downloads.saveSet', { set: { ...augustSet(connectionId), start: { lastDays: 7 } } })
  await client.call('quality.accept', { connectionId: 'sandbox', finding, note: 'a known outage' })
  await client.call('documents.create', {
    kind: 'query',
    name: 'Funding',
    document: { version: 1, sql: 'SELECT 1', parameters: {} },
  })
  await client.call('sql.run', { sql: 'SELECT 42 AS x', parameters: {} })
  const study = JSON.parse(readFileSync(join(example, '1.test.json'), 'utf8')) as Record<string, unknown>
  const document = { version: 1 as const, study, panel: { path: join(example, 'panel.csv'), against: null } }
  const { id } = await client.call('documents.create', { kind: 'study', name: 'Two symbols', document })
  await client.call('lab.run', { id, document })
  await client.call('ledger.reset', { reason: 'moving' })
  const note = { kind: 'text' as const, markdown: '# Today' }
  await client.call('documents.create', {
    kind: 'board',
    name: 'Morning',
    document: { version: 1, parts: [{ id: 'p1', columns: 4, rows: 2, content: note }] },
  })
  await client.call('inbox.saveCheck', {
    connectionId,
    name: 'Any row',
    rule: { kind: 'sql', sql: 'SELECT 1' },
    replaces: null,
  })
  await client.call('inbox.run', {})
  await client.call('inbox.read', { ids: (await client.call('inbox.list', {})).entries.map((entry) => entry.id) })
  writeFileSync(join(dataDir, 'own.csv'), 'date,return\n2026-01-01,0.012\n2026-01-02,-0.004\n')
  const returns = await client.call('returns.import', { file: await receive(join(dataDir, 'own.csv')) })
  await client.call('returns.change', { id: returns.id, unit: 'fraction' })
  await client.call('folder.use', { folder: documents })
}

/** Finding that the user accepted: the missing hour. */
const finding = {
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  kind: 'missing' as const,
  column: null,
  from: Date.parse('2026-08-30T06:00Z'),
  to: Date.parse('2026-08-30T07:00Z'),
}

type Ask = Client['call']

/** Requests the list of a kind and then each of its documents. */
const documentsOf = (kind: DocumentKind) => async (ask: Ask) => {
  for (const { id } of await ask('documents.list', { kind })) await ask('documents.read', { kind, id })
}

/**
 * Requests of each screen, as its store makes them; data that only a service provides is left out, because it is not
 * the user's.
 */
const screens: Record<ScreenName | 'trials', (ask: Ask) => Promise<unknown>> = {
  workbench: documentsOf('workspace'),
  async watch(ask) {
    const { watchColumns: columns } = await ask('settings.read', {})
    await ask('watch.rows', { connectionId: 'sandbox', list: 'majors', columns })
  },
  async boards(ask) {
    await documentsOf('board')(ask)
    for (const { id } of await ask('documents.list', { kind: 'board' }))
      for (const { content } of (await ask('documents.read', { kind: 'board', id })).document.parts)
        await ask('boards.answer', { connectionId: 'sandbox', content })
  },
  catalog: (ask) => ask('connections.list', {}),
  async coverage(ask) {
    await ask('lists.list', { connectionId: 'sandbox' })
    await ask('coverage.cachedSeries', { connectionId: 'sandbox' })
  },
  async downloads(ask) {
    for (const { id: connectionId } of await ask('connections.list', {})) await ask('downloads.sets', { connectionId })
  },
  quality: (ask) => ask('quality.check', { connectionId: 'sandbox' }),
  async lab(ask) {
    await documentsOf('study')(ask)
    for (const { id } of await ask('documents.list', { kind: 'study' })) await ask('lab.answer', { id })
  },
  async sql(ask) {
    await documentsOf('query')(ask)
    await ask('sql.history', {})
  },
  async portfolios(ask) {
    for (const kind of ['portfolio', 'factor'] as const)
      await ask('portfolio.usedIds', { connectionId: 'sandbox', kind, limit: 50 })
    for (const { id } of await ask('returns.list', {})) await ask('returns.read', { connectionId: 'sandbox', id })
  },
  raw: async (ask) => {
    await ask('instruments.list', {})
    await ask('funding.defaults', {})
  },
  inbox: (ask) => ask('inbox.list', {}),
  async settings(ask) {
    await ask('settings.read', {})
    await ask('folder.list', {})
  },
  guide: (ask) => ask('settings.read', {}),
  async trials(ask) {
    const { families } = await ask('ledger.overview', {})
    for (const { family } of families) await ask('ledger.family', { family })
    await ask('ledger.verify', {})
  },
}

/** Reads what every screen shows; a failed request fails the test. */
async function everyScreen({ client, dataDir }: Installation): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  for (const [screen, look] of Object.entries(screens))
    await look(async (name, input) => {
      const answer = await client.call(name, input)
      seen[`${screen}: ${name} ${JSON.stringify(input)}`] = withoutDataDir(answer, dataDir)
      return answer
    })
  return seen
}

/** Returns an answer without the path of the data folder, which differs between machines. */
const withoutDataDir = (answer: unknown, dataDir: string): unknown =>
  JSON.parse(JSON.stringify(answer ?? null, (_key, value: unknown) => plainValue(value)).replaceAll(dataDir, 'DATA'))
const plainValue = (value: unknown) => (ArrayBuffer.isView(value) ? [...(value as Float64Array)] : value)

const BTC = 'perpetual-BTC-USDT:USDT'
const days = ['2026-08-29', '2026-08-30', '2026-08-31'] as const
const START_MS = Date.parse(days[0])

/** Caches the same hourly files on every machine; one hour is missing in them. */
function cacheFiles(dataDir: string): void {
  const store = openStore({ dataDir, clock: fakePorts().clock, log: fakeLog() })
  const series = { exchange: 'venuea-futures', symbol: BTC, interval: '1h' }
  const hours = Array.from({ length: 72 }, (_, hour) => hour).filter((hour) => hour !== 30)
  const rowsOf = (name: string, of: (hour: number) => number) =>
    hours.map((hour) => ({ time: START_MS + hour * 3_600_000, [name]: of(hour), volume: 5 + (hour % 7) }))
  const candles = rowsOf('close', (hour) => 100 + hour)
  addMetricFiles(store, dataDir, { ...series, dataset: 'ohlcv', columns: ['close', 'volume'], rows: candles }, days)
  const rates = rowsOf('funding_rate', () => 0.0001)
  addMetricFiles(store, dataDir, { ...series, dataset: 'funding', columns: ['funding_rate'], rows: rates }, days)
  store.close()
}

let old: Installation
let before: Record<string, unknown>
/** Folder that both machines use, such as a clone at the same place. */
let documents: string
let backup: CallOutput<'app.backup'>
beforeAll(async () => {
  documents = mkdtempSync(join(tmpdir(), 'perpscope-documents-'))
  old = openInstallation(mkdtempSync(join(tmpdir(), 'perpscope-house-')))
  await fillInstallation(old, documents)
  cacheFiles(old.dataDir)
  before = await everyScreen(old)
  backup = await old.client.call('app.backup', {})
})
afterAll(async () => {
  await old.app.close()
  for (const folder of [old.dataDir, documents]) rmSync(folder, { recursive: true, force: true })
})

it('moves a full folder to an empty one, and every screen shows the same', async () => {
  expect(backup?.items).toMatchObject({ workspaces: 1, labStudies: 1, queries: 1, sets: 1, lists: 1, ledger: 2 })
  expect(backup?.items).toMatchObject({ boards: 1, checks: 1, inbox: 1, returnsFiles: 1, documentsFolder: 1 })
  expect(backup?.items).toMatchObject({ instruments: 2, fundingPeriods: 1 })
  // The window has a text for every kind of item in a backup.
  expect(Object.keys(backup?.items ?? {}).filter((kind) => !(kind in settingsText.backup.kinds))).toEqual([])
  // Every screen was read and shows the user's data; one of the two gaps was accepted.
  expect(Object.keys(screens).filter((name) => name !== 'trials')).toEqual(expect.arrayContaining([...screenNames]))
  const shown = (start: string) => before[Object.keys(before).find((name) => name.startsWith(start))!]
  expect(shown('settings: folder.list')).toMatchObject({ folder: documents, problem: null })
  expect(shown('watch: watch.rows')).toMatchObject({
    rows: [{ symbol: BTC, last: 171, funding_annualised: expect.closeTo(0.1095, 10), values: [342], quality: 1 }],
  })
  expect(shown('quality: quality.check')).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ accepted: { note: 'a known outage', at: expect.any(Number) } }),
    ]),
  })
  expect(shown('lab: lab.answer')).toMatchObject({ result: { kind: 'portfolio' } })
  expect(shown('inbox: inbox.list')).toMatchObject({ entries: [{}] })

  const fresh = openNewInstallation()
  const file = await fresh.receive(old.saved[0])
  const ready = await fresh.client.call('app.restore', { file, replace: false })
  expect(ready).toEqual({ state: 'ready', name: backup!.name, items: backup!.items })
  expect((await fresh.client.call('app.info', {})).restore).toEqual({ name: backup!.name, items: backup!.items })
  expect(await fresh.client.call('documents.list', { kind: 'workspace' })).toEqual([])
  await fresh.restart()
  // A backup does not contain the cache, so the same files are downloaded again.
  cacheFiles(fresh.dataDir)
  expect(await everyScreen(fresh)).toEqual(before)
  const info = await fresh.client.call('app.info', {})
  expect(info.restore).toBeNull()
  expect(info.notices).toEqual([expect.stringContaining(`${backup!.name} was restored.`)])
  // The ledger continues with its next entry.
  await fresh.client.call('ledger.reset', { reason: 'arrived' })
  expect(await fresh.client.call('ledger.verify', {})).toMatchObject({ entries: 3, broken: null })
  await fresh.restart()
  expect((await fresh.client.call('app.info', {})).notices).toEqual([])
})

it('asks before it replaces a folder in use, keeps what was there, and can be called off', async () => {
  const used = openNewInstallation()
  await used.client.call('documents.create', { kind: 'workspace', name: 'Mine', document: emptyDocument() })
  await used.client.call('ledger.reset', { reason: 'mine' })
  writeFileSync(join(used.dataDir, 'window.json'), '{}')
  const names = async () => (await used.client.call('documents.list', { kind: 'workspace' })).map(({ name }) => name)

  const file = await used.receive(old.saved[0])
  expect(await used.client.call('app.restore', { file, replace: false })).toMatchObject({ state: 'in-use' })
  expect(existsSync(join(used.dataDir, 'restore'))).toBe(false)
  await used.client.call('app.restore', { file, replace: true })
  await used.client.call('app.cancelRestore', {})
  await used.restart()
  expect(await names()).toEqual(['Mine'])

  await used.client.call('app.restore', { file: await used.receive(old.saved[0]), replace: true })
  await used.restart()
  expect(await names()).toEqual(['Week 47'])
  expect(await used.client.call('ledger.overview', {})).toMatchObject({ entries: 2 })
  expect(existsSync(join(used.dataDir, 'window.json'))).toBe(true)
  expect(existsSync(join(used.dataDir, 'restore'))).toBe(false)
  const kept = join(
    used.dataDir,
    readdirSync(used.dataDir).find((name) => name.startsWith('before-'))!,
  )
  expect((await used.client.call('app.info', {})).notices[0]).toContain(kept)
  const earlier = createApp(fakePorts(), { version: '9.8.7', dataDir: kept })
  onTestFinished(() => earlier.close())
  const client = earlier.clientFor(fakeHost())
  expect((await client.call('documents.list', { kind: 'workspace' })).map(({ name }) => name)).toEqual(['Mine'])
  expect(await client.call('ledger.overview', {})).toMatchObject({ entries: 1, reset: { reason: 'mine' } })
  expect(backup!.items.workspaces).toBe(1)
})

it('is finished by the next start where one was cut short, whatever it had moved', async () => {
  for (const moved of [[], ['perpscope.sqlite'], ['perpscope.sqlite', 'ledger.sqlite']]) {
    const used = openNewInstallation()
    await used.client.call('documents.create', { kind: 'workspace', name: 'Mine', document: emptyDocument() })
    await used.client.call('app.restore', { file: await used.receive(old.saved[0]), replace: true })
    await used.app.close()
    cutShort(used.dataDir, moved)
    await used.restart()
    expect((await used.client.call('documents.list', { kind: 'workspace' })).map(({ name }) => name)).toEqual([
      'Week 47',
    ])
    expect(await used.client.call('ledger.verify', {})).toMatchObject({ entries: 2, broken: null })
    expect(existsSync(join(used.dataDir, 'restore.json'))).toBe(false)
  }
})

/** Leaves a data folder in the state of a start that was killed after it had exchanged the files `moved`. */
function cutShort(dataDir: string, moved: readonly string[]): void {
  const { kept } = JSON.parse(readFileSync(join(dataDir, 'restore.json'), 'utf8')) as { kept: string }
  mkdirSync(join(dataDir, kept))
  for (const name of moved) {
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(dataDir, kept, name))
    renameSync(join(dataDir, 'restore', name), join(dataDir, name))
  }
}

it('waits while another process has the folder open, and refuses newer, damaged and foreign files', async () => {
  const used = openNewInstallation()
  await used.client.call('documents.create', { kind: 'workspace', name: 'Mine', document: emptyDocument() })
  const document = JSON.parse(gunzipSync(readFileSync(old.saved[0])).toString()) as Record<string, unknown>
  const files: [Buffer, RegExp][] = [
    [
      gzipSync(JSON.stringify({ ...document, version: 2, app: '9.9.9' })),
      /^odd\.backup was made by a newer Perpscope \(9\.9\.9\)/,
    ],
    [gzipSync(JSON.stringify({ ...document, content: {} })), /damaged/],
    [Buffer.from('exchange,symbol'), /is not a Perpscope backup/],
  ]
  for (const [bytes, says] of files) {
    writeFileSync(join(used.dataDir, 'odd.backup'), bytes)
    const file = await used.receive(join(used.dataDir, 'odd.backup'))
    const refused = used.client.call('app.restore', { file, replace: true })
    await expect(refused).rejects.toMatchObject({ code: 'bad-input', detail: expect.stringMatching(says) })
    expect(existsSync(join(used.dataDir, 'restore.json'))).toBe(false)
  }
  await used.client.call('app.restore', { file: await used.receive(old.saved[0]), replace: true })
  const second = createApp(fakePorts(), { version: '9.8.7', dataDir: used.dataDir })
  const notices = (await second.clientFor(fakeHost()).call('app.info', {})).notices
  expect(notices).toEqual([expect.stringMatching(/not restored yet: Perpscope is running on/)])
  await second.close()
  await used.restart()
  expect((await used.client.call('documents.list', { kind: 'workspace' })).map(({ name }) => name)).toEqual(['Week 47'])
})
