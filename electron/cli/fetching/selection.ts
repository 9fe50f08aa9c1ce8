import { usageText } from '../text/messages.ts'
import { selectionText as text } from '../text/commands.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { isMetricDatasetId } from '#shared/catalog/metricDatasets.ts'
import { isRawDatasetId } from '#shared/catalog/rawDatasets.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable, OptionValues } from '../command.ts'
import { listOption, refuseListAndSymbol, topOptions } from '../symbolLists.ts'
import { MissingOptions, UsageError } from '../usageError.ts'

/** Options that select what to download. */
export const selectionOptions = {
  raw: {
    type: 'flag',
    description: text.options.raw,
  },
  dataset: { type: 'list', value: 'D[,D]', description: text.options.dataset },
  exchange: { type: 'list', value: 'V[,V]', fromConnection: true, description: text.options.exchange },
  symbol: { type: 'list', value: 'S[,S]', symbols: 'listed', description: text.options.symbol },
  list: listOption,
  ...topOptions,
  interval: { type: 'list', value: 'I[,I]', description: text.options.interval },
  timestamp: {
    type: 'text',
    value: 'T',
    fromConnection: true,
    values: timestampSources,
    description: text.options.timestamp,
  },
  start: { type: 'text', value: 'DATE', description: text.options.start },
} as const satisfies OptionTable

type SelectionValues = OptionValues<typeof selectionOptions>

export interface DownloadSelection {
  kind: 'metrics' | 'raw'
  datasets: string[]
  exchanges: string[]
  symbols: string[]
  list?: string | undefined
  intervals: string[]
  timestamps: string[]
}

export const isAnyChosen = (options: SelectionValues): boolean =>
  Object.keys(selectionOptions).some((name) => (options[name as keyof SelectionValues] ?? false) !== false)

/** Returns the selection; throws if it is not complete, naming also those of the `further` values that are missing. */
export function selectionOf(
  { raw, dataset, exchange, symbol, list, interval, timestamp }: SelectionValues,
  further: Readonly<Record<string, string | undefined>> = {},
): DownloadSelection {
  refuseListAndSymbol({ list, symbol })
  const needed = {
    dataset,
    ...(list === undefined && { exchange, symbol }),
    ...(!raw && { interval, timestamp }),
    ...further,
  }
  const rawOnly = raw ? undefined : dataset?.find((id) => isRawDatasetId(id) && !isMetricDatasetId(id))
  if (rawOnly !== undefined) throw new UsageError(usageText.needsRaw(rawOnly))
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []))
  if (missing.length > 0) throw new MissingOptions(missing)
  const common = {
    datasets: dataset ?? [],
    exchanges: exchange ?? [],
    symbols: list === undefined ? (symbol ?? []) : [],
    list,
  }
  if (!raw) return { kind: 'metrics', ...common, intervals: interval ?? [], timestamps: timestamp ? [timestamp] : [] }
  if (interval !== undefined || timestamp !== undefined) throw new UsageError(usageText.rawHasBothClocks)
  // The contract requires an interval and a clock, but ignores them for raw events.
  return { kind: 'raw', ...common, intervals: ['1m'], timestamps: ['exchange'] }
}

export function dayOption(name: string, day = ''): string {
  if (parseDay(day) === null) throw new UsageError(usageText.notDay(name, day))
  return day
}
