import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { run } from '../../electron/cli/run.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backupLimits, packBackup } from '#core/store/backup/backupFile.ts'
import { containsUserData } from '#core/store/backup/restoreBackup.ts'
import { migrate } from '#core/store/migrations/migration.ts'
import { migrations } from '#core/store/migrations/migrations.ts'
import { openStore } from '#core/store/store.ts'
import { fakeClock } from '../fakes/fakeClock.ts'
import { fakeLog } from '../fakes/fakeLog.ts'

const tests = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests', 'v01-worked-example')
const folder = mkdtempSync(join(tmpdir(), 'perpscope-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

/** Runs the CLI on a data folder; returns its status and its output. */
async function perpscope(dataDir: string, ...args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run([...args, '--data-dir', at(dataDir)], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

interface BackupText {
  content: { tables: { name: string; columns: string[]; rows: unknown[][] }[] }
}

/** Commands that print everything a user can see of what was moved. */
const listings = [
  ['connection', 'list'],
  ['lists', 'list'],
  ['instruments', 'list'],
  ['set', 'list'],
  ['study', 'list'],
  ['ledger', 'list'],
  ['ledger', 'show', '1'],
  ['ledger', 'verify'],
]
const everything = (dataDir: string) =>
  Promise.all(listings.map(async (words) => (await perpscope(dataDir, ...words, '--json')).stdout))

const openAt = (dataDir: string) => openStore({ dataDir: at(dataDir), clock: fakeClock(), log: fakeLog() })

function keepWorkspace(dataDir: string, name: string): void {
  const store = openAt(dataDir)
  store.database.writes.run(`INSERT INTO settings (key, value) VALUES ('theme', '"dark"')`)
  store.database.writes.run(
    `INSERT INTO user_documents VALUES ('workspace', 'w1', 'week 47', ?, '{"notes":["élan"]}', '{"series":0}', '{}', 1, 2)`,
    name,
  )
  store.close()
}

const backup = at('all.backup')

beforeAll(async () => {
  writeFileSync(at('lists.csv'), 'list,exchange,symbol,group\nmajors,venuea-futures,perpetual-BTC-USDT:USDT,one\n')
  writeFileSync(at('instruments.csv'), 'exchange,symbol,contract_size\nvenueb-perps,perpetual-BTC-USDT:USDT,0.01\n')
  const urls = ['--metrics-url', 'https://a.example', '--portfolio-url', 'https://b.example']
  const commands = [
    ['connection', 'add', 'work', ...urls, '--catalog', 'https://c.example/catalog.json'],
    ['lists', 'import', at('lists.csv')],
    ['instruments', 'import', at('instruments.csv')],
    ['study', 'run', join(tests, '1.test.json'), '--panel', join(tests, 'panel.csv')],
    ['ledger', 'reset', '--reason', 'moving'],
  ]
  for (const command of commands) expect(await perpscope('old', ...command)).toMatchObject({ status: 0 })
  keepWorkspace('old', 'Week 47')
  expect(await perpscope('old', 'backup', backup, '--json')).toMatchObject({ status: 0 })
})

describe('backup and restore', () => {
  it('move a full folder to an empty one', async () => {
    const written = await perpscope('old', 'backup', at('second.backup'), '--json')
    const { file, bytes, items } = JSON.parse(written.stdout) as { file: string; bytes: number; items: object }
    expect({ file, bytes }).toEqual({ file: at('second.backup'), bytes: statSync(file).size })
    expect(items).toMatchObject({ connections: 2, lists: 1, instruments: 1, workspaces: 1, studies: 1, ledger: 2 })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const restored = await perpscope('new', 'restore', backup, '--json')
    expect(restored).toMatchObject({ status: 0 })
    expect(JSON.parse(restored.stdout)).toEqual({ file: backup, bytes: statSync(backup).size, items })
    expect(await everything('new')).toEqual(await everything('old'))
    const store = openAt('new')
    expect(store.database.reads.all('SELECT name, document FROM workspaces')).toEqual([
      { name: 'Week 47', document: '{"notes":["élan"]}' },
    ])
    store.close()
    expect(statSync(at('new')).mode & 0o777).toBe(0o700)
    // The same test is recorded as a repetition, because the ledger was restored too.
    await perpscope('new', 'ledger', 'list')
    const again = await perpscope(
      'new',
      'study',
      'run',
      join(tests, '1.test.json'),
      '--panel',
      join(tests, 'panel.csv'),
    )
    expect(again.status).toBe(0)
    const { entries } = JSON.parse((await perpscope('new', 'ledger', 'list', '--json')).stdout) as { entries: object[] }
    expect(entries.at(-1)).toMatchObject({ sequence: 3 })
  })

  it('keep no key and no cached file', () => {
    const text = gunzipSync(readFileSync(backup)).toString('utf8')
    expect(text.startsWith('{"format":"perpscope-backup","version":1,')).toBe(true)
    const { content } = JSON.parse(text) as { content: { tables: { name: string }[] } }
    const names = content.tables.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['settings', 'connections', 'user_documents', 'study_answers']))
    expect(names.filter((name) => /^(files|series|documents|portfolio_days|jobs|parts)$/.test(name))).toEqual([])
    expect(text).not.toMatch(/api_?key/i)
  })

  it('ask before a folder in use is replaced, and keep what was there', async () => {
    await perpscope('used', 'lists', 'import', at('lists.csv'))
    const before = await everything('used')
    const refused = await perpscope('used', 'restore', backup, '--json')
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('--replace')
    expect(await everything('used')).toEqual(before)
    const restored = await perpscope('used', 'restore', backup, '--replace')
    expect(restored.status).toBe(0)
    expect(await everything('used')).toEqual(await everything('old'))
    const kept = readdirSync(folder).find((name) => name.startsWith('used.before-')) ?? ''
    expect(restored.stderr).toContain(kept)
    expect(await everything(kept)).toEqual(before)
  })

  it('replace the folder behind a link, and leave the link', async () => {
    renameSync(at('used'), at('disk'))
    symlinkSync(at('disk'), at('used'))
    expect((await perpscope('used', 'restore', backup, '--replace')).status).toBe(0)
    expect(readlinkSync(at('used'))).toBe(at('disk'))
    expect(readdirSync(folder).some((name) => name.startsWith('disk.before-'))).toBe(true)
  })

  it('refuse a newer, a damaged and a foreign file with a sentence, and change nothing', async () => {
    const document = JSON.parse(gunzipSync(readFileSync(backup)).toString('utf8')) as Record<string, unknown>
    const content = document.content as { schema: number }
    const files: [string, Buffer, RegExp][] = [
      ['newer', gzipSync(JSON.stringify({ ...document, version: 2, app: '9.0.0' })), /newer Perpscope \(9\.0\.0\)/],
      ['torn', readFileSync(backup).subarray(0, 900), /damaged/],
      ['changed', gzipSync(JSON.stringify({ ...document, content: { ...content, ledger: '' } })), /checksum/],
      ['text', Buffer.from('exchange,symbol'), /not a Perpscope backup/],
      ['empty', Buffer.alloc(0), /not a Perpscope backup/],
    ]
    for (const [name, bytes, says] of files) {
      writeFileSync(at(name), bytes)
      const found = await perpscope('untouched', 'restore', at(name), '--json')
      expect(found).toMatchObject({ status: 1, stdout: '' })
      expect(found.stderr).toMatch(says)
    }
    expect(await perpscope('untouched', 'restore', at('gone'))).toMatchObject({ status: 1 })
    expect(existsSync(at('untouched'))).toBe(false)
    expect(readdirSync(folder).filter((name) => basename(name).includes('restoring'))).toEqual([])
  })

  it.each(['..', '.', '../outside', '%2E%2E', '\u0000'])(
    'with a connection of the id %j lose nothing else when it is removed',
    async (id) => {
      await perpscope('own', 'connection', 'add', 'Stranger', '--metrics-url', 'http://127.0.0.1:9')
      await perpscope('own', 'backup', at('stranger'))
      const document = JSON.parse(gunzipSync(readFileSync(at('stranger'))).toString('utf8')) as BackupText
      const { columns, rows } = document.content.tables.find(({ name }) => name === 'connections')!
      for (const row of rows) if (row[columns.indexOf('name')] === 'Stranger') row[columns.indexOf('id')] = id
      const checksum = createHash('sha256').update(JSON.stringify(document.content)).digest('hex')
      writeFileSync(at('hostile'), gzipSync(JSON.stringify({ ...document, checksum })))
      const home = `home-${Buffer.from(id).toString('hex')}`
      mkdirSync(at(home))
      writeFileSync(at(join(home, 'precious')), '')
      const dataDir = join(home, 'data')
      expect((await perpscope(dataDir, 'restore', at('hostile'))).status).toBe(0)
      mkdirSync(at(join(dataDir, 'files', 'sandbox')), { recursive: true })
      await perpscope(dataDir, 'connection', 'remove', 'Stranger', '--files')
      expect(readdirSync(at(home)).sort()).toEqual(['data', 'precious'])
      expect(readdirSync(at(dataDir))).toContain('perpscope.sqlite')
      expect(readdirSync(at(join(dataDir, 'files')))).toEqual(['sandbox'])
    },
  )

  it('ask also before documents of an earlier version are replaced', () => {
    const earlier = (dataDir: string, sql: string) => {
      mkdirSync(at(dataDir))
      const index = new Sqlite(join(at(dataDir), 'perpscope.sqlite'))
      migrate(
        index,
        migrations.filter(({ version }) => version <= 360),
      )
      index.exec(sql)
      index.close()
      return containsUserData(at(dataDir))
    }
    expect(earlier('earlier-empty', '')).toBe(false)
    expect(earlier('earlier-used', `INSERT INTO symbol_lists VALUES ('Majors', 0, 'v', 'BTC', NULL)`)).toBe(true)
  })

  it('are bounded by the same limits: what could not be restored is not written', () => {
    const store = openAt('large')
    const insert = `INSERT INTO own_returns (id, name, path, text, stamp, read_at_ms) VALUES (?, ?, NULL, ?, '', 1)`
    for (const id of ['a', 'b', 'c']) store.database.writes.run(insert, id, id, `day,return\n${'x'.repeat(4000)}`)
    store.close()
    const pack = (limits: Partial<typeof backupLimits>) => () =>
      packBackup(at('large'), '0', 1, { ...backupLimits, ...limits })
    expect(pack({})).not.toThrow()
    expect(pack({ contentBytes: 10_000 })).toThrow(/could not be restored.*returnsFiles/)
    expect(pack({ packedBytes: 100 })).toThrow(/could not be restored/)
  })

  it('refuse a file that unpacks to anything else before it is unpacked', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"a":['), Buffer.alloc(300 << 20, '[],')]))
    expect(bomb.length).toBeLessThan(2 ** 20)
    writeFileSync(at('bomb'), bomb)
    const found = await perpscope('untouched', 'restore', at('bomb'))
    expect(found).toMatchObject({ status: 1, stdout: '' })
    expect(found.stderr).toMatch(/not a Perpscope backup/)
    const head = Buffer.from('{"format":"perpscope-backup","version":1,"content":[')
    writeFileSync(at('bomb'), gzipSync(Buffer.concat([head, Buffer.alloc(30 << 20, '[],')])))
    expect((await perpscope('untouched', 'restore', at('bomb'))).stderr).toMatch(/it has more than 2000000/)
  })

  it.skipIf(process.platform === 'win32')(
    'neither wait for a pipe nor write through a link beside the file',
    async () => {
      const target = at('beside.backup')
      for (const part of [`${target}.part`, `${target}.${process.pid}.part`]) {
        execFileSync('mkfifo', [part])
        expect((await perpscope('own', 'backup', target)).status).toBe(0)
        rmSync(part, { force: true })
        writeFileSync(at('precious'), 'mine')
        symlinkSync(at('precious'), part)
        expect((await perpscope('own', 'backup', target)).status).toBe(0)
        expect(readFileSync(at('precious'), 'utf8')).toBe('mine')
        expect(statSync(target).mode & 0o777).toBe(0o600)
        rmSync(part, { force: true })
      }
    },
  )

  it('and every other command refuse a damaged index, until it is recovered', async () => {
    await perpscope('hurt', 'lists', 'import', at('lists.csv'))
    const index = join(at('hurt'), 'perpscope.sqlite')
    const damaged = readFileSync(index).fill(0xa5, 0, 16)
    writeFileSync(index, damaged)
    for (const words of [['lists', 'list'], ['ls', '--json'], ['verify'], ['backup', at('empty.backup')]]) {
      const refused = await perpscope('hurt', ...words)
      expect(refused).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toMatch(/index .*perpscope\.sqlite is damaged/)
    }
    expect(existsSync(at('empty.backup'))).toBe(false)
    const recovered = await perpscope('hurt', 'verify', '--repair')
    expect(recovered.status).toBe(1)
    expect(recovered.stderr).toMatch(/was damaged. It was set aside as perpscope\.sqlite\.damaged-.*Recovered: /)
    const listed = await perpscope('hurt', 'lists', 'list')
    expect([listed.status, listed.stdout]).toEqual([0, expect.stringContaining('majors')])
    const kept = readdirSync(at('hurt')).find((name) => name.startsWith('perpscope.sqlite.damaged-'))!
    expect(readFileSync(join(at('hurt'), kept)).equals(damaged)).toBe(true)
  })

  it('name no option that was not given', async () => {
    const missing = await perpscope('own', 'backup', at(join('nowhere', 'b')))
    const folder = await perpscope('own', 'backup', at('.'))
    expect([missing.status, folder.status]).toEqual([1, 1])
    expect(missing.stderr).toMatch(/^FILE: there is no folder/)
    expect(folder.stderr).toMatch(/^FILE must be a file/)
  })

  it('refuse while Perpscope has the folder open', async () => {
    await perpscope('open', 'lists', 'import', at('lists.csv'))
    const store = openAt('open')
    const found = await perpscope('open', 'restore', backup, '--replace')
    store.close()
    expect(found).toMatchObject({ status: 1, stdout: '' })
    expect(found.stderr).toMatch(/is running on/)
    expect(found.stderr).not.toMatch(/remove|another name/)
    expect((await perpscope('open', 'restore', backup, '--replace')).status).toBe(0)
  })
})
