import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { validateParquet } from '#core/downloads/verifyFile.ts'
import { copyIntoCache } from '#core/raw/importFile.ts'
import { inspectFile } from '#core/raw/inspectFile.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { RawFolder, stampsAt } from '../rawFolder.ts'
import { day, eventsOf } from './rawWorld.ts'

const rows = 7000
const trades = ({ us = 'i * 1000000', price = '100e0 + i % 7', id = 'CAST(i AS VARCHAR)', more = '' }) =>
  `SELECT ${stampsAt(day, us)}, ${id} AS id, CASE WHEN i % 3 = 0 THEN 'buy' ELSE 'sell' END AS side,
     ${price} AS price, 0.5e0 + i % 5 AS amount ${more} FROM range(${rows}) t(i)`
/** Several row groups, whose dictionaries do not have all values. */
const inGroups = 'COMPRESSION zstd, ROW_GROUP_SIZE 2048'

test.each<[string, string]>([
  ['trades in order', trades({})],
  ['trades at irregular times', trades({ us: 'i * i' })],
  ['trades of which some have the same time', trades({ us: '(i // 3) * 1000' })],
  ['trades out of order', trades({ us: '(i * 11) % 7000 * 1000' })],
  [
    'trades out of order where a row group begins',
    trades({ us: 'i * 1000 - CASE WHEN i >= 2048 THEN 5000 ELSE 0 END' }),
  ],
  ['a price that is once not a number', trades({ price: "CASE WHEN i = 5000 THEN 'nan'::DOUBLE ELSE 100e0 END" })],
  ['a price that is once missing', trades({ price: 'CASE WHEN i = 5000 THEN NULL ELSE 100e0 + i END' })],
  ['decimal prices', trades({ price: '(100 + i)::DECIMAL(18, 2)' })],
  ['ids that are numbers', trades({ id: 'i' })],
  ['ids of several lengths', trades({ id: "concat('trade-', i * 7919 % 7000, repeat('x', i % 9))" })],
  [
    'ids of which some are missing',
    trades({ id: 'CASE WHEN i % 100 = 7 OR i > 6000 THEN NULL ELSE CAST(i AS VARCHAR) END' }),
  ],
  ['few ids, in a dictionary', trades({ id: "concat('group-', i % 17)" })],
  ['empty ids', trades({ id: "''" })],
  ['further columns', trades({ more: ", i % 3 AS n, concat('龙', i % 200) AS note, i = 5 AS flag" })],
  ['a column time', trades({ more: ', i * 1000 AS time' })],
  ['quotes', eventsOf.quotes(rows)],
])('looking at %s finds what validating the file finds', async (_, select) => {
  const raw = await RawFolder.create()
  const path = await raw.write(select.includes('bid_price') ? 'quotes' : 'trades', day, select, inGroups)
  expect(inspectFile(path, { venues: [] }).proof).toEqual(validateParquet(path, { deep: true }))
})

test('other bytes with the size and the time of those looked at are not believed', async () => {
  const raw = await RawFolder.create()
  const path = await raw.write('trades', day, trades({}))
  const at = new Date('2026-09-02')
  utimesSync(path, at, at)
  const { proof } = inspectFile(path, { venues: [] })
  const { size: sizeBytes, mtimeMs } = statSync(path)
  const believed: boolean[] = []
  const copy = async () => {
    const root = temporaryFolder()
    await copyIntoCache({
      ...{ source: { path, name: '', sizeBytes, mtimeMs }, proof, root, path: join(root, 'copy.parquet') },
      commit: (task) => Promise.resolve((believed.push(Boolean(task.proof)), proof!)),
      ...{ signal: new AbortController().signal, onBytes: () => {} },
    })
  }
  await copy()
  writeFileSync(path, new Uint8Array(sizeBytes))
  utimesSync(path, at, at)
  await copy()
  expect(believed).toEqual([true, false])
})
