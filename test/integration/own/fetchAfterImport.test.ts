import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliSession } from '../../fakes/cliSession.ts'
import { hoursFrom, partColumns, writePart } from '../../fakes/computedParts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

test('a fetch takes the place of an imported file of another client, and says where it differs', async () => {
  const { runHere } = await cliSession()
  const folder = temporaryFolder()
  const symbol = 'perpetual-BTC-USDT:USDT'
  // The other client's file lacks the last hour, and has other values.
  const name = join('venuea-futures', 'vtwap', symbol, '1h', '2026-08-10.parquet')
  writePart(folder, name, partColumns(hoursFrom('2026-08-10', 23)))
  const imported = await runHere(['import', '--metrics', folder, '--timestamp', 'exchange'])
  expect(imported.status).toBe(0)

  const series = ['--dataset', 'vtwap', '--exchange', 'venuea-futures', '--symbol', symbol, '--interval', '1h']
  const days = ['--timestamp', 'exchange', '--start', '2026-08-10', '--end', '2026-08-10']
  const { status, stderr } = await runHere(['fetch', ...series, ...days])
  expect(status).toBe(0)
  expect(stderr).toMatch(
    /vtwap .*2026-08-10 took the place of the imported file, from which it differs: 23 rows with other values, the first at 2026-08-10T00:00:00.000Z, \w+: [\d.]+ in place of [\d.]+; 1 row more\./,
  )
  const quality = await runHere(['quality', '--dataset', 'vtwap', '--kind', 'republished', '--json'])
  expect(quality.stdout).toContain('23 rows with other values')
})
