import { parseSymbol } from '../catalog/symbols.ts'
import { origins } from './chartStyle.ts'
import type { ColumnSource } from './workspace.ts'

/** `BTC` of `perpetual-BTC-USDT:USDT`; with the quote where that is not what most settle in. */
export function symbolWords(symbol: string): string {
  const parts = parseSymbol(symbol)
  if (!parts) return symbol
  const pair = parts.quote === 'USDT' ? parts.base : `${parts.base}/${parts.quote}`
  return parts.settle === parts.quote ? pair : `${pair}:${parts.settle}`
}

/** `venuea` of `venuea-futures`. */
const venueWords = (exchange: string): string => exchange.replace(/-(futures|perps)$/, '')

export const COMPUTED_WORDS = 'computed here'

/** Whose rows: to choose from. */
export const originOptions = origins.map((value) => ({
  value,
  title: value === 'computed' ? COMPUTED_WORDS : 'from the service',
}))

/** `Close · BTC · venuea · 1m`: what tells this series from its neighbours. */
export function sourceWords(source: ColumnSource, columnLabel: string): string {
  const { symbol, exchange, interval, timestamp, resampleTo, origin } = source
  const clock = timestamp === 'true' ? ' · true time' : ''
  const shown = resampleTo ? `${interval} → ${resampleTo}` : interval
  const here = origin === 'computed' ? ` · ${COMPUTED_WORDS}` : ''
  return `${columnLabel} · ${symbolWords(symbol)} · ${venueWords(exchange)} · ${shown}${clock}${here}`
}
