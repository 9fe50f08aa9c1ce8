import { parseSymbol } from '../catalog/symbols.ts'
import { origins } from './chartStyle.ts'
import type { ColumnSource } from './workspace.ts'

/** `BTC` of `perpetual-BTC-USDT:USDT`; with the quote where that is not what most settle in. */
export function symbolLabel(symbol: string): string {
  const parts = parseSymbol(symbol)
  if (!parts) return symbol
  const pair = parts.quote === 'USDT' ? parts.base : `${parts.base}/${parts.quote}`
  return parts.settle === parts.quote ? pair : `${pair}:${parts.settle}`
}

/** Shortens `venuea-futures` to `venuea`. */
const venueLabel = (exchange: string): string => exchange.replace(/-(futures|perps)$/, '')

export const COMPUTED_LABEL = 'computed here'

/** Label of the series' source in a picker. */
export const originOptions = origins.map((value) => ({
  value,
  title: value === 'computed' ? COMPUTED_LABEL : 'from the service',
}))

/** `Close · BTC · venuea · 1m`: what tells this series from its neighbours. */
export function sourceLabel(source: ColumnSource, columnLabel: string): string {
  const { symbol, exchange, interval, timestamp, resampleTo, origin } = source
  const clock = timestamp === 'true' ? ' · true time' : ''
  const shown = resampleTo ? `${interval} → ${resampleTo}` : interval
  const here = origin === 'computed' ? ` · ${COMPUTED_LABEL}` : ''
  return `${columnLabel} · ${symbolLabel(symbol)} · ${venueLabel(exchange)} · ${shown}${clock}${here}`
}
