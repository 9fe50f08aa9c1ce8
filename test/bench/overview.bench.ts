import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { exportSeries } from '#core/export/exportSeries.ts'
import type { SaveFile } from '#core/ports.ts'
import { duckDb, metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { cachedYear } from './cachedYear.ts'

const { signal } = new AbortController()

/** The whole answer: index, thread, summary, points and what is known of the files. */
async function overviewTask(): Promise<BenchTask> {
  const { series, desk, close } = cachedYear(await metricYear(15, 20), '15s')
  const ask = () =>
    desk.overview({ series, timestamp: 'exchange', columns: ['c0'], startMs: null, endMs: null, points: 2000 }, signal)
  await ask()
  await desk.parts.summaries.settled()
  await ask()
  return { rounds: 21, ours: () => millisecondsOf(ask), close }
}

async function csvTask(): Promise<BenchTask> {
  const paths = await metricYear(60, 43)
  const { series, desk, close } = cachedYear(paths, '1m')
  const connection = await duckDb()
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const save: SaveFile = async ({ name }, open) => {
    await pipeline(open(), createWriteStream(join(folder, 'ours.csv')))
    return { name, path: null }
  }
  const question = {
    format: 'csv',
    series: [{ series, timestamp: 'exchange', columns: [] }],
    formulas: [],
    startMs: null,
    endMs: null,
    originMs: null,
    zone: 'UTC',
  } as const
  const context = { save, signal, progress: () => {}, version: 'bench' }
  const list = paths.map((path) => `'${path}'`).join(', ')
  const sql = `COPY (SELECT * FROM read_parquet([${list}])) TO '${join(folder, 'peer.csv')}' (FORMAT csv)`
  return {
    rounds: 3,
    ours: () =>
      millisecondsOf(() =>
        exportSeries(desk.parts, { ...question, series: [...question.series], formulas: [] }, context),
      ),
    peer: () => millisecondsOf(() => connection.run(sql)),
    close: async () => {
      connection.closeSync()
      rmSync(folder, { recursive: true, force: true })
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
    peerName: null,
    prepare: overviewTask,
  },
  {
    name: 'csv: 525,600 × 43',
    unit: 'ms',
    rule: 'atMost',
    budget: 0.8,
    peerName: 'DuckDB, 2 threads',
    prepare: csvTask,
  },
]
