import { expect } from 'vitest'
import { exportedFiles, expectSameRows, guideCode, sumOf, timesInFiles } from './exportedFiles.ts'
import { provePython } from './peer.ts'

/** Python code that prints a data frame indexed by time. */
const printRows = `
import json
d = df.reset_index()
columns = {name: [None if pd.isna(v) else v for v in d[name].tolist()] for name in d.columns if name != "time"}
times = ((d["time"] - pd.Timestamp(0, tz="UTC")) // pd.Timedelta("1ms")).tolist()
print(json.dumps({"time": times, **columns}))
`

for (const kind of timesInFiles) {
  provePython(
    'pandas',
    `the snippet of a series reads the rows of our own reader, times being ${kind}`,
    async (python) => {
      const files = await exportedFiles(kind)
      const found = await python((await files.snippet('pandas')) + printRows)
      expectSameRows(found, files.rows)
    },
  )

  provePython('pandas', `the guide’s code reads a dataset of the cache, times being ${kind}`, async (python) => {
    const { cache, minutes } = await exportedFiles(kind)
    const print = `
import json
print(json.dumps({"rows": len(flow), "symbols": flow["symbol"].unique().tolist(), "sum": flow["taker_buy_volume"].sum()}))`
    expect(await python(guideCode('pandas', cache) + print)).toEqual({
      rows: minutes.time.length,
      symbols: [expect.any(String)],
      sum: expect.closeTo(sumOf(minutes.taker_buy_volume), 6),
    })
  })

  provePython('pandas', `the README of a Hive export reads its example, times being ${kind}`, async (python) => {
    const { folder, readme, minutes } = await exportedFiles(kind)
    const print = `
import json
print(json.dumps({"rows": len(df), "dataset": df["dataset"].unique().tolist(), "symbols": df["symbol"].unique().tolist()}))`
    expect(await python(readme('pandas') + print, folder)).toEqual({
      rows: minutes.time.length,
      dataset: ['flow'],
      symbols: ['perpetual-BTC-USDT:USDT'],
    })
  })
}
