import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import type { RawFacts } from '../../text/coverage.ts'
import { symbolText } from './symbolFrame.ts'

/** Finds the row of a frame with these texts; -1 if there is none. */
export function rowWith(frame: Frame, texts: Readonly<Record<string, string>>): number {
  const wantedCodes = Object.entries(texts).map(([name, text]) => {
    const { values, dictionary } = symbolText(frame, name)
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
    bytes: numberOrNull(frame, 'bytes', row),
    gaps: gapsOf(textOrNull(frame, 'gaps', row)),
  }
}

const cellAt = (frame: Frame, name: string, row: number) => {
  const column = columnOf(frame, name)
  return column ? cellOf(column, row) : null
}
function numberOrNull(frame: Frame, name: string, row: number): number | null {
  const cell = cellAt(frame, name, row)
  return typeof cell === 'number' ? cell : null
}
function textOrNull(frame: Frame, name: string, row: number): string | null {
  const cell = cellAt(frame, name, row)
  return typeof cell === 'string' ? cell : null
}

/** Reads stretches of missing days as the index writes them: `2026-03-01/2026-03-04 2026-05-02`. */
export function gapsOf(text: string | null): RawFacts['gaps'] {
  if (text === null) return null
  return text.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('/')
    return first === '' ? [] : { first, last }
  })
}

/** Finds the first day with raw events of a symbol on a venue; null if there is none. */
export function firstDayOf(frame: Frame, exchange: string, symbol: string): string | null {
  const venues = symbolText(frame, 'exchange')
  const symbols = symbolText(frame, 'symbol')
  const venueCode = venues.dictionary.indexOf(exchange)
  const symbolCode = symbols.dictionary.indexOf(symbol)
  let firstMs = Infinity
  for (let row = 0; row < frame.rows; row += 1) {
    if (venues.values[row] === venueCode && symbols.values[row] === symbolCode)
      firstMs = Math.min(firstMs, numberAt(frame, 'first', row))
  }
  return firstMs === Infinity ? null : dayOf(firstMs)
}
