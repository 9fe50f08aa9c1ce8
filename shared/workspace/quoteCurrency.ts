import { addSeries, changeSeries, removeSeries } from './edit.ts'
import { allSeries } from './workspace.ts'
import type { ColumnSource, SeriesEntry, WorkspaceDocument } from './workspaceSchema.ts'

const CONVERSION = /^inquote\((\w+), (\w+)\)$/

/** Returns the names of the amount and of the price if the series is an amount that `showInQuote` converted. */
function conversionOf({ source }: SeriesEntry): { amount: string; price: string } | null {
  const [, amount, price] = (source.kind === 'formula' && CONVERSION.exec(source.formula)) || []
  return amount && price ? { amount, price } : null
}

export const isInQuote = (entry: SeriesEntry): boolean => conversionOf(entry) !== null

const paneOf = ({ panes }: WorkspaceDocument, entryId: string) =>
  panes.find(({ series }) => series.some(({ id }) => id === entryId))?.id ?? null

/**
 * Shows an amount of a column in quote currency, converted at the close of its instrument. The converted series takes
 * the place of the amount. The amount stays hidden beside it, and so does the price if it was not charted before.
 */
export function showInQuote(document: WorkspaceDocument, amount: SeriesEntry): WorkspaceDocument {
  if (amount.source.kind !== 'column') return document
  const source: ColumnSource = { ...amount.source, dataset: 'ohlcv', column: 'close' }
  const sourceKey = JSON.stringify(source)
  const paneId = paneOf(document, amount.id)
  const existing = allSeries(document).find((each) => JSON.stringify(each.source) === sourceKey)
  const price = existing ? { document, entry: existing } : addSeries(document, paneId, { source })
  const withPrice = existing ? document : changeSeries(price.document, price.entry.id, { hidden: true })
  const formula = `inquote(${amount.name}, ${price.entry.name})`
  const converted = addSeries(withPrice, paneId, { source: { kind: 'formula', formula }, style: amount.style })
  return changeSeries(converted.document, amount.id, { hidden: true })
}

/** Shows the amount of a converted series again, and removes the converted one. */
export function showInBase(document: WorkspaceDocument, converted: SeriesEntry): WorkspaceDocument {
  const names = conversionOf(converted)
  const amount = allSeries(document).find(({ name }) => name === names?.amount)
  if (!amount) return document
  return changeSeries(removeSeries(document, converted.id), amount.id, { hidden: false })
}
