import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { metricPlans } from '#shared/metrics/datasetComputations.ts'
import type { PlannedDatasetId } from '#shared/metrics/plan.ts'
import { engineScript } from '#shared/engines/script.ts'
import { differences, readTable } from '../conformance/compareMetrics.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { provePython, type RunPython } from './peer.ts'
import { proveSpark } from './sparkSession.ts'

const data = join(import.meta.dirname, '../conformance/data')
const datasets = Object.keys(metricPlans) as PlannedDatasetId[]

/** Python programs that run `statements`, a list of texts, and print their number. */
const programs = {
  clickhouse: `
from chdb import session
engine = session.Session()
for statement in statements:
    engine.query(statement)
print(len(statements))
`,
  spark: `
for statement in statements:
    spark.sql(statement)
print(len(statements))
`,
}

/**
 * Runs the exported script for some datasets on a peer and compares every column with independently computed values.
 */
async function proveScript(python: RunPython, dialect: keyof typeof programs, chosen: PlannedDatasetId[]) {
  const out = temporaryFolder()
  const place = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT', interval: '1m' }
  const script = engineScript(dialect, {
    ...place,
    datasets: chosen,
    intervalSeconds: 60,
    timestamp: 'exchange',
    startUs: Date.parse('2026-09-01') * 1000,
    endUs: Date.parse('2026-09-03') * 1000,
    raw: { kind: 'folder', address: join(data, 'raw/v1') },
    out,
  })
  const statements = script
    .split(';\n')
    .map((statement) => statement.trim())
    .filter(Boolean)
  const list = `import json\nstatements = json.loads(${JSON.stringify(JSON.stringify(statements))})\n`
  expect(await python(list + programs[dialect])).toBe(statements.length)
  for (const dataset of chosen) {
    const series = `exchange=${place.exchange}/symbol=${encodeURIComponent(place.symbol)}`
    const folder = join(out, `dataset=${dataset}`, series, 'interval=1m/timestamp=exchange')
    const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'))
    expect(files, dataset).toHaveLength(1)
    expect(readFileSync(join(folder, files[0])).subarray(0, 4).toString()).toBe('PAR1')
    const expected = readTable(join(data, 'expected/v1', `${dataset}.1m.exchange.parquet`))
    expect(differences(expected, readTable(join(folder, files[0]))), dataset).toEqual([])
  }
}

provePython('chdb', 'the printed script computes all columns as computed independently', (python) =>
  proveScript(python, 'clickhouse', datasets),
)

for (const dataset of datasets)
  proveSpark(`the printed script computes every column of ${dataset} as computed independently`, (python) =>
    proveScript(python, 'spark', [dataset]),
  )
