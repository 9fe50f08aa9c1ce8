import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
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

provePython('pyarrow', 'an Arrow file of SQL has its types, values, units and provenance', async (python) => {
  const folder = temporaryFolder()
  const out = join(folder, 'out.arrow')
  const query = `SELECT n, CASE WHEN n % 3 > 0 THEN 'é' || n END AS text, n % 2 = 0 AS even, sqrt(n) * -1 AS root, DATE '2026-08-01' AS day,
    TIMESTAMP '2026-08-01 00:00:00.000001' AS at FROM range(45000) t(n) ORDER BY n`
  const quiet = { write: () => true }
  const status = await run(['sql', query, '--out', out, '--data-dir', folder, '--offline'], {
    stdout: { ...quiet, isTTY: false },
    stderr: quiet,
    env: {},
    signal: new AbortController().signal,
  })
  expect(status).toBe(0)
  const found = await python(`
import json, pyarrow as pa
table = pa.ipc.open_file("${out}").read_all()
table.validate(full=True)
row = table.slice(44997, 1).to_pylist()[0]
print(json.dumps({"types": [str(t) for t in table.schema.types], "rows": table.num_rows, "missing": table["text"].null_count,
  "sum": sum(table["n"].to_pylist()), "root": row["root"], "text": row["text"], "even": row["even"], "day": str(row["day"]), "at": str(row["at"]),
  "sql": json.loads(table.schema.metadata[b"perpscope.provenance"])["sql"]}))`)
  expect(found).toEqual({
    types: ['int64', 'string', 'bool', 'double', 'date32[day]', 'timestamp[us, tz=UTC]'],
    rows: 45_000,
    missing: 15_000,
    sum: (44_999 * 45_000) / 2,
    root: -Math.sqrt(44_997),
    text: null,
    even: false,
    day: '2026-08-01',
    at: '2026-08-01 00:00:00.000001+00:00',
    sql: query,
  })
})
