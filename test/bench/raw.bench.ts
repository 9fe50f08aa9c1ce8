import { inspectFile } from '../../electron/core/raw/inspectFile.ts'
import { readEventRows, seekEvent } from '../../electron/core/raw/eventRows.ts'
import { readLatency } from '../../electron/core/raw/latency.ts'
import { MS_PER_DAY } from '../../shared/time.ts'
import { duckDb, tradesDay } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'

const TRADES = 5_000_000
const PAGE_ROWS = 500
const columns = ['exchange_timestamp', 'local_timestamp', 'local_timestamp_kind', 'id', 'side', 'price', 'amount']

/** Compares our work on a day of trades with a DuckDB query. */
async function task(
  ours: (path: string, startMs: number) => unknown,
  sql: (path: string) => string,
): Promise<BenchTask> {
  const { path, day } = await tradesDay(TRADES)
  const connection = await duckDb()
  const startMs = Date.parse(day)
  await millisecondsOf(() => ours(path, startMs))
  return {
    rounds: 7,
    ours: () => millisecondsOf(() => ours(path, startMs)),
    peer: () => millisecondsOf(() => connection.runAndReadAll(sql(path))),
    close: async () => connection.closeSync(),
  }
}

const table = (path: string) => ({ files: [{ path }], filters: [] })
let at = 0
/** Returns a different fraction of the day each time, so that no cache can help. */
const nextFraction = () => (at = (at + 0.37) % 1)

function jump(path: string, startMs: number): void {
  const row = seekEvent({
    ...table(path),
    timeMs: startMs + nextFraction() * MS_PER_DAY,
    timeColumn: 'exchange_timestamp',
  })
  readEventRows({ ...table(path), offset: row, limit: PAGE_ROWS })
}

const counts = columns.map((name) => `count(${name}), min(${name}), max(${name})`).join(', ')
const page = `LIMIT ${PAGE_ROWS} OFFSET ${TRADES / 2}`
const latencies = `epoch_us(local_timestamp) - epoch_us(exchange_timestamp)`
const peerName = 'DuckDB, 2 threads'

export const benchLines: BenchLine[] = [
  {
    name: 'raw: import checks of 5 M trades',
    unit: 'ms',
    rule: 'atMost',
    budget: 2,
    peerName: `${peerName}, count, min, max of all columns`,
    prepare: () =>
      task(
        (path) => inspectFile(path, { venues: [] }),
        (path) => `SELECT ${counts} FROM '${path}'`,
      ),
  },
  {
    name: 'raw: first rows of 5 M trades',
    unit: 'ms',
    rule: 'value',
    budget: 150,
    peerName,
    prepare: () =>
      task(
        (path) => readEventRows({ ...table(path), offset: 0, limit: PAGE_ROWS }),
        (path) => `SELECT * FROM '${path}' LIMIT ${PAGE_ROWS}`,
      ),
  },
  {
    name: 'raw: jump to any time and its rows',
    unit: 'ms',
    rule: 'value',
    budget: 50,
    peerName,
    prepare: () => task(jump, (path) => `SELECT * FROM '${path}' ${page}`),
  },
  {
    name: 'raw: latency of a day of 5 M trades',
    unit: 'ms',
    rule: 'value',
    budget: 1000,
    peerName: `${peerName}, eight quantiles and five-minute ones`,
    prepare: () =>
      task(
        (path, startMs) => readLatency({ path, startMs, endMs: startMs + MS_PER_DAY }),
        (path) => `SELECT time_bucket(INTERVAL 5 MINUTE, exchange_timestamp) AS t,
          quantile_cont(${latencies}, [0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999]), max(${latencies})
          FROM '${path}' WHERE local_timestamp_kind = 'measured' GROUP BY ROLLUP (t)`,
      ),
  },
]
