import { usageText } from '../text/messages.ts'
import { selectionText as text } from '../text/commands.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable, OptionValues } from '../command.ts'
import { listOption, refuseListAndSymbol } from '../symbolLists.ts'
import { UsageError } from '../usageError.ts'

/** Options that select what to download. */
export const selectionOptions = {
  raw: {
    type: 'flag',
    description: text.options.raw,
  },
  dataset: { type: 'list', value: 'D[,D]', description: text.options.dataset },
  exchange: { type: 'list', value: 'V[,V]', description: text.options.exchange },
  symbol: { type: 'list', value: 'S[,S]', description: text.options.symbol },
  list: listOption,
  interval: { type: 'list', value: 'I[,I]', description: text.options.interval },
  timestamp: {
    type: 'text',
    value: 'T',
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

export function selectionOf({
  raw,
  dataset,
  exchange,
  symbol,
  list,
  interval,
  timestamp,
}: SelectionValues): DownloadSelection {
  refuseListAndSymbol({ list, symbol })
  const common = {
    datasets: required('dataset', dataset),
    exchanges: list === undefined ? required('exchange', exchange) : (exchange ?? []),
    symbols: list === undefined ? required('symbol', symbol) : [],
    list,
  }
  if (!raw)
    return {
      kind: 'metrics',
      ...common,
      intervals: required('interval', interval),
      timestamps: [required('timestamp', timestamp)],
    }
  if (interval !== undefined || timestamp !== undefined) throw new UsageError(usageText.rawHasBothClocks)
  // The contract requires an interval and a clock, but ignores them for raw events.
  return { kind: 'raw', ...common, intervals: ['1m'], timestamps: ['exchange'] }
}

export function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new UsageError(usageText.optionMissing(name))
  return value
}

export function dayOption(name: string, text: string | undefined): string {
  const day = required(name, text)
  if (parseDay(day) === null) throw new UsageError(usageText.notDay(name, day))
  return day
}
