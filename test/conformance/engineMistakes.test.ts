import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { metricPlans } from '#shared/metrics/datasetComputations.ts'
import type { MetricPlan, PlannedDatasetId } from '#shared/metrics/plan.ts'
import { computeMetrics } from '#core/compute/compute.ts'
import { createComputePool } from '#core/compute/computePool.ts'
import { rawFileFinder } from '#core/compute/rawFiles.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { randomEvents, randomNumbers } from '../unit/metrics/randomEvents.ts'
import { differences, readTable, type Table } from './compareMetrics.ts'
import { folderQuery } from './engineQueries.ts'
import { atSizeBounds, writeRawFiles } from './randomRawFiles.ts'

const datasets = Object.keys(metricPlans) as PlannedDatasetId[]
const selection = {
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  // Events of the day before are read for as-of values but must not count.
  start: '2026-09-02',
  end: '2026-09-02',
}
const MISTAKES = 100

/** Wrong replacements in the SQL of a dialect, applied wherever the pattern matches. */
const rules: [pattern: RegExp, instead: string][] = [
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ \/ /g, ' * '],
  [/ > /g, ' < '],
  [/ >= /g, ' < '],
  [/ < /g, ' > '],
  [/(?<=sign) = /g, ' <> '],
  [/(?<=[\w)]) AND (?=[\w(])/g, ' OR '],
  [/ IS NOT NULL/g, ' IS NULL'],
  [/\bsum\(/g, 'avg('],
  [/\bavg\(/g, 'sum('],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
  [/\barg_min\(/g, 'arg_max('],
  [/\barg_max\(/g, 'arg_min('],
  [/\blag\(/g, 'lead('],
  [/\blead\(/g, 'lag('],
  [/\bsqrt\(/g, 'abs('],
  [/\bln\(/g, 'sqrt('],
  [/\babs\(/g, 'sqrt('],
  [/\bvar_samp\(/g, 'var_pop('],
  [/\bstddev_samp\(/g, 'stddev_pop('],
  [/\bskewness\(/g, 'kurtosis('],
  [/\bkurtosis\(/g, 'kurtosis_pop('],
  [/\bcount\(/g, 'max('],
  [/\b1e0\b/g, '2e0'],
  [/\b0\.5\b/g, '0.25'],
  [/\b10000e0\b/g, '1000e0'],
  [/ UNBOUNDED PRECEDING/g, ' 1 PRECEDING'],
  [/PARTITION BY interval_us(?= ORDER)/g, 'PARTITION BY 1'],
]

let connection: DuckDBConnection

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
  await connection.run("SET TimeZone = 'UTC'")
})
afterAll(() => connection.closeSync())

async function tableOf(sql: string): Promise<Table> {
  const rows = await (await connection.run(sql)).getColumnsObject()
  const numbers = (cells: unknown[]) => Float64Array.from(cells, (cell) => (cell === null ? NaN : Number(cell)))
  const columns = new Map(Object.entries(rows).map(([name, cells]) => [name, numbers(cells)]))
  const time = columns.get('time') ?? new Float64Array(0)
  columns.delete('time')
  return { time, columns }
}

interface Mistake {
  sql: string
  what: string
}

/** Creates the queries of a dialect with one mistake each, which shows wherever a query uses that SQL. */
function dialectMistakes(sql: string): Mistake[] {
  return rules.flatMap(([pattern, instead]) => {
    const wrong = sql.replaceAll(/^(?!-- ).*$/gm, (line) => line.replaceAll(pattern, instead))
    return wrong === sql ? [] : [{ sql: wrong, what: `${pattern.source} as “${instead}”` }]
  })
}

/** Groups of operations of a plan with the same form, so that one could be used for another by mistake. */
const families = [
  ['add', 'subtract', 'multiply', 'ratio', 'logReturn'],
  ['abs', 'sqrt', 'ln', 'orZero', 'nullIfZero'],
  ['equal', 'differs', 'above', 'atLeast'],
  ['all', 'any'],
  ['total', 'mean', 'least', 'greatest', 'first', 'last', 'variance', 'skewness', 'kurtosis'],
  ['running', 'score'],
]

/** Changes of a plan that leave all values equal, with the reason. */
const equivalents: [path: RegExp, instead: RegExp, why: string][] = [
  [/_least\./, /./, 'distances from the mean are the same from any origin'],
  [/_shifted\.op$/, /^add$/, 'as above'],
  [/\btrade_return_shift\./, /./, 'a covariance needs the mean of one side alone, and is the only use of this one'],
  [/\.when\.(of\.\d+\.)?op$/, /^atLeast$/, 'a sign is never above 1, which is what it is compared with there'],
]

/** Creates plans with one change each: another operation, another number, or swapped operands. */
function planMistakes(plan: MetricPlan): { plan: MetricPlan; what: string }[] {
  const found: { plan: MetricPlan; what: string }[] = []
  const visit = (node: unknown, path: string[]): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, value] of Object.entries(node)) {
      const here = [...path, name]
      const others = name === 'op' ? (families.find((family) => family.includes(value as string)) ?? []) : []
      const isSame = (other: string) =>
        other === value || equivalents.some(([place, way]) => place.test(here.join('.')) && way.test(other))
      const instead = typeof value === 'number' ? [value + 1] : others.filter((other) => !isSame(other))
      for (const other of instead)
        found.push({ plan: changed(plan, here, other), what: `${here.join('.')}: ${value} as ${other}` })
      visit(value, here)
    }
  }
  visit(plan, [])
  return found
}

function changed(plan: MetricPlan, path: readonly string[], value: unknown): MetricPlan {
  const copy = structuredClone(plan)
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((node, name) => node[name] as typeof node, copy as never)
  parent[path.at(-1)!] = value
  return copy
}

it(`of ${MISTAKES} mistakes in plans and dialects, drawn by rule, at least 99 change a value or end the query`, async () => {
  const raw = temporaryFolder()
  await writeRawFiles(connection, atSizeBounds(randomEvents(11)), raw, selection.exchange, selection.symbol)
  const outputs = datasets.map((dataset) => ({ dataset, path: join(raw, 'computed', `${dataset}.parquet`) }))
  const pool = createComputePool(1)
  const days = { startDay: '2026-09-02', endDay: '2026-09-03' } as const
  const findFiles = rawFileFinder(raw, selection.exchange, selection.symbol)
  await computeMetrics({ intervalSeconds: 900, timestamp: 'exchange', ...days, outputs, findFiles }, { pool })
  await pool.close()
  const random = randomNumbers(27)
  const drawn = <Item>(items: Item[]) => items.splice(Math.floor(random() * items.length), 1)[0]
  const all = outputs.map(({ dataset, path }) => {
    const query = { ...selection, raw, dataset, interval: '15m', timestamp: 'exchange' as const }
    const inPlan = planMistakes(metricPlans[dataset])
    const inDialect = dialectMistakes(folderQuery('duckdb', query))
    const draw = (isOfPlan: boolean): Mistake => {
      if (!isOfPlan) return drawn(inDialect)
      const { plan, what } = drawn(inPlan)
      return { sql: folderQuery('duckdb', query, plan), what }
    }
    return { dataset, expected: readTable(path), draw }
  })
  const survivors: string[] = []
  for (let i = 0; i < MISTAKES; i++) {
    const { dataset, expected, draw } = all[i % all.length]
    const { sql, what } = draw(Math.floor(i / all.length) % 2 === 0)
    const found = await tableOf(sql).catch(() => null)
    if (found && differences(expected, found).length === 0) survivors.push(`${dataset}: ${what}`)
  }
  expect(survivors.length, survivors.join('\n')).toBeLessThanOrEqual(1)
}, 600_000)
