import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../electron/cli/run.ts'
import { hoursFrom, partColumns, writePart } from '../../fakes/computedParts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

test('files of another writer are taken for what folders in any order and options name', async () => {
  const [folder, dataDir] = [temporaryFolder(), dataFolder()]
  async function imported(...args: string[]) {
    const written = { stdout: '', stderr: '' }
    const status = await run(['import', ...args, '--data-dir', dataDir, '--json'], {
      stdout: { write: (text) => (written.stdout += text) },
      stderr: { write: (text) => (written.stderr += text) },
      env: {},
      signal: new AbortController().signal,
    })
    const lines = written.stdout.trim().split('\n')
    return { status, stderr: written.stderr, records: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
  }
  const symbol = 'perpetual-AAA-USDT:USDT'
  const day = join('1h', encodeURIComponent(symbol), 'some-venue', 'vtwap', '2026-09-01.parquet')
  writePart(folder, day, partColumns(hoursFrom('2026-09-01', 24)))
  const broken = join(folder, 'vtwap', symbol, '1h', 'some-venue', '2026-09-02.parquet')
  mkdirSync(join(broken, '..'), { recursive: true })
  writeFileSync(broken, 'no table')
  const unnamed = writePart(folder, 'vtwap/2026-09-03.parquet', partColumns(hoursFrom('2026-09-03', 24)))

  const { status, stderr, records } = await imported('--timestamp', 'exchange', '--metrics', folder)
  expect(status).toBe(3)
  expect(records.find(({ file }) => file === join(folder, day))).toMatchObject({
    ...{ dataset: 'vtwap', exchange: 'some-venue', symbol, interval: '1h', timestamp: 'exchange' },
    ...{ period: '2026-09-01', state: 'imported', rows: 24, error: null },
  })
  expect(records.at(-1)).toMatchObject({ summary: { imported: 1, cached: 0, failed: 2 } })
  expect(stderr).toContain(`${broken}: this is not a Parquet file.`)
  expect(stderr).toMatch(new RegExp(`${unnamed}: nothing names its .*symbol, its interval`))
  expect((await imported('--metrics', folder, '--timestamp', 'exchange')).records.at(-1)).toMatchObject({
    summary: { imported: 0, cached: 1, failed: 2 },
  })
})
