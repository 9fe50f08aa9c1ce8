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
  return { status, stderr, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
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
