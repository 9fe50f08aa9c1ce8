import { symbolColumn } from './columns.ts'
import { column, type ReadColumn } from './sheet.ts'

const { format: _format, ...wholeSymbol } = symbolColumn

/** Columns that say which series and file a row is about; a face may shorten the symbol. */
export const seriesColumns = {
  dataset: column<{ dataset: string }>('dataset', 'Dataset', 'text', ({ dataset }) => dataset, { widthPx: 110 }),
  exchange: column<{ exchange: string }>('exchange', 'Venue', 'text', ({ exchange }) => exchange, { widthPx: 116 }),
  symbol: { ...wholeSymbol, value: ({ symbol }) => symbol } as ReadColumn<{ symbol: string }>,
  interval: column<{ interval: string }>('interval', 'Interval', 'text', ({ interval }) => interval || null, {
    widthPx: 76,
  }),
  timestamp: column<{ timestamp: string }>('timestamp', 'Clock', 'text', ({ timestamp }) => timestamp || null, {
    widthPx: 78,
    hint: 'exchange: event time at the venue; true: arrival time',
  }),
  period: column<{ period: string }>('period', 'Period', 'text', ({ period }) => period, {
    widthPx: 100,
    hint: 'Month or day of the file',
  }),
}
