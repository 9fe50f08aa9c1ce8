import { selectionText as text } from '../text/commands.ts'
import { isRawDatasetId, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable, OptionValues } from '../command.ts'
import { UsageError } from '../usageError.ts'

/** What is to be fetched, as options. */
export const selectionOptions = {
  raw: {
    type: 'flag',
    description: text.options.raw,
  },
  dataset: { type: 'list', value: 'D[,D]', description: text.options.dataset },
  exchange: { type: 'list', value: 'V[,V]', description: text.options.exchange },
  symbol: { type: 'list', value: 'S[,S]', description: text.options.symbol },
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

export interface Selection {
  kind: 'metrics' | 'raw'
  datasets: string[]
  exchanges: string[]
  symbols: string[]
  intervals: string[]
  timestamps: string[]
}

export const isAnyChosen = (options: SelectionValues): boolean =>
  Object.keys(selectionOptions).some((name) => (options[name as keyof SelectionValues] ?? false) !== false)

export function selectionOf({ raw, dataset, exchange, symbol, interval, timestamp }: SelectionValues): Selection {
  const what = {
    datasets: needed('dataset', dataset),
    exchanges: needed('exchange', exchange),
    symbols: needed('symbol', symbol),
  }
  if (!raw)
    return {
      kind: 'metrics',
      ...what,
      intervals: needed('interval', interval),
      timestamps: [needed('timestamp', timestamp)],
    }
  if (interval !== undefined || timestamp !== undefined)
    throw new UsageError('Raw events have no interval and both timestamps; leave --interval and --timestamp out.')
  const other = what.datasets.find((id) => !isRawDatasetId(id))
  if (other !== undefined)
    throw new UsageError(
      `--dataset: there are no raw events “${other.slice(0, 60)}”; there are ${rawDatasets.map(({ id }) => id).join(', ')}.`,
    )
  // Neither counts for raw events.
  return { kind: 'raw', ...what, intervals: ['1m'], timestamps: ['exchange'] }
}

export function needed<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new UsageError(`--${name} is missing.`)
  return value
}

export function dayOption(name: string, text: string | undefined): string {
  const day = needed(name, text)
  if (parseDay(day) === null) throw new UsageError(`--${name} must be a day as YYYY-MM-DD, not “${day}”.`)
  return day
}
