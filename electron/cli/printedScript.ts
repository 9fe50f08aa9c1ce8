import { resolve, sep } from 'node:path'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { hasMetricPlan } from '#shared/metrics/datasetComputations.ts'
import { engineScript, type RawPlace } from '#shared/engines/script.ts'
import { type EngineDialect, engineDialects } from '#shared/engines/dialects/dialect.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { Failure } from './failure.ts'
import { usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

interface EngineOptions {
  engine: string | undefined
  'print-sql': boolean
  submit: string | undefined
}

/** Returns the dialect of the script to print; null if none is printed. Throws if the options contradict each other. */
export function printedDialect({
  engine = 'local',
  'print-sql': printsSql,
  submit,
}: EngineOptions): EngineDialect | null {
  const dialect = engineDialects.find((known) => known === engine) ?? null
  if (printsSql && !dialect) throw new UsageError(usageText.printNeedsEngine)
  if (submit !== undefined && (dialect !== 'spark' || printsSql)) throw new UsageError(usageText.submitNeedsSpark)
  if (dialect === 'spark' && !printsSql && submit === undefined)
    throw new UsageError(usageText.engineNeedsPrint(dialect))
  return printsSql ? dialect : null
}

interface ScriptOptions {
  datasets: readonly MetricDatasetId[]
  exchange: string | undefined
  symbol: string | undefined
  list: string | undefined
  interval: string
  start: string
  end: string
  raw: string | undefined
  out: string | undefined
}

interface Pair {
  exchange: string
  symbol: string
}

/** Returns the script of a selection; with `--list`, it contains the statements of all symbols of the list. */
export async function printedScript(
  dialect: EngineDialect,
  options: ScriptOptions,
  request: { intervalSeconds: number; timestamp: 'exchange' | 'true'; cluster?: string },
  loadPairs: () => Promise<readonly Pair[]>,
): Promise<string> {
  const { datasets, raw, out } = options
  const computableDatasets = datasets.filter(hasMetricPlan)
  const uncomputable = datasets.filter((dataset) => !hasMetricPlan(dataset))
  if (uncomputable.length > 0) throw new Failure(usageText.notComputable(uncomputable))
  if (raw === undefined) throw new UsageError(usageText.printNeedsRaw)
  const shared = {
    datasets: computableDatasets,
    interval: options.interval,
    ...request,
    startUs: parseDay(options.start)! * 1000,
    endUs: (parseDay(options.end)! + MS_PER_DAY) * 1000,
    raw: rawPlace(raw),
    out: out === undefined ? null : resultsAddress(out),
  }
  const pairs =
    options.list === undefined
      ? [{ exchange: options.exchange ?? '', symbol: options.symbol ?? '' }]
      : await loadPairs()
  return pairs.map((pair) => engineScript(dialect, { ...shared, ...pair })).join('\n')
}

/** Validates where an engine writes its results: an `s3://` address, or a folder on the engine's machine. */
export const resultsAddress = (out: string): string => addressOf(out, usageText.outIsNotPlace)

export function rawPlace(raw: string): RawPlace {
  if (!raw.startsWith('table:')) return { kind: 'folder', address: addressOf(raw, usageText.rawIsNotPlace) }
  const name = raw.slice('table:'.length)
  if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/.test(name)) throw new UsageError(usageText.notDatabase(name))
  return { kind: 'database', name }
}

/**
 * Validates a folder or address for a script; characters that an engine would read as a pattern or as the end of a
 * string are refused.
 */
function addressOf(typed: string, problem: string): string {
  const address = typed.startsWith('s3://') ? typed.replace(/\/+$/, '') : resolve(typed).replaceAll(sep, '/')
  if (/[*?[\]{}'"`\\\p{Cc}]/u.test(address)) throw new UsageError(problem)
  return address
}
