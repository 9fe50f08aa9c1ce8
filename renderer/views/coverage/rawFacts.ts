import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import { textOf } from './symbolFrame.ts'

/** Facts from the index of raw events about one dataset of a symbol on a venue. */
export interface RawFacts {
  first: string
  last: string
  days: number
  missing: number
}

/** Finds the row of a frame with these texts; -1 if there is none. */
export function rowWith(frame: Frame, texts: Readonly<Record<string, string>>): number {
  const wantedCodes = Object.entries(texts).map(([name, text]) => {
    const { values, dictionary } = textOf(frame, name)
    return { values, code: dictionary.indexOf(text) }
  })
  if (wantedCodes.some(({ code }) => code === -1)) return -1
  for (let row = 0; row < frame.rows; row += 1) {
    if (wantedCodes.every(({ values, code }) => values[row] === code)) return row
  }
  return -1
}

const numberAt = (frame: Frame, name: string, row: number) => Number(columnOf(frame, name)?.values[row])

export function rawFactsAt(frame: Frame, row: number): RawFacts {
  return {
    first: dayOf(numberAt(frame, 'first', row)),
    last: dayOf(numberAt(frame, 'last', row)),
    days: numberAt(frame, 'days', row),
    missing: numberAt(frame, 'missing', row),
  }
}

/** Finds the first day with raw events of a symbol on a venue; null if there is none. */
export function firstDayOf(frame: Frame, exchange: string, symbol: string): string | null {
  const venues = textOf(frame, 'exchange')
  const symbols = textOf(frame, 'symbol')
  const venueCode = venues.dictionary.indexOf(exchange)
  const symbolCode = symbols.dictionary.indexOf(symbol)
  let firstMs = Infinity
  for (let row = 0; row < frame.rows; row += 1) {
    if (venues.values[row] === venueCode && symbols.values[row] === symbolCode)
      firstMs = Math.min(firstMs, numberAt(frame, 'first', row))
  }
  return firstMs === Infinity ? null : dayOf(firstMs)
}
