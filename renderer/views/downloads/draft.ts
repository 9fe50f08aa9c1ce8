import type { LocationQuery } from 'vue-router'
import {
  downloadRequest,
  requestOfSet,
  type DownloadRequest,
  type DownloadSet,
  type DownloadSetFields,
} from '#shared/contract/areas/downloads.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { dayOf, parseDay } from '#shared/time.ts'
import { presetRange } from './ranges.ts'

/** Contents of the composer: a request that may still be incomplete. */
export type Draft = Pick<
  DownloadRequest,
  'kind' | 'datasets' | 'exchanges' | 'symbols' | 'intervals' | 'timestamps' | 'startDay' | 'endDay'
> & { tryLocked: boolean }

/** Reads the symbols that a screen handed over beside the address because they are too many for it. */
export function handedSymbols(state: unknown): string[] {
  const symbols = (state as { symbols?: unknown } | null)?.symbols
  return Array.isArray(symbols) ? symbols.filter((each) => typeof each === 'string') : []
}

/** An address's choice over what fits most: `?dataset=flow,vtwap&exchange=…&symbol=…&start=…&end=…`. */
export function draftOf(query: LocationQuery, nowMs: number, handed: string[] = []): Draft {
  const range = presetRange('month', nowMs)
  const texts = (name: string) => [query[name] ?? []].flat().flatMap((text) => text?.split(',').filter(Boolean) ?? [])
  const some = (name: string, usual: string[]) => (texts(name).length > 0 ? texts(name) : usual)
  const day = (name: string, usual: string) => texts(name).find((text) => parseDay(text) !== null) ?? usual
  const kind = texts('kind')[0] === 'raw' ? 'raw' : 'metrics'
  return {
    kind,
    datasets: some('dataset', kind === 'raw' ? ['trades'] : ['ohlcv']),
    exchanges: some('exchange', ['venuea-futures']),
    symbols: some('symbol', handed),
    intervals: some('interval', ['1h']),
    timestamps: some('timestamp', ['exchange']),
    startDay: day('start', range.startDay),
    endDay: day('end', range.endDay),
    tryLocked: false,
  }
}

/** Builds the draft of a set for today. */
export function draftOfSet(set: DownloadSetFields, nowMs: number): Draft {
  const { kind, datasets, exchanges, symbols, intervals, timestamps, startDay, endDay } = requestOfSet(
    set,
    dayOf(nowMs),
  )
  return { kind, datasets, exchanges, symbols, intervals, timestamps, startDay, endDay, tryLocked: false }
}

/** Saves the draft under a name. */
export const setOf = (draft: Draft, name: string, start: DownloadSet['start']): DownloadSetFields => ({
  connectionId: '',
  name,
  start,
  kind: draft.kind,
  datasets: draft.datasets,
  exchanges: draft.exchanges,
  symbols: draft.symbols,
  intervals: draft.intervals,
  timestamps: draft.timestamps,
})

/** Names the part that the draft still lacks; null if the request is complete. */
export function lackOf(draft: Draft): string | null {
  if (draft.datasets.length === 0) return 'Choose at least one dataset.'
  if (draft.exchanges.length === 0) return 'Choose at least one venue.'
  if (draft.symbols.length === 0) return 'Choose at least one symbol.'
  if (draft.kind === 'metrics' && draft.intervals.length === 0) return 'Choose at least one interval.'
  if (draft.kind === 'metrics' && draft.timestamps.length === 0) return 'Choose a source of timestamps.'
  if (parseDay(draft.startDay) === null || parseDay(draft.endDay) === null) return 'Choose the first and the last day.'
  return draft.startDay > draft.endDay ? 'The range ends before it starts.' : null
}

export function requestOf({ tryLocked, ...draft }: Draft): DownloadRequest | null {
  if (lackOf({ tryLocked, ...draft })) return null
  const { intervals, timestamps, ...rest } = draft
  const metrics = draft.kind === 'metrics' ? { intervals, timestamps } : {}
  return downloadRequest.parse({ ...rest, ...metrics, tryLocked, tryRefused: tryLocked })
}

/** A symbol as it is, or as the screen shows it: without the kind of its contract. */
const symbolOf = (word: string) => [word, `perpetual-${word}`].find((each) => parseSymbol(each))

/** Symbols in a text, whatever stands between them, and the words that are none. */
export function symbolsIn(text: string): { symbols: string[]; others: string[] } {
  const names = [...new Set(text.split(/[\s,;"']+/).filter(Boolean))]
  return {
    symbols: [...new Set(names.flatMap((word) => symbolOf(word) ?? []))],
    others: names.filter((word) => !symbolOf(word)),
  }
}
