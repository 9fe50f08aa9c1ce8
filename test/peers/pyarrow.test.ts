import { exportedFiles, expectSameRows } from './exportedFiles.ts'
import { provePython } from './peer.ts'

provePython('pyarrow', 'every column of a metric file is what our own reader reads', async (python) => {
  const { cache, minutes } = await exportedFiles()
  const found = await python(`
import json, math
import pyarrow.dataset as ds
table = ds.dataset("${cache}/metrics/dataset=flow", format="parquet").to_table().sort_by("time")
clean = lambda v: None if v is None or math.isnan(v) else float(v)
print(json.dumps({name: [clean(v) for v in table[name].to_pylist()] for name in table.column_names}))`)
  expectSameRows(found, minutes)
})
