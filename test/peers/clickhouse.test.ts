import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode } from './exportedFiles.ts'
import { proveClickHouse } from './peer.ts'

const times = (texts: unknown[]) => texts.map((text) => Date.parse(`${String(text).replace(' ', 'T')}Z`))

proveClickHouse('the snippet of a series reads the rows of our own reader', async (query) => {
  const files = await exportedFiles()
  const { at, ...columns } = await query(await files.snippet('ClickHouse'))
  expectSameRows({ time: times(at), ...columns }, files.rows)
})

proveClickHouse('the guide’s query counts the rows of a dataset of the cache', async (query) => {
  const { cache, minutes } = await exportedFiles()
  const found = await query(guideCode('ClickHouse', cache))
  expect(Object.values(found).at(-1)?.map(Number)).toEqual([minutes.time.length])
})

proveClickHouse('the README of a Hive export reads its example', async (query) => {
  const { folder, readme, minutes } = await exportedFiles()
  const found = await query(readme('ClickHouse'), folder)
  expect(times(found.time).length).toBe(minutes.time.length)
})
