import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { differences, readTable, type Table } from '../conformance/compareMetrics.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython } from './peer.ts'
import { startSparkCluster } from './sparkCluster.ts'

const data = join(import.meta.dirname, '../conformance/data')
const selection = {
  dataset: 'vtwap,basis,l1_imbalance',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1h',
  timestamp: 'exchange',
  start: '2026-09-01',
  end: '2026-09-02',
  raw: join(data, 'raw/v1'),
  engine: 'spark',
}

/** Joins the rows of daily files into one table. */
function joinTables(tables: readonly Table[]): Table {
  const concatenate = (pick: (table: Table) => Float64Array) =>
    Float64Array.from(tables.flatMap((each) => [...pick(each)]))
  const names = [...tables[0].columns.keys()]
  return {
    time: concatenate(({ time }) => time),
    columns: new Map(names.map((name) => [name, concatenate(({ columns }) => columns.get(name)!)])),
  }
}

async function perpscope(args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return {
    status,
    stderr,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

provePython(
  'pyspark',
  'compute --submit runs spark-sql on a cluster of two workers, and imports days that name it and are right',
  async (python) => {
    const home = await python('import json, os, pyspark; print(json.dumps(os.path.dirname(pyspark.__file__)))')
    const dataDir = dataFolder()
    const master = await startSparkCluster(String(home))
    // Spark shuffles into two hundred partitions by default, which takes minutes for so few rows; two partitions still
    // use both workers.
    const conf = {
      'spark.sql.shuffle.partitions': '2',
      'spark.ui.enabled': 'false',
      'spark.sql.catalogImplementation': 'in-memory',
      'spark.driver.extraJavaOptions': '-XX:TieredStopAtLevel=1',
      'spark.executor.extraJavaOptions': '-XX:TieredStopAtLevel=1',
    }
    const pairs = Object.entries(conf).map(([name, value]) => `--conf ${name}=${value}`)
    const settings = `--master ${master} --executor-memory 512m ${pairs.join(' ')}`
    const submit = `env SPARK_HOME='${String(home)}' SPARK_LOCAL_IP=127.0.0.1 '${String(home)}/bin/spark-sql' ${settings}`
    const options = { ...selection, submit, out: join(temporaryFolder(), '龙 out'), 'data-dir': dataDir }
    const { status, stderr, lines } = await perpscope([
      'compute',
      '--json',
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ])
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    expect(lines.at(-1)).toMatchObject({ summary: { imported: 6, failed: 0 } })
    const files = (await perpscope(['ls', '--json', '--data-dir', dataDir])).lines
    for (const { computedBy } of files)
      expect(computedBy).toEqual({
        engine: 'spark',
        version: expect.stringMatching(/^\d+\.\d+/),
        sqlSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        source: [selection.raw],
      })
    for (const dataset of selection.dataset.split(',')) {
      const days = files.filter((file) => file.dataset === dataset).toSorted((a, b) => (a.period < b.period ? -1 : 1))
      const found = joinTables(days.map(({ path }) => readTable(path)))
      expect(differences(readTable(join(data, `expected/v1/${dataset}.1h.exchange.parquet`)), found), dataset).toEqual(
        [],
      )
    }
  },
)
