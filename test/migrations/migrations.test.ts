import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrate, versionOf } from '#core/store/migrations/migration.ts'
import { migrations } from '#core/store/migrations/migrations.ts'

/** Returns a database as the migration to this version leaves it. */
function databaseAt(version: number): SqliteDatabase {
  const database = new Sqlite(':memory:')
  onTestFinished(() => void database.close())
  migrate(
    database,
    migrations.filter((migration) => migration.version <= version),
  )
  return database
}

describe('the list', () => {
  test('goes up by tens', () => {
    const versions = migrations.map(({ version }) => version)
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other))
    expect(versions.filter((version) => version % 10 !== 0)).toEqual([])
  })

  test('a second run changes nothing', () => {
    const database = databaseAt(Infinity)
    const before = database.serialize()
    migrate(database, migrations)
    expect(database.serialize().equals(before)).toBe(true)
  })

  test('a step that fails leaves the version and the data of the step before', () => {
    const database = databaseAt(10)
    const failing = {
      version: 20,
      apply: (each: SqliteDatabase) => {
        each.exec('DELETE FROM connections')
        throw new Error('power cut')
      },
    }
    expect(() => migrate(database, [...migrations.slice(0, 1), failing])).toThrow('power cut')
    expect(versionOf(database)).toBe(10)
    expect(database.prepare('SELECT count(*) FROM connections').pluck().get()).toBe(1)
  })
})

test('0010: an empty database gets the sandbox, active and built in', () => {
  const database = databaseAt(10)
  expect(database.prepare('SELECT name, active, built_in, tier FROM connections').all()).toEqual([
    { name: 'Sandbox', active: 1, built_in: 1, tier: 3 },
  ])
  expect(database.prepare('SELECT * FROM settings').all()).toEqual([])
  expect(() => database.exec("UPDATE connections SET tier = 4 WHERE id = 'sandbox'")).toThrow(/CHECK/)
})

test('0120: instruments are empty, one for an exchange and symbol, with sizes above 0', () => {
  const database = databaseAt(120)
  const add = (size: string) =>
    database.exec(`INSERT INTO instruments VALUES ('v', 's', ${size}, NULL, NULL, '8h', NULL)`)
  expect(database.prepare('SELECT * FROM instruments').all()).toEqual([])
  expect(() => add('0')).toThrow(/CHECK/)
  add('0.001')
  expect(() => add('1')).toThrow(/UNIQUE/)
})

test('0020: settings and connections of version 10 stay as they are', () => {
  const database = databaseAt(10)
  database.exec(`
    INSERT INTO settings VALUES ('theme', '"dark"');
    UPDATE connections SET active = 0;
    INSERT INTO connections VALUES ('c1', 'Desk', 'https://m.example', '', '/c.json', NULL, 1, 0, 7);
  `)
  const rows = () => [
    database.prepare('SELECT * FROM settings').all(),
    database.prepare('SELECT * FROM connections ORDER BY id').all(),
  ]
  const before = rows()
  migrate(database, migrations.slice(0, 2))
  expect(versionOf(database)).toBe(20)
  expect(rows()).toEqual(before)
  expect(database.prepare('SELECT * FROM leases').all()).toEqual([])
})

test('0060: what version 50 knows stays as it is, and there is room for portfolio answers', () => {
  const database = databaseAt(50)
  database.exec(`
    INSERT INTO documents VALUES ('sandbox', 'metrics-catalog', '[]', 5, NULL, 'https://m.example');
    INSERT INTO symbols VALUES ('sandbox', 'venuea-futures', 'perpetual-龙-USDT:USDT', 'perpetual-龙-usdt:usdt');
  `)
  const rows = () => ['documents', 'symbols'].map((table) => database.prepare(`SELECT * FROM ${table}`).all())
  const before = rows()
  migrate(database, migrations)
  expect(rows()).toEqual(before)
  const answer = `INSERT INTO portfolio_requests
    (connection_id, endpoint, query, fetched_at_ms, source, problems) VALUES ('sandbox', 'returns', 'portfolio=p', 1, '', '[]')`
  database.exec(answer)
  expect(() => database.exec(answer)).toThrow(/UNIQUE/)
  const id = database.prepare('SELECT id FROM portfolio_requests').pluck().get()
  database.exec(`INSERT INTO portfolio_columns (names) VALUES ('["returns"]')`)
  const day = database.prepare('INSERT INTO portfolio_days VALUES (?, 20000, 1, ?, 1)')
  day.run(id, Buffer.alloc(8))
  expect(() => day.run(id, Buffer.alloc(8))).toThrow(/UNIQUE/)
})

test('0080: what version 70 knows stays as it is, and there is room for workspaces with names of their own', () => {
  const database = databaseAt(70)
  database.exec(`INSERT INTO portfolio_ids VALUES ('sandbox', 'portfolio', 'p', 1)`)
  migrate(database, migrations.slice(0, 8))
  expect(database.prepare('SELECT name FROM portfolio_ids').pluck().all()).toEqual(['p'])
  const make = database.prepare(`INSERT INTO workspaces VALUES (?, ?, '{}', 0, 1, 1)`)
  make.run('w1', 'Basis')
  expect(() => make.run('w2', 'basis')).toThrow(/UNIQUE/)
})

test('0090: files that were pinned before stay so, and are counted by an index of their own', () => {
  const database = databaseAt(80)
  database.exec(`
    INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
    VALUES (1, 'desk', 'metrics', 'flow', 'venuea-futures', 'perpetual-A-USDT:USDT', '1h', 'exchange');
    INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms, pinned)
    VALUES (1, '2026-07', 1, 2, 'final', 'service', 3, x'00', 1, 1, 1), (1, '2026-08', 2, 3, 'final', 'service', 3, x'00', 1, 1, 0);
  `)
  migrate(database, migrations)
  const pinned = database.prepare('SELECT period FROM files INDEXED BY files_pinned WHERE pinned = 1').pluck()
  expect(pinned.all()).toEqual(['2026-07'])
})

test('0110: earlier jobs are found by the words of their series, whatever the script', () => {
  const database = databaseAt(100)
  database.exec(`
    INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
    VALUES (1, 'desk', 'metrics', 'flow', 'venuea-futures', 'perpetual-ＢＴＣ-USDT:USDT', '1h', 'exchange');
    INSERT INTO jobs (id, series_id, connection_id, period, refresh, state, priority, position, created_at_ms, search)
    VALUES (1, 1, 'desk', '2026-08-01', 0, 'queued', 0, 1, 1, 'flow');
  `)
  migrate(database, migrations)
  expect(database.prepare('SELECT search FROM series').pluck().all()).toEqual([
    'flow venuea-futures perpetual-btc-usdt:usdt 1h',
  ])
  expect(database.prepare('SELECT id, state FROM jobs').all()).toEqual([{ id: 1, state: 'queued' }])
})

test('0180: saved queries and their history begin empty, with one query of a name', () => {
  const database = databaseAt(180)
  const add = (id: string, name: string) =>
    database.prepare("INSERT INTO sql_queries VALUES (?, ?, 8, '{}', 1, 1)").run(id, name)
  add('1', 'Funding')
  expect(() => add('2', 'FUNDING')).toThrow(/UNIQUE/)
  expect(database.prepare('SELECT count(*) FROM sql_history').pluck().get()).toBe(0)
})

test('0210: queries behind series begin empty, with one of a name for each connection', () => {
  const database = databaseAt(200)
  migrate(database, migrations)
  const add = (owner: string) =>
    database
      .prepare("INSERT INTO sql_series VALUES (?, 'Basis-0a1b2c', '1h', 'Basis', 'SELECT 1', '{}', 'f', '[]', 1)")
      .run(owner)
  add('a~computed')
  add('b~computed')
  expect(() => add('a~computed')).toThrow(/UNIQUE/)
})

test('0150: studies of the Lab begin empty beside the runs of the command line, with one of a name', () => {
  const database = databaseAt(140)
  database.exec("INSERT INTO studies VALUES ('a', 'ab', NULL, 'signal', '{}', x'00', 1)")
  migrate(database, migrations.slice(0, 15))
  expect(database.prepare('SELECT id FROM studies').pluck().all()).toEqual(['a'])
  const add = (id: string, name: string) =>
    database.prepare("INSERT INTO lab_documents VALUES (?, ?, NULL, '{}', 1, 1, NULL, NULL)").run(id, name)
  add('1', 'Carry')
  expect(() => add('2', 'CARRY')).toThrow(/UNIQUE/)
})

test('0220: checks and the inbox begin empty, with one check of a name', () => {
  const database = databaseAt(220)
  const add = () => database.prepare("INSERT INTO checks VALUES ('hot', 'sandbox', '{}')").run()
  add()
  expect(add).toThrow(/UNIQUE/)
  expect(database.prepare('SELECT count(*) FROM inbox').pluck().get()).toBe(0)
})

test('0240: files of returns begin empty, each path once, with a unit that is known or open', () => {
  const database = databaseAt(240)
  const add = (id: string, path: string | null, unit: string | null) =>
    database.prepare("INSERT INTO own_returns VALUES (?, ?, ?, 'text', '', ?, NULL, 0)").run(id, id, path, unit)
  expect(database.prepare('SELECT * FROM own_returns').all()).toEqual([])
  add('a', '/a.csv', null)
  add('b', null, 'percent')
  add('c', null, 'fraction')
  expect(() => add('d', '/a.csv', null)).toThrow(/UNIQUE/)
  expect(() => add('e', null, 'basis points')).toThrow(/CHECK/)
})

test('0300: comparisons of engines begin empty, one a column, whose columns agree or differ', () => {
  const database = databaseAt(290)
  migrate(database, migrations)
  expect(database.prepare('SELECT * FROM engine_checks').all()).toEqual([])
  const add = (column: string, agrees: number) =>
    database
      .prepare("INSERT INTO engine_checks VALUES ('desk', 'duckdb', 'flow', ?, NULL, ?, 0, NULL, 1)")
      .run(column, agrees)
  add('volume', 1)
  expect(() => add('volume', 0)).toThrow(/UNIQUE/)
  expect(() => add('trades', 2)).toThrow(/CHECK/)
})

test('0340: a refusal is of metric files or of raw events, as its dataset was', () => {
  const database = databaseAt(320)
  for (const dataset of ['flow', 'trades', 'open_interest'])
    database.prepare("INSERT INTO refusals VALUES ('desk', ?, '', 'No.', 1)").run(dataset)
  database.exec("INSERT INTO raw_coverage VALUES ('desk', 'trades', 'v', 's', 1, 9, 7)")
  migrate(database, migrations)
  expect(database.prepare('SELECT kind, dataset, words FROM refusals ORDER BY dataset').all()).toEqual([
    { kind: 'metrics', dataset: 'flow', words: 'No.' },
    { kind: 'metrics', dataset: 'open_interest', words: 'No.' },
    { kind: 'raw', dataset: 'trades', words: 'No.' },
  ])
  expect(database.prepare('SELECT days, missing_days, size_bytes FROM raw_coverage').all()).toEqual([
    { days: 7, missing_days: null, size_bytes: null },
  ])
  expect(database.prepare('SELECT preview FROM connections').all()).toEqual([{ preview: 0 }])
})

test('0260: files that were validated before say nothing about their engine', () => {
  const database = databaseAt(250)
  database.exec(`
    INSERT INTO series (id, connection_id, kind, dataset, exchange, symbol, interval, timestamp)
      VALUES (1, 'sandbox', 'metrics', 'vtwap', 'v', 's', '1h', 'exchange');
    INSERT INTO files (series_id, period, start_day, end_day, state, origin, size_bytes, sha256, fetched_at_ms, used_at_ms, pinned)
      VALUES (1, '2026-08-01', 1, 2, 'final', 'computed', 1, x'00', 1, 1, 0);
    INSERT INTO column_lists (id, columns) VALUES (1, '[]');
    INSERT INTO file_facts (series_id, period, rows, duplicate_times, column_list_id, column_values)
      VALUES (1, '2026-08-01', 24, 0, 1, x'')`)
  migrate(database, migrations)
  expect(database.prepare('SELECT rows, provenance FROM file_facts').all()).toEqual([{ rows: 24, provenance: null }])
})

test('0330: instruments of before always hold, and there is room for dated rows and typed funding periods', () => {
  const database = databaseAt(320)
  database.exec(`INSERT INTO instruments VALUES ('v', 's', 0.1, 'USDT', 0.5, '8h', 'r')`)
  migrate(database, migrations)
  const select = 'SELECT exchange, symbol, valid_from, contract_size, quote, tick, funding_every, renamed_from'
  expect(database.prepare(`${select} FROM instruments`).raw().all()).toEqual([
    ['v', 's', '', 0.1, 'USDT', 0.5, '8h', 'r'],
  ])
  const add = (from: string) =>
    database.prepare(`INSERT INTO instruments (exchange, symbol, valid_from) VALUES ('v', 's', ?)`).run(from)
  add('2026-08-01')
  expect(() => add('')).toThrow(/UNIQUE/)
  expect(() => database.exec('UPDATE instruments SET contract_size = 0')).toThrow(/CHECK/)
  expect(database.prepare('SELECT count(*) FROM funding_defaults').pluck().get()).toBe(0)
})

test('0350: stored live snapshots keep their times of generation as said', () => {
  const database = databaseAt(320)
  database.exec(`
    INSERT INTO portfolio_requests (id, connection_id, endpoint, query, source, problems, fetched_at_ms)
      VALUES (1, 'sandbox', 'weights', 'portfolio=a', '', '[]', 7);
    INSERT INTO portfolio_columns (id, names) VALUES (1, '[]');
    INSERT INTO portfolio_snapshots (request_id, created_at_ms, day, columns_id, cells, fetched_at_ms) VALUES (1, 5, 0, 1, x'', 7);
  `)
  migrate(database, migrations)
  expect(database.prepare('SELECT created_at_ms, is_created_said FROM portfolio_snapshots').all()).toEqual([
    { created_at_ms: 5, is_created_said: 1 },
  ])
})

test('0370: documents move into one table, with what their lists show and the answers of studies', () => {
  const database = databaseAt(360)
  database.exec(`
    INSERT INTO workspaces VALUES ('w', 'Basis', '{"quickLook":"the link"}', 3, 7, 70);
    INSERT INTO workspaces VALUES ('broken', 'No JSON', '{', 0, 1, 71);
    INSERT INTO lab_documents VALUES ('s', 'Carry', 'signal', '{"study":{}}', 2, 20, x'1f8b', 21);
    INSERT INTO lab_documents VALUES ('n', 'New', NULL, '{}', 1, 22, NULL, NULL);
    INSERT INTO sql_queries VALUES ('q', 'Funding', 8, '{"sql":"SELECT 1"}', 4, 40);
    INSERT INTO boards VALUES ('b', 'Basis', '{"parts":[]}', 2, 5, 50);
    INSERT INTO symbol_lists VALUES ('Majors', 0, 'v', 'BTC', 'large'), ('Majors', 1, 'v', 'ETH', NULL), ('majors', 0, 'v', 'A', NULL);
    INSERT INTO checks VALUES ('hot', 'desk', '{"kind":"sql","sql":"SELECT 1"}');
    INSERT INTO download_sets VALUES ('desk', 'August', '{"name":"August"}', 60, 61), ('lab', 'August', '{}', 62, NULL);
  `)
  migrate(database, migrations)
  expect(database.prepare("SELECT * FROM user_documents WHERE kind <> 'list' ORDER BY kind, id").raw().all()).toEqual([
    ['board', 'b', 'basis', 'Basis', '{"parts":[]}', '{"parts":2}', '{}', 5, 50],
    [
      ...['check', 'hot', 'hot', 'hot', '{"connectionId":"desk","rule":{"kind":"sql","sql":"SELECT 1"}}'],
      ...['{"connectionId":"desk"}', '{}', 1, expect.any(Number)],
    ],
    ['query', 'q', 'funding', 'Funding', '{"sql":"SELECT 1"}', '{"length":8}', '{}', 4, 40],
    [
      'set',
      'desk/august',
      'desk/august',
      'August',
      '{"name":"August"}',
      '{"connectionId":"desk"}',
      '{"enqueuedAt":61}',
      1,
      60,
    ],
    ['set', 'lab/august', 'lab/august', 'August', '{}', '{"connectionId":"lab"}', '{"enqueuedAt":null}', 1, 62],
    ['study', 'n', 'new', 'New', '{}', '{"kind":null}', '{"ranAt":null}', 1, 22],
    ['study', 's', 'carry', 'Carry', '{"study":{}}', '{"kind":"signal"}', '{"ranAt":21}', 2, 20],
    ['workspace', 'broken', 'no json', 'No JSON', '{', '{"series":0,"quickLook":null}', '{}', 1, 71],
    [
      'workspace',
      'w',
      'basis',
      'Basis',
      '{"quickLook":"the link"}',
      '{"series":3,"quickLook":"the link"}',
      '{}',
      7,
      70,
    ],
  ])
  expect(database.prepare("SELECT id, body, facts FROM user_documents WHERE kind = 'list'").raw().all()).toEqual([
    [
      'Majors',
      '{"version":1,"symbols":[{"exchange":"v","symbol":"BTC","group":"large"},{"exchange":"v","symbol":"ETH","group":null}]}',
      '{"symbols":2}',
    ],
    ['majors', '{"version":1,"symbols":[{"exchange":"v","symbol":"A","group":null}]}', '{"symbols":1}'],
  ])
  expect(database.prepare('SELECT connection_id, name, enqueued_at_ms FROM download_sets').raw().all()).toEqual([
    ['desk', 'August', 61],
    ['lab', 'August', null],
  ])
  expect(database.prepare('SELECT * FROM study_answers').raw().all()).toEqual([
    ['s', 1, 0, 0, null, Buffer.from([0x1f, 0x8b])],
  ])
  database.exec(`DELETE FROM user_documents WHERE kind = 'study'`)
  expect(database.prepare('SELECT count(*) FROM study_answers').pluck().get()).toBe(0)
})

test('0460: there is room for typed rules of orders, one for each symbol and for each ticker', () => {
  const database = databaseAt(410)
  database.exec(`INSERT INTO instruments (exchange, symbol, contract_size) VALUES ('v', 's', 0.1)`)
  migrate(database, migrations)
  expect(database.prepare('SELECT contract_size FROM instruments').pluck().get()).toBe(0.1)
  const add = (symbol: string, ticker: string | null, lot: number) =>
    database.prepare('INSERT INTO order_rules (symbol, ticker, lot) VALUES (?, ?, ?)').run(symbol, ticker, lot)
  add('kBONK', 'BONK', 1)
  add('BTC', null, 0.001)
  add('ETH', null, 0.01)
  expect(() => add('1000BONK', 'BONK', 1)).toThrow(/UNIQUE/)
  expect(() => add('SOL', null, 0)).toThrow(/CHECK/)
})

test('0470: there is room for the last run of each check, of which none is known', () => {
  const database = databaseAt(460)
  database.exec(`INSERT INTO inbox (name, created_at_ms, outcome) VALUES ('hot', 5, '{"state":"hit"}')`)
  migrate(database, migrations)
  expect(database.prepare('SELECT name, outcome FROM inbox').raw().all()).toEqual([['hot', '{"state":"hit"}']])
  expect(database.prepare('SELECT count(*) FROM check_runs').pluck().get()).toBe(0)
  const add = (name: string) =>
    database.prepare('INSERT INTO check_runs VALUES (?, ?, ?, ?)').run(name, '{"kind":"sql"}', 7, '{"state":"quiet"}')
  add('hot')
  expect(() => add('hot')).toThrow(/UNIQUE/)
})
