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
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallName } from '#shared/contract/names.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { createApp } from '#core/app.ts'
import { augustSet, emptyFields } from '../contract/examples.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

const example = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests', 'v01-worked-example')

/** A core on a data folder that can be quit and started again, whose person saves files in that folder. */
function openHouse(dataDir: string) {
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
  const house = {
    dataDir,
    saved,
    ...start(),
    async restart() {
      await house.app.close()
      Object.assign(house, start())
    },
    async receive(path: string): Promise<string> {
      await house.app.receiveFiles([path])
      return (await house.client.call('files.received', {})).at(-1)!.id
    },
  }
  return house
}
type House = ReturnType<typeof openHouse>

function openNewHouse(): House {
  const house = openHouse(dataFolder())
  onTestFinished(() => house.app.close())
  return house
}

/** Fills a folder with something of every kind that a person makes. */
async function furnish({ client, dataDir, receive }: House, documents: string): Promise<void> {
  const { id: connectionId } = await client.call('connections.add', { ...emptyFields, name: 'Desk', tier: 2 })
  await client.call('connections.use', { id: connectionId })
  await client.call('settings.change', { theme: 'dark', timeZone: 'local', zoom: 1.25 })
  await client.call('workspaces.create', { name: 'Week 47', document: emptyDocument() })
  await client.call('lists.import', { text: 'list,exchange,symbol,group\nmajors,venuea-futures,perpetual-BTC,one\n' })
  await client.call('instruments.import', { text: 'exchange,symbol,contract_size\nvenueb-perps,perpetual-BTC,0.01\n' })
  await client.call('downloads.saveSet', { set: { ...augustSet(connectionId), start: { lastDays: 7 } } })
  await client.call('quality.accept', { connectionId, finding, note: 'a known outage' })
  await client.call('sql.create', { name: 'Funding', document: { version: 1, sql: 'SELECT 1', parameters: {} } })
  await client.call('sql.run', { sql: 'SELECT 42 AS x', parameters: {} })
  const study = JSON.parse(readFileSync(join(example, '1.test.json'), 'utf8')) as Record<string, unknown>
  const document = { version: 1 as const, study, panel: { path: join(example, 'panel.csv'), against: null } }
  const { id } = await client.call('lab.create', { name: 'Two symbols', document })
  await client.call('lab.run', { id, document })
  await client.call('ledger.reset', { reason: 'moving' })
  const note = { kind: 'text' as const, markdown: '# Today' }
  await client.call('boards.create', {
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
  await client.call('documents.use', { folder: documents })
}

const finding = {
  dataset: 'ohlcv',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  kind: 'spike' as const,
  column: 'close',
  from: 0,
  to: 60_000,
}

/** Reads what every screen shows of the person's own things. */
async function everyScreen({ client, dataDir }: House): Promise<Record<string, unknown>> {
  const seen: Record<string, unknown> = {}
  const ask = async <Name extends CallName>(name: Name, input: CallInput<Name>) => {
    seen[`${name} ${JSON.stringify(input)}`] = await client.call(name, input).catch((thrown: unknown) => String(thrown))
  }
  await ask('settings.read', {})
  await ask('connections.list', {})
  await ask('instruments.list', {})
  const connections = await client.call('connections.list', {})
  for (const { id: connectionId } of connections) {
    await ask('lists.list', { connectionId })
    await ask('downloads.sets', { connectionId })
    await ask('watch.rows', { connectionId, list: 'majors' } as never)
    await ask('quality.check', { connectionId })
    for (const kind of ['portfolio', 'factor'] as const)
      await ask('portfolio.usedIds', { connectionId, kind, limit: 50 } as never)
  }
  for (const list of ['workspaces', 'lab', 'sql', 'boards'] as const) {
    await ask(`${list}.list`, {})
    for (const { id } of await client.call(`${list}.list`, {})) await ask(`${list}.read`, { id })
  }
  for (const { id } of await client.call('lab.list', {})) await ask('lab.answer', { id })
  await ask('sql.history', {})
  await ask('inbox.list', {})
  await ask('returns.list', {})
  for (const { id } of await client.call('returns.list', {})) await ask('returns.read', { connectionId: '', id })
  await ask('documents.list', {})
  const { copyPath, ...overview } = await client.call('ledger.overview', {})
  seen.ledger = overview
  expect(copyPath).toBe(join(dataDir, 'ledger.jsonl'))
  for (const { family } of overview.families) await ask('ledger.family', { family })
  await ask('ledger.verify', {})
  return seen
}

let old: House
let before: Record<string, unknown>
/** Folder that both machines see, such as a clone at the same place. */
let documents: string
let backup: CallOutput<'app.backup'>
beforeAll(async () => {
  documents = mkdtempSync(join(tmpdir(), 'perpscope-documents-'))
  old = openHouse(mkdtempSync(join(tmpdir(), 'perpscope-house-')))
  await furnish(old, documents)
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
  expect(before['documents.list {}']).toMatchObject({ folder: documents, problem: null })

  const fresh = openNewHouse()
  const file = await fresh.receive(old.saved[0])
  const ready = await fresh.client.call('app.restore', { file, replace: false })
  expect(ready).toEqual({ state: 'ready', name: backup!.name, items: backup!.items })
  expect((await fresh.client.call('app.info', {})).restore).toEqual({ name: backup!.name, items: backup!.items })
  expect(await fresh.client.call('workspaces.list', {})).toEqual([])
  await fresh.restart()
  expect(await everyScreen(fresh)).toEqual(before)
  const info = await fresh.client.call('app.info', {})
  expect(info.restore).toBeNull()
  expect(info.notices).toEqual([expect.stringContaining(`${backup!.name} was restored.`)])
  // The ledger goes on where it was.
  await fresh.client.call('ledger.reset', { reason: 'arrived' })
  expect(await fresh.client.call('ledger.verify', {})).toMatchObject({ entries: 3, broken: null })
  await fresh.restart()
  expect((await fresh.client.call('app.info', {})).notices).toEqual([])
})

it('asks over a folder in use, keeps what was there, and can be called off', async () => {
  const used = openNewHouse()
  await used.client.call('workspaces.create', { name: 'Mine', document: emptyDocument() })
  await used.client.call('ledger.reset', { reason: 'mine' })
  writeFileSync(join(used.dataDir, 'window.json'), '{}')
  const names = async () => (await used.client.call('workspaces.list', {})).map(({ name }) => name)

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
  expect((await client.call('workspaces.list', {})).map(({ name }) => name)).toEqual(['Mine'])
  expect(await client.call('ledger.overview', {})).toMatchObject({ entries: 1, reset: { reason: 'mine' } })
  expect(backup!.items.workspaces).toBe(1)
})

it('is finished by the next start where one was cut short, whatever it had moved', async () => {
  for (const moved of [[], ['perpscope.sqlite'], ['perpscope.sqlite', 'ledger.sqlite']]) {
    const used = openNewHouse()
    await used.client.call('workspaces.create', { name: 'Mine', document: emptyDocument() })
    await used.client.call('app.restore', { file: await used.receive(old.saved[0]), replace: true })
    await used.app.close()
    cutShort(used.dataDir, moved)
    await used.restart()
    expect((await used.client.call('workspaces.list', {})).map(({ name }) => name)).toEqual(['Week 47'])
    expect(await used.client.call('ledger.verify', {})).toMatchObject({ entries: 2, broken: null })
    expect(existsSync(join(used.dataDir, 'restore.json'))).toBe(false)
  }
})

/** Leaves a folder as a start does that was killed after it had exchanged these files. */
function cutShort(dataDir: string, moved: readonly string[]): void {
  const { kept } = JSON.parse(readFileSync(join(dataDir, 'restore.json'), 'utf8')) as { kept: string }
  mkdirSync(join(dataDir, kept))
  for (const name of moved) {
    if (existsSync(join(dataDir, name))) renameSync(join(dataDir, name), join(dataDir, kept, name))
    renameSync(join(dataDir, 'restore', name), join(dataDir, name))
  }
}

it('waits while another process has the folder open, and refuses newer, damaged and foreign files', async () => {
  const used = openNewHouse()
  await used.client.call('workspaces.create', { name: 'Mine', document: emptyDocument() })
  const document = JSON.parse(gunzipSync(readFileSync(old.saved[0])).toString()) as Record<string, unknown>
  const files: [Buffer, RegExp][] = [
    [
      gzipSync(JSON.stringify({ ...document, version: 2, app: '9.9.9' })),
      /^odd\.backup was made by a newer Perpscope \(9\.9\.9\)/,
    ],
    [gzipSync(JSON.stringify({ ...document, content: {} })), /damaged/],
    [Buffer.from('exchange,symbol'), /is no backup of Perpscope/],
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
  const says = (await second.clientFor(fakeHost()).call('app.info', {})).notices
  expect(says).toEqual([expect.stringMatching(/not restored yet: Perpscope is running on/)])
  await second.close()
  await used.restart()
  expect((await used.client.call('workspaces.list', {})).map(({ name }) => name)).toEqual(['Week 47'])
})
