import type { LocationQuery } from 'vue-router'

export type CoverageKind = 'raw' | 'metrics'

const filterNames = ['dataset', 'venue', 'symbol', 'base', 'quote', 'settle'] as const
export type FilterName = (typeof filterNames)[number]

/** Selection of the screen, as its address keeps it; empty where nothing is selected. */
export interface CoverageAddress extends Record<FilterName, string> {
  kind: CoverageKind
  text: string
  /** The chosen row. */
  at: { dataset: string; venue: string; symbol: string } | null
  interval: string
  timestamp: string
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
    at: readRow(text('at')),
    interval: text('interval') || '1h',
    timestamp: text('timestamp') || 'exchange',
  }
}

export function writeAddress(address: CoverageAddress): Record<string, string> {
  const { kind, at, interval, timestamp, ...texts } = address
  const named: Record<string, string> = {
    ...texts,
    kind: kind === 'raw' ? '' : kind,
    at: at ? [at.dataset, at.venue, at.symbol].join('/') : '',
    interval: interval === '1h' ? '' : interval,
    timestamp: timestamp === 'exchange' ? '' : timestamp,
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== ''))
}

/** `dataset/venue/symbol`; a symbol holds no slash. */
function readRow(text: string): CoverageAddress['at'] {
  const [dataset, venue, symbol, ...rest] = text.split('/')
  return venue && symbol && rest.length === 0 ? { dataset, venue, symbol } : null
}
