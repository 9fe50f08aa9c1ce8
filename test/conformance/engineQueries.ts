import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { encodeSymbol } from '#shared/catalog/symbols.ts'
import { metricQuery, sourcesRead } from '#shared/engines/metricQuery.ts'
import type { MetricPlan, PlannedDatasetId } from '#shared/metrics/plan.ts'
import type { EngineDialect } from '#shared/engines/dialects/dialect.ts'
import { parseDay, parseInterval } from '#shared/time.ts'

/** Selection that one query of a dialect computes from the files of a folder. */
export interface FolderQuery {
  dataset: PlannedDatasetId
  interval: string
  timestamp: 'exchange' | 'true'
  exchange: string
  symbol: string
  start: string
  end: string
  raw: string
}

/** Returns the query of a selection over the files of a raw folder. */
export function folderQuery(dialect: EngineDialect, query: FolderQuery, plan?: MetricPlan): string {
  const places = sourcesRead(query.dataset).map((source) => {
    const folder = join(
      query.raw,
      `dataset=${source}`,
      `exchange=${query.exchange}`,
      `symbol=${encodeSymbol(query.symbol)}`,
    )
    const paths = readdirSync(folder)
      .sort()
      .map((name) => join(folder, name))
    return [source, { kind: 'files', paths }]
  })
  return metricQuery(
    dialect,
    {
      dataset: query.dataset,
      intervalSeconds: parseInterval(query.interval)!,
      timestamp: query.timestamp,
      startUs: parseDay(query.start)! * 1000,
      endUs: (parseDay(query.end)! + 86_400_000) * 1000,
      places: Object.fromEntries(places),
    },
    plan,
  )
}
