import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { engineScript } from '../../shared/engines/script.ts'
import type { PlannedDatasetId } from '../../shared/metrics/plan.ts'
import { type TradesDay, tradesDay } from './benchData.ts'
import type { BenchLine } from './benchLine.ts'
import { withOptions } from './peakMemory.ts'
import { pythonOf } from './pythonPeer.ts'

/** Number of trades of the day, in millions. */
const MILLIONS = 20
const datasets: PlannedDatasetId[] = [
  ...(['flow', 'trade_size', 'returns', 'vtwap', 'ohlcv'] as const),
  ...(['range', 'impact', 'updownticks', 'run_structure'] as const),
]
const commandLine = join(import.meta.dirname, '../../electron/cli/index.ts')
const TIMEOUT_MS = 3 * 3_600_000

interface Cost {
  /** Processor time of all threads, in seconds per million trades. */
  seconds: number
  megabytes: number
}

/**
 * Python program that prints the processor time of a command with all its processes, and the peak memory of the largest
 * one.
 */
const measuringProgram = `
import json, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}))
`

const clickHouseProgram = `
import sys
from chdb import session
engine = session.Session()
for statement in open(sys.argv[1]).read().split(";\\n"):
    if statement.strip():
        engine.query(statement)
`

const run = promisify(execFile)

async function cost(python: string, command: readonly string[], env = {}): Promise<Cost> {
  const options = { maxBuffer: 2 ** 24, timeout: TIMEOUT_MS, env: { ...process.env, ...env } }
  const { stdout } = await run(python, ['-c', measuringProgram, ...command], options)
  const { seconds, megabytes } = JSON.parse(stdout) as Cost
  return { seconds: seconds / MILLIONS, megabytes }
}

type Engine = 'local' | 'duckdb' | 'clickhouse' | 'spark'
type Measure = (python: string, trades: TradesDay, folder: string) => Promise<Cost>

const byCommandLine =
  (engine: 'local' | 'duckdb'): Measure =>
  (python, { folder: raw, exchange, symbol, day }, out) => {
    const series = { dataset: datasets.join(), exchange, symbol, interval: '1m', timestamp: 'exchange' }
    const options = { ...series, start: day, end: day, raw, out, engine }
    return cost(python, [process.execPath, commandLine, ...withOptions('compute', options)])
  }

/** Writes the script that the app would give to a user of the engine. @returns its path */
function scriptIn(
  folder: string,
  dialect: 'clickhouse' | 'spark',
  { folder: address, exchange, symbol, day }: TradesDay,
) {
  const startUs = Date.parse(day) * 1000
  const range = {
    interval: '1m',
    intervalSeconds: 60,
    timestamp: 'exchange' as const,
    startUs,
    endUs: startUs + 86_400e6,
  }
  const places = { raw: { kind: 'folder' as const, address }, out: join(folder, 'out') }
  const path = join(folder, 'job.sql')
  writeFileSync(path, engineScript(dialect, { datasets, exchange, symbol, ...range, ...places }))
  return path
}

const measures: Record<Engine, Measure> = {
  local: byCommandLine('local'),
  duckdb: byCommandLine('duckdb'),
  clickhouse(python, trades, folder) {
    const program = join(folder, 'job.py')
    writeFileSync(program, clickHouseProgram)
    return cost(python, [python, program, scriptIn(folder, 'clickhouse', trades)])
  },
  async spark(python, trades, folder) {
    const { stdout } = await run(python, ['-c', 'import os, pyspark; print(os.path.dirname(pyspark.__file__))'])
    const home = stdout.trim()
    const settings = [
      'spark.sql.shuffle.partitions=8',
      'spark.ui.enabled=false',
      'spark.sql.catalogImplementation=in-memory',
    ]
    const options = ['--master', 'local[2]', '--driver-memory', '8g', ...settings.flatMap((each) => ['--conf', each])]
    const local = [`spark.local.dir=${folder}`, `spark.sql.warehouse.dir=${folder}`].flatMap((each) => ['--conf', each])
    const command = [join(home, 'bin/spark-sql'), ...options, ...local, '-f', scriptIn(folder, 'spark', trades)]
    return cost(python, command, { SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1' })
  },
}

/** Costs by engine; each engine is measured once for both its time line and its memory line. */
const costByEngine = new Map<Engine, Promise<Cost>>()

function costOf(engine: Engine, peer: string): Promise<Cost> {
  const before = costByEngine.get(engine)
  if (before) return before
  const measure = async () => {
    const folder = mkdtempSync(join(tmpdir(), 'perpscope-bench-'))
    try {
      return await measures[engine](pythonOf(peer), await tradesDay(MILLIONS * 1e6), folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  costByEngine.set(engine, measure())
  return costByEngine.get(engine)!
}

const peers: { engine: Engine; name: string; python: string }[] = [
  { engine: 'duckdb', name: 'DuckDB', python: 'chdb' },
  { engine: 'clickhouse', name: 'ClickHouse, embedded', python: 'chdb' },
  { engine: 'spark', name: 'Spark on this machine', python: 'pyspark' },
]

const linesOf = (what: string, unit: string, of: keyof Cost): BenchLine[] =>
  peers.map(({ engine, name, python }) => ({
    name: `engines: ${what} of nine trade datasets at 1m, ${MILLIONS} M trades, beside ${name}`,
    unit,
    rule: 'atMost',
    budget: null,
    peerName: name,
    python,
    prepare: () =>
      Promise.resolve({
        rounds: 1,
        ours: async () => (await costOf('local', python))[of],
        peer: async () => (await costOf(engine, python))[of],
      }),
  }))

export const benchLines: BenchLine[] = [
  ...linesOf('processor time', 's per million', 'seconds'),
  ...linesOf('peak memory', 'MB', 'megabytes'),
]
