import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { RawFolder } from '../rawFolder.ts'
import { day, eventsOf, symbol, venue } from './rawWorld.ts'

async function perpscope(args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  const lines = stdout.split('\n').filter(Boolean)
  return {
    status,
    stdout,
    stderr,
    lines: !args.includes('--json') ? [] : lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

test('imports files and folders, says what failed, and does not copy twice', async () => {
  const dataDir = temporaryFolder()
  const raw = await RawFolder.create()
  await raw.write('trades', day, eventsOf.trades(100))
  const bare = join(temporaryFolder(), 'capture.parquet')
  await raw.db.run(`COPY (${eventsOf.quotes(100)}) TO '${bare}' (FORMAT parquet)`)
  writeFileSync(join(raw.folder, 'broken.parquet'), 'not parquet at all')
  const command = (...args: string[]) => perpscope(['import', ...args, '--json', '--data-dir', dataDir])

  const mixed = await command(raw.folder, bare, join(raw.folder, 'nowhere'))
  expect(mixed.status).toBe(3)
  expect(mixed.lines.map(({ state, error }) => [state, error])).toEqual([
    ['failed', `There is no file ${join(raw.folder, 'nowhere')}.`],
    ['failed', 'This is not a Parquet file.'],
    ['failed', 'The venue was not recognised. The symbol was not recognised.'],
    ['imported', null],
    [undefined, undefined],
  ])
  expect(mixed.lines[3]).toMatchObject({ dataset: 'trades', exchange: venue, symbol, period: day, rows: 100 })
  expect(mixed.lines[4]).toMatchObject({ summary: { imported: 1, failed: 3 } })

  const named = await command(bare, '--exchange', venue, '--symbol', symbol, '--dataset', 'quotes')
  expect([named.status, named.lines[0].state]).toEqual([0, 'imported'])
  const again = await command(bare, '--exchange', venue, '--symbol', symbol)
  expect([again.status, again.lines[0].state]).toEqual([0, 'cached'])
  const wrong = await command(bare, '--exchange', venue, '--symbol', symbol, '--dataset', 'trades')
  expect([wrong.status, wrong.lines[0].error]).toEqual([1, 'Its columns are those of quotes, not of trades.'])
  expect((await command(bare, '--symbol', 'perpetual-A/B-USDT:USDT')).status).toBe(2)
})

test('reads a day by arrival whose events lie in the file of the day before, and says where they lie', async () => {
  const dataDir = temporaryFolder()
  const raw = await RawFolder.create()
  const late = eventsOf.trades(20).replace('BIGINT) AS local_timestamp', 'BIGINT + 86400000000) AS local_timestamp')
  const path = await raw.write('trades', day, late)
  const names = ['--exchange', venue, '--symbol', symbol]
  await perpscope(['import', path, ...names, '--json', '--data-dir', dataDir])
  const read = (clock: string, on: string) => {
    const range = ['--timestamp', clock, '--start', on, '--end', on]
    return perpscope(['read', '--dataset', 'trades', ...names, ...range, '--format', 'csv', '--data-dir', dataDir])
  }
  const arrived = await read('true', '2026-09-02')
  expect([arrived.status, arrived.stdout.trim().split('\n').length - 1], arrived.stderr).toEqual([0, 20])
  expect(arrived.stderr).toContain('Not in the cache: 2026-09-02T00:00:00.000Z')
  const empty = await read('true', '2026-09-09')
  expect([empty.status, empty.stderr]).toEqual([1, expect.not.stringContaining('timestamp')])
  expect(empty.stderr).toContain('has no rows of this series in this range')
})
