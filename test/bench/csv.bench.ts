import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { exportSeries } from '../../electron/core/export/exportSeries.ts'
import type { SaveFile } from '../../electron/core/ports.ts'
import { duckDb, metricYear } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { cachedYear } from './cachedYear.ts'
import { peakMegabytes, withOptions } from './peakMemory.ts'
import { polarsOver } from './polars.ts'

const { signal } = new AbortController()
const year = () => metricYear(60, 43)

/** Peer that writes the same files as one CSV file. */
type Peer = (paths: string[]) => Promise<{ write(path: string): Promise<number>; close(): unknown }>

const besideDuckDb: Peer = async (paths) => {
  const connection = await duckDb()
  const list = paths.map((path) => `'${path}'`).join(', ')
  return {
    write: (path) =>
      millisecondsOf(() => connection.run(`COPY (SELECT * FROM read_parquet([${list}])) TO '${path}' (FORMAT csv)`)),
    close: () => connection.closeSync(),
  }
}

const besidePolars: Peer = async (paths) => {
  const { writeCsv, close } = polarsOver(paths)
  return { write: writeCsv, close }
}

async function csvTask(peer: Peer): Promise<BenchTask> {
  const paths = await year()
  const beside = await peer(paths)
  const { series, desk, close } = cachedYear(paths, '1m')
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
  const save: SaveFile = async ({ name }, open) => {
    await pipeline(open(), createWriteStream(join(folder, 'ours.csv')))
    return { name, path: null }
  }
  const question = { format: 'csv', startMs: null, endMs: null, originMs: null, zone: 'UTC', text: 'guarded' } as const
  const wanted = () => ({
    ...question,
    series: [{ series, timestamp: 'exchange' as const, columns: [] }],
    formulas: [],
  })
  const context = { save, signal, progress: () => {}, version: 'bench' }
  return {
    // The first round starts our threads, which the app keeps for the next export, as Polars keeps its own.
    rounds: 3,
    ours: () => millisecondsOf(() => exportSeries(desk.deps, wanted(), context)),
    peer: () => beside.write(join(folder, 'peer.csv')),
    close: async () => {
      await beside.close()
      rmSync(folder, { recursive: true, force: true })
      await close()
    },
  }
}

async function memoryTask(): Promise<BenchTask> {
  const { dataDir, series, close } = cachedYear(await year(), '1m')
  const { dataset, exchange, symbol } = series
  const wanted = { dataset, exchange, symbol, interval: '1m', timestamp: 'exchange', format: 'csv' }
  const args = withOptions('export', { ...wanted, out: join(dataDir, 'year.csv'), 'data-dir': dataDir })
  return { rounds: 1, ours: () => peakMegabytes(args), close }
}

const line = { name: 'csv: 525,600 × 43', unit: 'ms', rule: 'atMost' } as const

export const benchLines: BenchLine[] = [
  { ...line, budget: 0.35, peerName: 'DuckDB, 2 threads', prepare: () => csvTask(besideDuckDb) },
  {
    ...line,
    name: `${line.name}, beside Polars`,
    budget: 1,
    peerName: 'Polars in Python',
    python: 'polars',
    prepare: () => csvTask(besidePolars),
  },
  {
    name: `${line.name}, peak memory of the whole command line`,
    unit: 'MB',
    rule: 'value',
    budget: 300,
    peerName: null,
    prepare: memoryTask,
  },
]
