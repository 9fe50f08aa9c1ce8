import { expect, onTestFinished } from 'vitest'
import { startTestSandbox } from '../fakes/testSandbox.ts'
import { provePython } from './peer.ts'

provePython(
  'pyarrow',
  'a client of the services reads the sandbox: naive times, sorted, cut to the range',
  async (python) => {
    const sandbox = await startTestSandbox()
    onTestFinished(() => sandbox.close())
    const found = await python(`
import datetime, io, json, urllib.parse, urllib.request
import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
def get(url, headers={}):
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers)).read()
query = urllib.parse.urlencode({"exchange": "venuea-futures", "symbol": "perpetual-BTC-USDT:USDT", "interval": "1h", "timestamp": "exchange",
  "start_date": "2026-07-30", "end_date": "2026-08-02"})
listing = json.loads(get("${sandbox.url}/api/v1/data/ohlcv?" + query, {"X-API-KEY": "${sandbox.keys['3']}"}))
tables = [pq.read_table(io.BytesIO(get(file["url"]))) for file in listing["files"]]
table = pa.concat_tables(tables).sort_by("time")
start, end = datetime.datetime(2026, 7, 30), datetime.datetime(2026, 8, 3)
table = table.filter(pc.and_(pc.greater_equal(table["time"], start), pc.less(table["time"], end)))
times = table["time"].to_pylist()
print(json.dumps({"files": len(tables), "type": str(table.schema.field("time").type), "rows": table.num_rows,
  "first": str(times[0]), "last": str(times[-1]), "steps": sorted({str(b - a) for a, b in zip(times, times[1:])})}))`)
    expect(found).toEqual({
      files: 3,
      type: 'timestamp[ms]',
      rows: 96,
      first: '2026-07-30 00:00:00',
      last: '2026-08-02 23:00:00',
      steps: ['1:00:00'],
    })
  },
)
