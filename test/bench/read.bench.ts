import { ParquetFile } from '../../electron/core/parquet/parquetFile.ts'
import { readNumbers, readTexts, readTimesUs } from '../../electron/core/parquet/readColumn.ts'
import { TextDictionary } from '../../electron/core/parquet/decodeTexts.ts'
import { duckDb, metricYear, tradesDay } from './benchData.ts'
import { type BenchLine, type BenchTask, millisecondsOf } from './benchLine.ts'
import { polarsOver } from './polars.ts'

const peerName = 'DuckDB, 2 threads'
const minute = () => metricYear(60, 43)
const quarterMinute = () => metricYear(15, 20)

/** Reads columns file by file into preallocated arrays. */
function readSeries(paths: string[], names: string[], targets: Float64Array[]): void {
  let at = 0
  for (const path of paths) {
    using file = new ParquetFile(path)
    for (const [i, name] of names.entries())
      readNumbers(file, name, { from: 0, to: file.rows }, { values: targets[i], at })
    at += file.rows
  }
}

/** Peer that reads the same columns. */
type Peer = (paths: string[], names: string[]) => Promise<Required<Pick<BenchTask, 'peer' | 'close'>>>

const besideDuckDb: Peer = async (paths, names) => {
  const connection = await duckDb()
  const list = paths.map((path) => `'${path}'`).join(', ')
  const sql = `SELECT ${names.join(', ')} FROM read_parquet([${list}])`
  const targets = new Map<number, Target>()
  return {
    peer: () => millisecondsOf(() => readChunks(connection, sql, targets)),
    close: async () => connection.closeSync(),
  }
}

const besidePolars: Peer = async (paths, names) => {
  const polars = polarsOver(paths)
  return { peer: () => polars.read(names), close: polars.close }
}

async function seriesTask(files: Promise<string[]>, names: string[], peer = besideDuckDb): Promise<BenchTask> {
  const paths = await files
  const beside = await peer(paths, names)
  const rows = paths.reduce((sum, path) => {
    using file = new ParquetFile(path)
    return sum + file.rows
  }, 0)
  const targets = names.map(() => new Float64Array(rows))
  return { rounds: 9, ours: () => millisecondsOf(() => readSeries(paths, names, targets)), ...beside }
}

type Connection = Awaited<ReturnType<typeof duckDb>>

/** Copies the peer's vectors into preallocated typed arrays, one per column. */
async function readChunks(connection: Connection, sql: string, targets: Map<number, Target>): Promise<void> {
  const result = await connection.run(sql)
  let at = 0
  for (const chunk of await result.fetchAllChunks()) {
    for (let column = 0; column < chunk.columnCount; column++) {
      const { items } = chunk.getColumnVector(column) as unknown as { items: Items }
      let target = targets.get(column)
      if (!target) targets.set(column, (target = targetFor(items)))
      target.set(items as never, at)
    }
    at += chunk.rowCount
  }
}

type Items = Float64Array | BigInt64Array | Uint8Array
type Target = Float64Array | BigInt64Array | Uint8Array
const mostRows = 5_000_000

function targetFor(items: Items): Target {
  if (items instanceof Float64Array) return new Float64Array(mostRows)
  return items instanceof BigInt64Array ? new BigInt64Array(mostRows) : new Uint8Array(mostRows)
}

async function weekTask(): Promise<BenchTask> {
  const paths = await quarterMinute()
  const connection = await duckDb()
  const startMs = Date.UTC(2025, 5, 10)
  const endMs = startMs + 7 * 86_400_000
  const rows = (endMs - startMs) / 15_000
  const targets = [new Float64Array(rows), new Float64Array(rows)]
  const month = paths.find((path) => path.includes('2025-06'))!
  // The cache knows the first time and the step of each file, so the rows of a time range need no search.
  const from = (startMs - Date.UTC(2025, 5, 1)) / 15_000
  const list = paths.map((path) => `'${path}'`).join(', ')
  const sql = `SELECT time, c0 FROM read_parquet([${list}]) WHERE time >= ${startMs} AND time < ${endMs}`
  const read = () => {
    using file = new ParquetFile(month)
    for (const [i, name] of ['time', 'c0'].entries())
      readNumbers(file, name, { from, to: from + rows }, { values: targets[i], at: 0 })
    if (targets[0][0] !== startMs) throw new Error('another week')
  }
  const peerTargets = new Map<number, Target>()
  return {
    rounds: 9,
    ours: () => millisecondsOf(read),
    peer: () => millisecondsOf(() => readChunks(connection, sql, peerTargets)),
    close: async () => connection.closeSync(),
  }
}

async function tradesTask(): Promise<BenchTask> {
  const { path } = await tradesDay(5_000_000)
  const connection = await duckDb()
  const rows = 5_000_000
  const numbers = [new Float64Array(rows), new Float64Array(rows), new Float64Array(rows)]
  const side = new Uint8Array(rows)
  const read = () => {
    using file = new ParquetFile(path)
    const range = { from: 0, to: rows }
    readTimesUs(file, 'exchange_timestamp', range, { values: numbers[0], at: 0 })
    readNumbers(file, 'price', range, { values: numbers[1], at: 0 })
    readNumbers(file, 'amount', range, { values: numbers[2], at: 0 })
    readTexts(file, 'side', range, new TextDictionary(), { values: side, at: 0 })
  }
  const peerTargets = new Map<number, Target>()
  const sql = `SELECT epoch_us(exchange_timestamp), CASE side WHEN 'buy' THEN 1 WHEN 'sell' THEN 2 ELSE 0 END::UTINYINT, price, amount FROM '${path}'`
  return {
    rounds: 9,
    ours: () => millisecondsOf(read),
    peer: () => millisecondsOf(() => readChunks(connection, sql, peerTargets)),
    close: async () => connection.closeSync(),
  }
}

const line = (name: string, budget: number, prepare: BenchLine['prepare']): BenchLine => ({
  name: `read: ${name}`,
  unit: 'ms',
  rule: 'atMost',
  budget,
  peerName,
  prepare,
})
const lineBesidePolars = (
  name: string,
  budget: number,
  files: () => Promise<string[]>,
  columns: string[],
): BenchLine => ({
  ...line(`${name}, beside Polars`, budget, () => seriesTask(files(), columns, besidePolars)),
  peerName: 'Polars in Python',
  python: 'polars',
})

export const benchLines: BenchLine[] = [
  line('one column + time, year of 1m, ZSTD', 0.6, () => seriesTask(minute(), ['time', 'c0'])),
  line('four columns, year of 1m', 0.7, () => seriesTask(minute(), ['time', 'c0', 'c1', 'c2', 'c3'])),
  line('one column, year of 15s', 0.6, () => seriesTask(quarterMinute(), ['c0'])),
  line('one week of 15s', 0.8, weekTask),
  line('trades of a day, four columns', 0.3, tradesTask),
  lineBesidePolars('one column + time, year of 1m', 1, minute, ['time', 'c0']),
  lineBesidePolars('one column, year of 15s', 1.3, quarterMinute, ['c0']),
]
