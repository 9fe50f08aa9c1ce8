/** The part of a service that a connection of previews offers: one period, and one symbol for each venue. */
import { dayFromNumber, periodDays, type Period } from '../time/periods.ts'

export interface PreviewSlice {
  period: Period
  /** Symbol by venue. */
  symbols: Readonly<Record<string, string>>
}

/** Returns the slice that a catalog names as its preview; null if it names none. */
export function previewSlice(period: string | null, symbols: Readonly<Record<string, string>>): PreviewSlice | null {
  return period !== null && periodDays(period) !== null && Object.keys(symbols).length > 0 ? { period, symbols } : null
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Returns the slice that a catalog document names, whatever else is in it; null if it names none. */
export function sliceOfCatalog(catalog: unknown): PreviewSlice | null {
  const preview = isObject(catalog) && isObject(catalog.preview) ? catalog.preview : {}
  const named = Object.entries(isObject(preview.symbols) ? preview.symbols : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return previewSlice(typeof preview.period === 'string' ? preview.period : null, Object.fromEntries(named))
}

/** Returns the first and the last day of a slice, both included. */
export function sliceDays({ period }: PreviewSlice): { startDay: string; endDay: string } {
  const { start, end } = periodDays(period)!
  return { startDay: dayFromNumber(start), endDay: dayFromNumber(end - 1) }
}

export const sliceText = ({ period, symbols }: PreviewSlice): string =>
  `${period} of ${Object.entries(symbols)
    .map(([venue, symbol]) => `${symbol} on ${venue}`)
    .join(', ')}`

interface Wanted {
  exchange: string
  symbol: string
  startDay: string
  /** Last day, included. */
  endDay: string
}

/** Returns the sentence that refuses what is outside the slice; null if all of it is inside. */
export function outsideSlice(slice: PreviewSlice, { exchange, symbol, startDay, endDay }: Wanted): string | null {
  const days = sliceDays(slice)
  const wanted =
    slice.symbols[exchange] !== symbol
      ? `${symbol} on ${exchange}`
      : startDay < days.startDay || endDay > days.endDay
        ? `${startDay} to ${endDay}`
        : null
  return wanted && `This connection is one of previews: it offers ${sliceText(slice)}, and not ${wanted}.`
}
