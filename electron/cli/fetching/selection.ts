import { timestampSources } from '#shared/catalog/intervals.ts'
import { parseDay } from '#shared/time.ts'
import type { OptionTable, OptionValues } from '../command.ts'
import { UsageError } from '../usageError.ts'

/** What is to be fetched, as options. */
export const selectionOptions = {
  dataset: { type: 'list', value: 'D[,D]', words: 'Metric datasets.' },
  exchange: { type: 'list', value: 'V[,V]', words: 'Venues.' },
  symbol: { type: 'list', value: 'S[,S]', words: 'Symbols, as perpetual-BTC-USDT:USDT.' },
  interval: { type: 'list', value: 'I[,I]', words: 'Intervals, such as 1m or 1h.' },
  timestamp: {
    type: 'text',
    value: 'T',
    values: timestampSources,
    words: 'exchange: when the venue says it happened; true: when it arrived.',
  },
  start: { type: 'text', value: 'DATE', words: 'First UTC day, YYYY-MM-DD.' },
} as const satisfies OptionTable

type SelectionValues = OptionValues<typeof selectionOptions>

export interface Selection {
  datasets: string[]
  exchanges: string[]
  symbols: string[]
  intervals: string[]
  timestamps: string[]
}

export const isAnyChosen = (options: SelectionValues): boolean =>
  Object.keys(selectionOptions).some((name) => options[name as keyof SelectionValues] !== undefined)

export function selectionOf({ dataset, exchange, symbol, interval, timestamp }: SelectionValues): Selection {
  return {
    datasets: needed('dataset', dataset),
    exchanges: needed('exchange', exchange),
    symbols: needed('symbol', symbol),
    intervals: needed('interval', interval),
    timestamps: [needed('timestamp', timestamp)],
  }
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
