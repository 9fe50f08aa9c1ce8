import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode, sumOf, timesInFiles } from './exportedFiles.ts'
import { provePython } from './peer.ts'

const printRows = `
import json
print(json.dumps({
    "time": df["time"].dt.epoch("ms").to_list(),
    **{name: df[name].fill_nan(None).to_list() for name in df.columns if name != "time"},
}))
`

for (const kind of timesInFiles) {
  provePython(
    'polars',
    `the snippet of a series reads the rows of our own reader, times being ${kind}`,
    async (python) => {
      const files = await exportedFiles(kind)
      const found = await python((await files.snippet('Polars')) + printRows)
      expectSameRows(found, files.rows)
    },
  )

  provePython('polars', `the guide’s code reads a dataset of the cache, times being ${kind}`, async (python) => {
    const { cache, minutes } = await exportedFiles(kind)
    const print = `
import json
print(json.dumps({"rows": flow.height, "sum": flow["taker_buy_volume"].sum()}))`
    expect(await python(guideCode('Polars', cache) + print)).toEqual({
      rows: minutes.time.length,
      sum: expect.closeTo(sumOf(minutes.taker_buy_volume), 6),
    })
  })

  provePython('polars', `the README of a Hive export reads its example, times being ${kind}`, async (python) => {
    const { folder, readme, minutes } = await exportedFiles(kind)
    const print = `
import json
print(json.dumps({"rows": df.height, "symbols": df["symbol"].unique().to_list()}))`
    expect(await python(readme('Polars') + print, folder)).toEqual({
      rows: minutes.time.length,
      symbols: ['perpetual-BTC-USDT:USDT'],
    })
  })
}

provePython('polars', 'every column of a metric file is what our own reader reads', async (python) => {
  const { cache, minutes } = await exportedFiles()
  const found = await python(`
import json, polars as pl
df = pl.scan_parquet("${cache}/metrics/dataset=flow/**/*.parquet", hive_partitioning=False).sort("time").collect()
floats = {name: df[name].cast(pl.Float64).fill_nan(None).to_list() for name in df.columns}
print(json.dumps(floats))`)
  expectSameRows(found, minutes)
})
