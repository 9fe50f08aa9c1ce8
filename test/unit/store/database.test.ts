import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { userTables } from '#core/store/backup/backupFile.ts'
import { migrate } from '#core/store/migrations/migration.ts'
import { migrations } from '#core/store/migrations/migrations.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

function open(dataDir: string, { slowQueryMs = 1000 } = {}) {
  const log = fakeLog()
  const store = openStore({ dataDir, clock: fakeClock(), log, slowQueryMs })
  onTestFinished(() => store.close())
  return Object.assign(store, { log })
}

/** Returns all rows of the tables that hold what the user made, by table. */
const userRows = ({ database: { reads } }: ReturnType<typeof openStore>) =>
  Object.fromEntries(
    userTables(new Sqlite(reads.first<{ file: string }>('PRAGMA database_list')!.file, { readonly: true })).map(
      ({ name }) => [name, reads.all<Record<string, unknown>>(`SELECT * FROM "${name}"`)],
    ),
  )

const indexOf = (dataDir: string) => join(dataDir, 'perpscope.sqlite')

describe('opening the index', () => {
  test('makes the folder and the file, for this person alone', () => {
    const dataDir = join(temporaryFolder(), 'deep', 'new')
    const store = open(dataDir)
    expect(store.notices).toEqual([])
    if (process.platform !== 'win32') {
      expect(statSync(dataDir).mode & 0o777).toBe(0o700)
      for (const entry of readdirSync(dataDir, { withFileTypes: true }))
        expect(statSync(join(dataDir, entry.name)).mode & 0o777, entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600)
    }
  })

  test('is durable, concurrent and keeps references whole', () => {
    const { database } = open(temporaryFolder())
    const pragma = (name: string) => Object.values(database.writes.first<object>(`PRAGMA ${name}`) ?? {})[0]
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(2)
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('busy_timeout')).toBeGreaterThan(0)
  })

  test('the reader cannot write', () => {
    const { database } = open(temporaryFolder())
    expect(() => database.reads.all('DELETE FROM connections RETURNING id')).toThrow(
      expect.objectContaining({ code: 'read-only' }),
    )
    expect(database.reads.all('SELECT id FROM connections')).toHaveLength(1)
  })

  test('refuses a database from the future and leaves it as it is', () => {
    const dataDir = temporaryFolder()
    const future = new Sqlite(indexOf(dataDir))
    future.pragma('user_version = 990')
    future.close()
    expect(() => open(dataDir)).toThrow(
      expect.objectContaining({ code: 'database-newer', detail: expect.stringContaining('version 990') }),
    )
    const after = new Sqlite(indexOf(dataDir))
    expect(after.pragma('user_version', { simple: true })).toBe(990)
    after.close()
  })

  test('a path that is a file is reported in a sentence', () => {
    const path = join(temporaryFolder(), 'file')
    writeFileSync(path, '')
    for (const dataDir of [path, join(path, 'below')]) {
      expect(() => open(dataDir)).toThrow(
        expect.objectContaining({ code: 'read-only', detail: expect.stringContaining('a file where a folder') }),
      )
    }
  })

  test('a folder in place of the index is reported in a sentence', () => {
    const dataDir = temporaryFolder()
    mkdirSync(indexOf(dataDir))
    expect(() => open(dataDir)).toThrow(expect.objectContaining({ code: 'read-only' }))
  })
})

describe('a damaged index', () => {
  const damages: [name: string, damage: (whole: Buffer) => Buffer][] = [
    ['text instead of a database', () => Buffer.from('this is not a database, it is a letter '.repeat(30))],
    ['cut in the middle', (whole) => whole.subarray(0, 6000)],
    [
      'a page overwritten',
      (whole) => Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(4096, 0xa5), whole.subarray(8192)]),
    ],
  ]
  test.each(damages)('%s: set aside, a new one made, the person told', (_name, damage) => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    first.settings.change({ theme: 'dark' })
    first.close()
    const damaged = damage(readFileSync(indexOf(dataDir)))
    writeFileSync(indexOf(dataDir), damaged)

    const store = open(dataDir)

    expect(store.notices).toEqual([expect.stringContaining('was damaged')])
    expect(store.log.lines).toEqual([expect.stringContaining('was damaged')])
    const aside = readdirSync(dataDir).filter((name) =>
      /^perpscope\.sqlite\.damaged-2026-09-01T12-00-00[^-]*$/.test(name),
    )
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(dataDir, aside[0])).equals(damaged)).toBe(true)
    expect(store.settings.change({ theme: 'light' }).theme).toBe('light')
  })

  test('damage in a large index is found when it is met, and the next start sets it aside', () => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    first.database.writes.run('CREATE TABLE large (words TEXT)')
    first.database.writes.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
      INSERT INTO large SELECT printf('%0100d', i) FROM n`)
    first.close()
    const whole = readFileSync(indexOf(dataDir))
    writeFileSync(indexOf(dataDir), whole.fill(0xa5, 4096 * 1000, 4096 * 1010))

    const second = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    expect(second.notices).toEqual([])
    expect(() => second.database.reads.all('SELECT words FROM large')).toThrow(
      expect.objectContaining({ code: 'corrupt-file', detail: expect.stringContaining('Restart') }),
    )
    second.close()

    expect(open(dataDir).notices).toEqual([expect.stringContaining('was damaged')])
  })

  test('what can still be read of settings, connections and documents is carried over', () => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    first.settings.change({ theme: 'dark', zoom: 1.5 })
    const url = 'https://metrics.example'
    const fields = { metricsUrl: url, portfolioUrl: '', catalogLocation: '', tier: 2 }
    const desk = first.connections.add({ ...fields, name: 'Desk' })
    first.connections.use(desk.id)
    first.connections.add({ ...fields, name: 'Broken' })
    first.database.writes.run("UPDATE connections SET metrics_url = 'javascript:1' WHERE name = 'Broken'")
    const study = { version: 1 as const, study: { version: 1, kind: 'signal', signal: 'a' }, panel: null }
    const { id } = first.documents.study.create('Carry', study)
    const workspace = first.documents.workspace.create('Desk', emptyDocument())
    const [{ rootpage }] = first.database.reads.all<{ rootpage: number }>(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'leases'",
    )
    first.close()
    const whole = readFileSync(indexOf(dataDir))
    writeFileSync(indexOf(dataDir), whole.fill(0xa5, 4096 * (rootpage - 1), 4096 * rootpage))

    const store = open(dataDir)

    expect(store.notices).toEqual([expect.stringContaining('Recovered: 2 changed settings, ')])
    expect(store.settings.read()).toMatchObject({ theme: 'dark', zoom: 1.5 })
    expect(store.connections.list().map(({ name, active }) => [name, active])).toEqual([
      ['Sandbox', false],
      ['Desk', true],
    ])
    expect(store.connections.find(desk.id)).toEqual({ ...desk, active: true })
    expect(store.documents.study.read(id)).toMatchObject({ name: 'Carry', document: study })
    expect(store.documents.workspace.read(workspace.id)).toMatchObject({ name: 'Desk' })
  })

  test('every column of every table of the user is carried over', () => {
    const dataDir = temporaryFolder()
    const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    const desk = first.connections.add({
      name: 'Desk',
      metricsUrl: 'https://metrics.example',
      portfolioUrl: 'https://portfolio.example',
      catalogLocation: 'https://catalog.example/catalog.json',
      tier: 2,
      privateStorage: true,
      store: 's3://desk/files',
      storeEndpoint: 'http://store.example:9000',
      storePlainHttp: true,
      venues: [{ id: 'alpha-futures', short: 'alpha', sizes: 'contracts', exchangeTimes: null }],
      preview: true,
    })
    first.connections.use(desk.id)
    first.connections.noteKeyChange(desk.id)
    first.engines.save(desk.id, { url: 'https://engine.example', user: 'desk', cluster: 'main', plainHttp: true })
    first.settings.change({ theme: 'dark' })
    first.documents.workspace.create('Mine', emptyDocument())
    first.lists.replace([{ list: 'Majors', exchange: 'alpha-futures', symbol: 'BTC-USDT', group: 'large' }])
    const before = userRows(first)
    const [connection] = before.connections.filter(({ id }) => id === desk.id)
    for (const { name, dflt_value: normal } of first.database.reads.all<{ name: string; dflt_value: string | null }>(
      "SELECT name, dflt_value FROM pragma_table_info('connections') WHERE name <> 'built_in'",
    ))
      expect(String(connection[name]), `a value of its own in ${name}`).not.toBe(normal?.replaceAll("'", '') ?? 'null')
    first.close()
    rmSync(join(dataDir, 'perpscope.daily.sqlite'))
    writeFileSync(indexOf(dataDir), readFileSync(indexOf(dataDir)).fill(0xa5, 0, 16))

    expect(userRows(open(dataDir))).toEqual(before)
  })

  test.each<[name: string, keepsDaily: boolean, damage: (whole: Buffer) => Buffer]>([
    ['its first 16 bytes, from its rows', false, (whole) => whole.fill(0xa5, 0, 16)],
    ['its whole first page, from the daily copy', true, (whole) => whole.fill(0xa5, 0, 4096)],
    ['all of it, from the daily copy', true, () => Buffer.from('no database at all')],
  ])('an index that lost %s, is recovered', (_name, keepsDaily, damage) => {
    const dataDir = temporaryFolder()
    const daily = join(dataDir, 'perpscope.daily.sqlite')
    const first = openStore({ dataDir, clock: fakeClock(), log: fakeLog() })
    first.settings.change({ theme: 'dark' })
    const desk = first.connections.add({
      name: 'Desk',
      metricsUrl: 'https://metrics.example',
      portfolioUrl: '',
      catalogLocation: '',
      tier: 2,
    })
    const workspace = first.documents.workspace.create('Mine', emptyDocument())
    first.close()
    expect(statSync(daily).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600)
    if (!keepsDaily) rmSync(daily)
    const damaged = damage(readFileSync(indexOf(dataDir)))
    writeFileSync(indexOf(dataDir), damaged)

    const refused = { dataDir, clock: fakeClock(), log: fakeLog(), refuseDamaged: true }
    expect(() => openStore(refused)).toThrow(expect.objectContaining({ code: 'corrupt-file' }))
    expect(readFileSync(indexOf(dataDir)).equals(damaged)).toBe(true)

    const store = open(dataDir)
    expect(store.settings.read().theme).toBe('dark')
    expect(store.connections.find(desk.id)).toMatchObject({ name: 'Desk', tier: 2 })
    expect(store.documents.workspace.read(workspace.id)).toMatchObject({ name: 'Mine' })
    const names = readdirSync(dataDir)
    const aside = names.find((name) => name.startsWith('perpscope.sqlite.damaged-'))!
    expect(readFileSync(join(dataDir, aside)).equals(damaged)).toBe(true)
    expect(names.some((name) => name.startsWith('perpscope.daily.damaged-'))).toBe(keepsDaily)
    expect(names.filter((name) => name.endsWith('.reading'))).toEqual([])
  })

  test('the documents of a damaged index of an earlier version are carried over', () => {
    const dataDir = temporaryFolder()
    const earlier = new Sqlite(indexOf(dataDir))
    migrate(
      earlier,
      migrations.filter(({ version }) => version <= 360),
    )
    const workspace = JSON.stringify(emptyDocument())
    earlier.prepare(`INSERT INTO workspaces VALUES ('w', 'Mine', ?, 0, 3, 30)`).run(workspace)
    earlier.exec(`INSERT INTO lab_documents VALUES ('s', 'Carry', 'signal', '{}', 1, 20, x'00', 21)`)
    earlier.exec(`INSERT INTO symbol_lists VALUES ('Majors', 0, 'v', 'BTC', NULL), ('Majors', 1, 'v', 'ETH', NULL)`)
    earlier.exec(`INSERT INTO download_sets VALUES ('sandbox', 'August', '{}', 40, NULL)`)
    earlier.pragma('journal_mode = WAL')
    earlier.close()
    writeFileSync(indexOf(dataDir), readFileSync(indexOf(dataDir)).fill(0xa5, 0, 16))

    const { notices, documents, lists } = open(dataDir)
    expect(notices).toEqual([expect.stringContaining('4 documents')])
    expect(lists.all().map(({ list, symbol }) => [list, symbol])).toEqual([
      ['Majors', 'BTC'],
      ['Majors', 'ETH'],
    ])
    expect(documents.set.list()).toMatchObject([{ name: 'August', connectionId: 'sandbox', changedAt: 40 }])
    expect(documents.workspace.read('w')).toMatchObject({ name: 'Mine', revision: 3 })
    expect(documents.study.list()).toMatchObject([{ id: 's', name: 'Carry', kind: 'signal', ranAt: 21 }])
  })

  test('an empty file is a new index, not a damaged one', () => {
    const dataDir = temporaryFolder()
    writeFileSync(indexOf(dataDir), '')
    expect(open(dataDir).notices).toEqual([])
  })
})

describe('queries', () => {
  test('a slow one is logged with its text and without its values', () => {
    const store = open(temporaryFolder(), { slowQueryMs: 0 })
    store.connections.add({ name: 'canary-name', metricsUrl: '', portfolioUrl: '', catalogLocation: '', tier: null })
    const slow = store.log.lines.filter((line) => line.includes('slow query'))
    expect(slow.join('\n')).toMatch(/INSERT INTO connections .* VALUES \(\?, /)
    expect(slow.join('\n')).not.toContain('canary-name')
  })

  test('a full disk is reported as such and changes nothing', () => {
    const store = open(temporaryFolder())
    const [{ page_count: pages }] = store.database.writes.all<{ page_count: number }>('PRAGMA page_count')
    store.database.writes.all(`PRAGMA max_page_count = ${pages}`)
    const long = 'x'.repeat(60_000)
    expect(() =>
      store.connections.add({ name: 'n', metricsUrl: '', portfolioUrl: '', catalogLocation: long, tier: null }),
    ).toThrow(expect.objectContaining({ code: 'disk-full' }))
    expect(store.connections.list()).toHaveLength(1)
  })

  test('a disk too full to open the index is reported with what makes room', () => {
    const dataDir = temporaryFolder()
    const pragma = vi.spyOn(Sqlite.prototype, 'pragma').mockImplementation(() => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    })
    onTestFinished(() => pragma.mockRestore())
    const detail = `Perpscope needs about 1 MB to open its index in ${dataDir}: delete or move other files on this disk.`
    expect(() => open(dataDir)).toThrow(expect.objectContaining({ code: 'disk-full', detail }))
  })
})
