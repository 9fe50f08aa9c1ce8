import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed } from 'vue'
import { changeQuery } from '../addressQuery.ts'
import { searchForm } from '#shared/catalog/searchForm.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { Condition } from '#shared/tables/arrangement.ts'
import { textOf } from './symbolFrame.ts'

export type CoverageKind = 'raw' | 'metrics'

/** Names the columns that tell the rows of the symbols' table apart. */
export const keyNames = (kind: CoverageKind): readonly string[] =>
  kind === 'raw' ? ['exchange', 'symbol', 'dataset'] : ['exchange', 'symbol']

const filterNames = ['dataset', 'venue', 'symbol', 'base', 'quote', 'settle', 'list'] as const
export type FilterName = (typeof filterNames)[number]

/** Selection of the screen as its address keeps it; a text is empty if nothing is selected. */
export interface CoverageAddress extends Record<FilterName, string> {
  kind: CoverageKind
  /** Shows a row for each symbol and a column for each dataset at each venue. */
  isPivot: boolean
  text: string
  /** The selected row. */
  at: { dataset: string; venue: string; symbol: string } | null
  interval: string
  timestamp: string
  /** Lists only symbols with days that are missing between their first and their last. */
  hasGaps: boolean
}

export function readAddress(query: LocationQuery): CoverageAddress {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  return {
    kind: text('kind') === 'metrics' ? 'metrics' : 'raw',
    text: text('text'),
    dataset: text('dataset'),
    venue: text('venue'),
    symbol: text('symbol'),
    base: text('base'),
    quote: text('quote'),
    settle: text('settle'),
    list: text('list'),
    at: readRow(text('at')),
    interval: text('interval') || '1h',
    timestamp: text('timestamp') || 'exchange',
    hasGaps: text('gaps') === '1',
    isPivot: text('view') === 'pivot',
  }
}

export function writeAddress(address: CoverageAddress): Record<string, string> {
  const { kind, at, interval, timestamp, hasGaps, isPivot, ...texts } = address
  const named: Record<string, string> = {
    ...texts,
    kind: kind === 'raw' ? '' : kind,
    at: at ? [at.dataset, at.venue, at.symbol].join('/') : '',
    interval: interval === '1h' ? '' : interval,
    timestamp: timestamp === 'exchange' ? '' : timestamp,
    gaps: hasGaps ? '1' : '',
    view: isPivot ? 'pivot' : '',
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== ''))
}

/** Parses `dataset/venue/symbol`; a symbol has no slash. */
function readRow(text: string): CoverageAddress['at'] {
  const [dataset, venue, symbol, ...rest] = text.split('/')
  return venue && symbol && rest.length === 0 ? { dataset, venue, symbol } : null
}

/** Builds the condition that a row is of one of these pairs. */
export function pairCondition(pairs: readonly ListedPair[]): Condition {
  const symbols = new Map<string, string[]>()
  for (const { exchange, symbol } of pairs) symbols.set(exchange, [...(symbols.get(exchange) ?? []), symbol])
  const ofVenue = ([exchange, oneOf]: [string, string[]]): Condition => ({
    all: [
      { key: 'exchange', oneOf: [exchange] },
      { key: 'symbol', oneOf },
    ],
  })
  return { any: [...symbols].map(ofVenue) }
}

/** Builds the conditions that an address puts on the rows of a frame. */
export function coverageConditions(frame: Frame, address: CoverageAddress): Condition[] {
  const exact: [key: string, value: string][] = [
    // Metric files are filtered by dataset when they are counted, because their rows are symbols.
    ['dataset', address.kind === 'raw' ? address.dataset : ''],
    ['exchange', address.venue],
    ['symbol', address.symbol],
    ['quote', address.quote],
    ['settle', address.settle],
  ]
  const conditions: Condition[] = exact.flatMap(([key, value]) => (value === '' ? [] : { key, oneOf: [value] }))
  if (address.hasGaps) conditions.push({ key: 'missing', from: 1 })
  if (address.base === '') return conditions
  const wanted = searchForm(address.base)
  const bases = textOf(frame, 'base').dictionary.filter((base) => searchForm(base) === wanted)
  return [...conditions, { key: 'base', oneOf: bases }]
}

/** Reads the selection from the address, and changes it by writing the address. */
export function useCoverageAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readAddress(route.query))
  function change(patch: Partial<CoverageAddress>): void {
    changeQuery(router, (query) => writeAddress({ ...readAddress(query), ...patch }))
  }
  return { address, change }
}
