import { duckDb, metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { cachedYear } from './cachedYear.ts'

const { signal } = new AbortController()
const POINTS = 2000

/** Measures the whole response: index, thread, summary, points and file facts. The peer has no summary to read. */
async function overviewTask(): Promise<BenchTask> {
  const paths = await metricYear(15, 20)
  const { series, desk, close } = cachedYear(paths, '15s')
  const ask = () =>
    desk.overview(
      { series, timestamp: 'exchange', columns: ['c0'], startMs: null, endMs: null, points: POINTS },
      signal,
    )
  await ask()
  await desk.deps.summaries.waitUntilIdle()
  await ask()
  const connection = await duckDb()
  const list = paths.map((path) => `'${path}'`).join(', ')
  const widthMs = (365 * 86_400_000) / POINTS
  const sql = `SELECT time // ${widthMs} AS bin, min(c0), max(c0), arg_min(c0, time), arg_max(c0, time), avg(c0), count(c0)
    FROM read_parquet([${list}]) GROUP BY bin ORDER BY bin`
  return {
    rounds: 21,
    ours: () => millisecondsOf(ask),
    peer: () => millisecondsOf(() => connection.runAndReadAll(sql)),
    close: async () => {
      connection.closeSync()
      await close()
    },
  }
}

export const benchLines: BenchLine[] = [
  {
    name: 'overview: year of 15s from summary, core time',
    unit: 'ms',
    rule: 'value',
    budget: 2,
    peerName: 'DuckDB, 2 threads, from the files',
    prepare: overviewTask,
  },
]
