import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'
import { openPortfolioWorld } from './portfolioWorld.ts'

const NOW_MS = Date.parse('2026-09-15T12:00:00Z')
const weights = { endpoint: 'history', portfolio: 'p.20' } as const
const live = { endpoint: 'weights', portfolio: 'p.20', asOf: 'latest' } as const
const factor = { endpoint: 'factors', id: 'momentum', tickers: ['A', 'B'] } as const
const prices = { endpoint: 'prices', ticker: ['A', 'B'] } as const
const tickers = { endpoint: 'tickers', id: 'momentum', universeSize: '20' } as const

const answers: [path: string, body: unknown][] = [
  ['portfolio/tickers?', { tickers: ['A', 'B'] }],
  ['latest', { data: [0.25, 0.75], columns: ['A', 'B'], index: '2026-09-15', createdAt: '2026-09-15T12:05:00Z' }],
  [
    '',
    {
      data: [
        [0.1, 0.2],
        [0.3, 0.4],
      ],
      index: ['2026-09-13', '2026-09-14'],
      columns: ['A', 'B'],
    },
  ],
]

/** Opens a core that has stored one answer of each kind, and a second connection to its index. */
async function open() {
  const service = await fakeService(({ url = '' }, response) =>
    sendJson(response, answers.find(([path]) => url.includes(path))?.[1], 200),
  )
  const world = await openPortfolioWorld(service.url, NOW_MS)
  await readAll(world.client, true)
  return { ...world, index: new Sqlite(join(world.dataDir, 'perpscope.sqlite')) }
}

/** Makes every call that reads stored portfolio answers; returns the answers, or the error of each call that fails. */
async function readAll(client: Client, refresh: boolean): Promise<unknown[]> {
  const calls = [
    () => client.call('portfolio.history', { request: weights, refresh }),
    () => client.call('portfolio.live', { request: live, refresh }),
    () => client.call('portfolio.history', { request: factor, refresh }),
    () => client.call('portfolio.history', { request: prices, refresh }),
    () => client.call('portfolio.tickers', { request: tickers, refresh }),
    () => client.call('portfolio.snapshots', { request: live, limit: 10 }),
    () => client.call('portfolio.keptSnapshots', { endpoint: 'weights', limit: 10 }),
    () => client.call('portfolio.snapshot', { request: live, createdAt: Date.parse('2026-09-15T12:05:00Z') }),
    () => client.call('portfolio.revisions', { request: weights, limit: 10 }),
    () => client.call('portfolio.revisions', { request: live, limit: 10 }),
    () => client.call('portfolio.revisions', { request: tickers, limit: 10 }),
    () => client.call('portfolio.revisions', { request: prices, limit: 10 }),
    () => client.call('portfolio.listSeries', {}),
    () => client.call('portfolio.usedIds', { kind: 'portfolio', limit: 10 }),
  ]
  const found: unknown[] = []
  for (const call of calls) found.push(await call().catch((thrown: unknown) => thrown))
  return found
}

/** Gives all stored rows a new list of names, because the app remembers lists that it has read. */
function renameColumns(index: Database, names: string) {
  const { lastInsertRowid } = index.prepare('INSERT INTO portfolio_columns (names) VALUES (?)').run(names)
  index.exec(`UPDATE portfolio_days SET columns_id = ${lastInsertRowid};
    UPDATE portfolio_snapshots SET columns_id = ${lastInsertRowid}`)
}
const everyCell = (cells: string) => (index: Database) =>
  index.exec(`UPDATE portfolio_days SET cells = ${cells}; UPDATE portfolio_snapshots SET cells = ${cells}`)
const everyNames = (names: string) => (index: Database) => renameColumns(index, names)
const run = (sql: string) => (index: Database) => index.exec(sql)
const revise = (values: string) =>
  run(`INSERT INTO portfolio_revisions (request_id, day, columns_id, cells, fetched_at_ms, replaced_at_ms)
    SELECT request_id, day, ${values}, 5, 6 FROM portfolio_days`)

const poisons: [name: string, poison: (index: Database) => unknown][] = [
  ['cells that are cut', everyCell("x'0102030405'")],
  ['no cells', everyCell("x''")],
  ['cells of 3 MB', everyCell('zeroblob(3000000)')],
  ['more cells than names', everyCell('zeroblob(800)')],
  ['names that are no JSON', everyNames('["A"')],
  ['names that are no list', everyNames('{"__proto__":{"polluted":1}}')],
  ['names of another type', everyNames('[1,null]')],
  ['the same name twice', everyNames('["A","A"]')],
  ['names that are prototypes', everyNames('["__proto__","constructor"]')],
  ['names nested 100,000 deep', everyNames('['.repeat(100_000))],
  [
    'more names than any service has',
    everyNames(JSON.stringify(Array.from({ length: 100_001 }, (_, at) => at.toString(36)))),
  ],
  ['names of 20 MB', everyNames(JSON.stringify(['A', 'x'.repeat(20_000_000)]))],
  ['a list of names that is gone', run('PRAGMA foreign_keys = OFF; DELETE FROM portfolio_columns')],
  ['notes that are no JSON', run(`UPDATE portfolio_requests SET problems = 'x'`)],
  ['notes that are no list', run(`UPDATE portfolio_requests SET problems = '{"length":5}'`)],
  ['times that no date has', run('UPDATE portfolio_requests SET fetched_at_ms = 9223372036854775807')],
  ['days that no date has', run('UPDATE portfolio_requests SET start_day = -9e15, end_day = 9e15')],
  ['days in the wrong order', run('UPDATE portfolio_requests SET start_day = end_day + 5')],
  ['a source of 5 MB', run(`UPDATE portfolio_requests SET source = hex(zeroblob(2500000))`)],
  ['tickers that are no list', run(`UPDATE portfolio_lists SET tickers = '{"length":1}'`)],
  ['tickers that are objects', run(`UPDATE portfolio_lists SET tickers = '[{}]'`)],
  ['a snapshot of no day', run('UPDATE portfolio_snapshots SET day = 9223372036854775807')],
  ['damaged revisions', revise(`columns_id, x'01'`)],
  [
    'revisions of no time',
    run(`INSERT INTO portfolio_revisions (request_id, day, created_at_ms, columns_id, cells, fetched_at_ms, replaced_at_ms)
      SELECT request_id, 9e18, 9e18, columns_id, cells, 9e18, -9e18 FROM portfolio_days`),
  ],
  ['a snapshot of no time', run('UPDATE portfolio_snapshots SET created_at_ms = 9223372036854775807')],
  ['a snapshot fetched at no time', run('UPDATE portfolio_snapshots SET fetched_at_ms = -9223372036854775807')],
  ['tickers seen at no time', run('UPDATE portfolio_lists SET first_seen_at_ms = 9223372036854775807')],
  [
    'ids that were never typed',
    run(`INSERT INTO portfolio_ids SELECT connection_id, 'portfolio', hex(zeroblob(3000000)), 9223372036854775807
      FROM portfolio_requests LIMIT 1`),
  ],
]

test.each(poisons)('%s: is refused or set aside with a sentence, and fetched again', async (_name, poison) => {
  const { client, index, app, ports } = await open()
  poison(index)
  const found = await readAll(client, false)
  for (const each of found)
    if (each instanceof AppError) expect([each.code, each.detail]).not.toContain('internal')
    else expect(each).not.toBeInstanceOf(Error)
  expect(JSON.stringify(found).length).toBeLessThan(100_000)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()

  ports.clock.advance(1000)
  await readAll(client, true)
  const afterwards = await readAll(client, false)
  const [history, snapshot, factors, levels, list] = afterwards
  const clean = { freshness: { problems: [] } }
  for (const each of [history, factors, levels])
    expect(each).toMatchObject({ ...clean, rows: { rows: 2, columns: [{}, { name: 'A' }, { name: 'B' }] } })
  expect(snapshot).toMatchObject({ rows: { rows: 2 } })
  expect(list).toMatchObject({ tickers: ['A', 'B'] })
  expect(afterwards.at(-2)).not.toBeInstanceOf(Error)
  index.close()
  await app.close()
})

test('a damaged day is named and left out, and the days around it are read', async () => {
  const { client, index } = await open()
  index.exec(`UPDATE portfolio_days SET cells = x'01' WHERE day = (SELECT min(day) FROM portfolio_days)`)
  index.close()
  const { rows, freshness } = await client.call('portfolio.history', { request: weights })
  expect(rows.rows).toBe(1)
  expect(freshness.problems).toEqual([
    'the stored day 2026-09-13 is damaged and was left out; “Refresh” fetches the history again',
  ])
})
