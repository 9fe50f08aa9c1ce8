import { isPlainColumn } from './expandFormula.ts'
import type { SeriesEntry } from './workspaceSchema.ts'

/** Columns that a chart of candles reads. */
export const candleColumns = ['open', 'high', 'low', 'close', 'volume'] as const

export const canBeCandles = ({ source }: Pick<SeriesEntry, 'source'>): boolean =>
  source.kind === 'column' && source.dataset === 'ohlcv' && source.column === 'close'

/** Tells whether a chart draws a series as candles. */
export const isDrawnAsCandles = (entry: Pick<SeriesEntry, 'source' | 'style' | 'transform'>): boolean =>
  entry.style === 'candles' && canBeCandles(entry) && isPlainColumn(entry)
