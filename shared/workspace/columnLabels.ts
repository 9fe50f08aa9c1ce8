import { isPortfolioDataset, portfolioSymbolLabel } from '../catalog/portfolioSeries.ts'
import { parseSymbol } from '../catalog/symbols.ts'
import { declaredColumn } from '../catalog/testedDatasets.ts'
import { ownColumnLabel } from '../formula/ownData.ts'
import { origins } from './chartStyle.ts'
import type { ColumnSource, FormulaInstrument, SeriesSource } from './workspaceSchema.ts'

/** Returns `BTC` for `perpetual-BTC-USDT:USDT`. Adds a quote other than USDT, and a settlement other than the quote. */
export function symbolLabel(symbol: string): string {
  const parts = parseSymbol(symbol)
  if (!parts) return symbol
  const pair = parts.quote === 'USDT' ? parts.base : `${parts.base}/${parts.quote}`
  return parts.settle === parts.quote ? pair : `${pair}:${parts.settle}`
}

/** Builds a label such as `BTC · alpha · 1m`. */
export const instrumentLabel = ({ exchange, symbol, interval, timestamp }: FormulaInstrument): string =>
  `${symbolLabel(symbol)} · ${venueLabel(exchange)} · ${interval}${timestamp === 'true' ? ' · true time' : ''}`

/** Shortens `alpha-futures` to `alpha`. */
const venueLabel = (exchange: string): string => exchange.replace(/-(futures|perps)$/, '')

export const COMPUTED_LABEL = 'computed here'

/** Options for the origin of a series in a picker. */
export const originOptions = origins.map((value) => ({
  value,
  title: value === 'computed' ? COMPUTED_LABEL : 'from the service',
}))

/**
 * Tells whether a series was computed on this machine. Histories of the portfolio service, which are only stored in the
 * same way, do not count.
 */
export const isComputedHere = (source: SeriesSource): boolean =>
  source.kind === 'column' && source.origin === 'computed' && !isPortfolioDataset(source.dataset)

/** Names a column in labels: as documented, or as its files name it. */
export const shownColumnLabel = (dataset: string, column: string): string =>
  declaredColumn(dataset, column)?.label ?? ownColumnLabel(dataset, column) ?? column

/** Builds a label such as `Close · BTC · alpha · 1m`, which distinguishes the series from others. */
export function sourceLabel(source: ColumnSource, columnLabel: string): string {
  const { symbol, exchange, interval, timestamp, resampleTo, origin, asKnown, everyInstrument } = source
  if (isPortfolioDataset(source.dataset)) return `${columnLabel} · ${portfolioSymbolLabel(symbol)}`
  const clockText = timestamp === 'true' ? ' · true time' : ''
  const intervalText = resampleTo ? `${interval} → ${resampleTo}` : interval
  const knownText = asKnown ? ' · as known' : ''
  if (everyInstrument) return `${columnLabel} · ${intervalText}${knownText}`
  const computedText = origin === 'computed' ? ` · ${COMPUTED_LABEL}` : ''
  return `${columnLabel} · ${symbolLabel(symbol)} · ${venueLabel(exchange)} · ${intervalText}${clockText}${knownText}${computedText}`
}
