import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cliSession } from '../../fakes/cliSession.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const startMs = Date.UTC(2026, 7, 1)
const hours = [0, 1, 2]

it('warns of a list whose venues count amounts in different units, and describes the unit of all rows', async () => {
  const { dataDir, runHere } = await cliSession()
  const store = openTestStore(dataDir)
  const connectionId = store.connections.active().id
  const venues = ['venuea-futures', 'venueb-perps']
  for (const exchange of venues) {
    addCachedFile(store, dataDir, flowSeries({ connectionId, interval: '1h', exchange }), '2026-08-01', [
      { name: 'time', type: 'INT64', data: BigInt64Array.from(hours, (hour) => BigInt(startMs + hour * 3_600_000)) },
      { name: 'volume_delta', type: 'DOUBLE', data: Float64Array.from(hours) },
    ])
  }
  const { dataset, symbol, interval, timestamp } = flowSeries({ connectionId, interval: '1h' })
  const list = join(dataDir, 'list.csv')
  writeFileSync(list, ['list,exchange,symbol', ...venues.map((venue) => `both,${venue},${symbol}`), ''].join('\n'))
  await runHere(['lists', 'import', list])

  const series = ['--dataset', dataset, '--list', 'both', '--interval', interval, '--timestamp', timestamp]
  const read = ['read', ...series, '--start', '2026-08-01', '--end', '2026-08-01']
  const table = await runHere(read)
  expect(table.status, table.stderr).toBe(0)
  expect(table.stderr).toMatch(/Note: .*base asset and contracts/)
  const json = await runHere([...read, '--json'])
  expect(json.stderr).toContain('{"rows":6')
  expect(json.stderr).toMatch(/"units":\{"volume_delta":"[^"]*base asset and contracts"\}/)
})
