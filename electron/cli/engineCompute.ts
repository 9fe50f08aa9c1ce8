import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import type { EngineName } from '#shared/contract/areas/raw.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { exit } from './command.ts'
import { Failure } from './failure.ts'
import type { Output } from './print.ts'
import { recordLines } from './sheetLines.ts'
import { resultsAddress, rawPlace } from './printedScript.ts'
import { computeCommandText } from './text/commands.ts'
import { noteText, progressText, usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

interface EngineOptions {
  connectionId: string
  pairs: readonly { exchange: string; symbol: string }[]
  datasets: readonly MetricDatasetId[]
  interval: string
  timestamp: 'exchange' | 'true'
  start: string
  end: string
  raw: string | undefined
  out: string | undefined
  parallel: number | undefined
}

/** Default number of days that the server computes in parallel. */
const DEFAULT_PARALLEL = 2

/**
 * Computes on the ClickHouse server of the connection, and prints how many files of each dataset and symbol were stored
 * in the cache or on the server.
 */
export async function computeOnEngine(core: Client, options: EngineOptions, out: Output, signal: AbortSignal) {
  if (options.raw === undefined) throw new UsageError(usageText.engineNeedsRaw)
  const { connectionId, interval, timestamp, start, end } = options
  const request = {
    connectionId,
    interval,
    timestamp,
    pairs: options.pairs.map(({ exchange, symbol }) => ({ exchange, symbol })),
    datasets: [...options.datasets],
    startDay: dayNumberOf(start),
    endDay: dayNumberOf(end) + 1,
    raw: rawPlace(options.raw),
    out: options.out === undefined ? null : resultsAddress(options.out),
    parallel: options.parallel ?? DEFAULT_PARALLEL,
  }
  const onProgress = ({ done, total }: { done: number; total?: number | null }) =>
    out.progress({ done, total: total ?? 0, message: progressText.daysComputed })
  const result = await core.call('raw.computeOnEngine', request, { signal, onProgress })
  for (const message of result.missing) out.problem(`${message}.`)
  for (const note of result.notes) out.note(noteText.warning(note))
  out.result(result, () => recordLines(columns, result.outputs))
  if (result.missing.length > 0) out.problem(computeCommandText.run.lacksDays)
  return exit.done
}

/** Refuses datasets that have columns known to differ on the engine. */
export async function refuseUncheckedDatasets(
  core: Client,
  connectionId: string,
  engine: EngineName,
  datasets: readonly string[],
): Promise<void> {
  const { checks } = await core.call('raw.engineChecks', { connectionId })
  const refused = checks.find(
    (each) => each.engine === engine && each.refusal !== null && datasets.includes(each.dataset),
  )
  if (refused?.refusal) throw new Failure(refused.refusal)
}

const columns: readonly ReadColumn<CallOutput<'raw.computeOnEngine'>['outputs'][number]>[] = [
  seriesColumns.dataset,
  seriesColumns.exchange,
  seriesColumns.symbol,
  column('files', 'New', 'count', ({ files }) => files),
  column('kept', 'Kept', 'count', ({ kept }) => kept),
  column('rows', 'Rows', 'count', ({ rows }) => rows),
]
