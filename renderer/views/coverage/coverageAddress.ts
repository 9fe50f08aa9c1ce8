import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed } from 'vue'
import { changeQuery } from '../../widgets/addressQuery.ts'
import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { Condition } from '#shared/tables/arrangement.ts'
import { symbolText } from './symbolFrame.ts'

export type CoverageKind = 'raw' | 'metrics'

/** Returns the names of the columns that identify rows in the table of symbols. */
export const keyNames = (kind: CoverageKind): readonly string[] =>
  kind === 'raw' ? ['exchange', 'symbol', 'dataset'] : ['exchange', 'symbol']

const filterNames = ['dataset', 'venue', 'symbol', 'base', 'quote', 'settle', 'list'] as const
export type FilterName = (typeof filterNames)[number]

/** Selection of the screen as stored in its address; an empty text means nothing is selected. */
export interface CoverageAddress extends Record<FilterName, string> {
  kind: CoverageKind
  /** True to show a row per symbol and a column per dataset and venue. */
  isPivot: boolean
  text: string
  /** Selected row. */
  at: { dataset: string; venue: string; symbol: string } | null
  interval: string
  timestamp: string
  /** True to list only symbols with missing days between their first and last day. */
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
  const parameters: Record<string, string> = {
    ...texts,
    kind: kind === 'raw' ? '' : kind,
    at: at ? [at.dataset, at.venue, at.symbol].join('/') : '',
    interval: interval === '1h' ? '' : interval,
    timestamp: timestamp === 'exchange' ? '' : timestamp,
    gaps: hasGaps ? '1' : '',
    view: isPivot ? 'pivot' : '',
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''))
}

/** Parses `dataset/venue/symbol`; a symbol contains no slash. */
function readRow(text: string): CoverageAddress['at'] {
  const [dataset, venue, symbol, ...rest] = text.split('/')
  return venue && symbol && rest.length === 0 ? { dataset, venue, symbol } : null
}

/** Builds the condition that a row has the venue and symbol of one of these pairs. */
export function pairCondition(pairs: readonly ListedPair[]): Condition {
  const symbolsByVenue = new Map<string, string[]>()
  for (const { exchange, symbol } of pairs)
    symbolsByVenue.set(exchange, [...(symbolsByVenue.get(exchange) ?? []), symbol])
  const venueCondition = ([exchange, oneOf]: [string, string[]]): Condition => ({
    all: [
      { key: 'exchange', oneOf: [exchange] },
      { key: 'symbol', oneOf },
    ],
  })
  return { any: [...symbolsByVenue].map(venueCondition) }
}

/** Builds the conditions of an address for the rows of a frame. */
export function coverageConditions(frame: Frame, address: CoverageAddress): Condition[] {
  const exactFilters: [key: string, value: string][] = [
    // Metric files are filtered by dataset when they are counted, because each row is a symbol with all its datasets.
    ['dataset', address.kind === 'raw' ? address.dataset : ''],
    ['exchange', address.venue],
    ['symbol', address.symbol],
    ['quote', address.quote],
    ['settle', address.settle],
  ]
  const conditions: Condition[] = exactFilters.flatMap(([key, value]) => (value === '' ? [] : { key, oneOf: [value] }))
  if (address.hasGaps) conditions.push({ key: 'missing', from: 1 })
  if (address.base === '') return conditions
  const wanted = normaliseForSearch(address.base)
  const bases = symbolText(frame, 'base').dictionary.filter((base) => normaliseForSearch(base) === wanted)
  return [...conditions, { key: 'base', oneOf: bases }]
}

/** Reads the selection from the address, and changes it by changing the address. */
export function useCoverageAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readAddress(route.query))
  function change(patch: Partial<CoverageAddress>): void {
    changeQuery(router, (query) => writeAddress({ ...readAddress(query), ...patch }))
  }
  return { address, change }
}
