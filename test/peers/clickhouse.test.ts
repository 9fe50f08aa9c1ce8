import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode, timesInFiles } from './exportedFiles.ts'
import { proveClickHouse } from './peer.ts'

const times = (texts: unknown[]) => texts.map((text) => Date.parse(`${String(text).replace(' ', 'T')}Z`))

for (const kind of timesInFiles) {
  proveClickHouse(`the snippet of a series reads the rows of our own reader, times being ${kind}`, async (query) => {
    const files = await exportedFiles(kind)
    const { at, ...columns } = await query(await files.snippet('ClickHouse'))
    expectSameRows({ time: times(at), ...columns }, files.rows)
  })

  proveClickHouse(
    `the guide’s query counts the rows of a dataset of the cache by its decoded symbol, times being ${kind}`,
    async (query) => {
      const { cache, minutes } = await exportedFiles(kind)
      const found = await query(guideCode('ClickHouse', cache))
      expect(found.name).toEqual(['perpetual-BTC-USDT:USDT'])
      expect(found.rows.map(Number)).toEqual([minutes.time.length])
      expect(times(found.first)).toEqual([minutes.time[0]])
    },
  )

  proveClickHouse(`the README of a Hive export reads its example, times being ${kind}`, async (query) => {
    const { folder, readme, minutes } = await exportedFiles(kind)
    const found = await query(readme('ClickHouse'), folder)
    expect(found.taker_buy_volume).toHaveLength(minutes.time.length)
  })
}
