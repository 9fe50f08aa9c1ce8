import { parseInstant } from '../lab/studyRange.ts'
import { MS_PER_DAY } from '../time.ts'
import { dayNumberOf } from '../time/periods.ts'
import type { DayRange } from '../time/ranges.ts'
import type { DatedSizes } from '../units/contractSizes.ts'
import type { Instrument } from './areas/instruments.ts'

/** What holds for an instrument from a time on: a row whose empty fields have the values of the row before. */
export interface DatedInstrument extends Omit<Instrument, 'valid_from'> {
  /** −Infinity for a row that always holds. */
  fromMs: number
}

/** Returns the time from which a row holds; −Infinity if always. */
export const validFromMs = ({ valid_from: from }: Pick<Instrument, 'valid_from'>): number =>
  from === null ? -Infinity : (parseInstant(from) ?? NaN)

/** Orders rows of one pair by date; of two that always hold, neither is first. */
export const byDate = (a: Instrument, b: Instrument): number => validFromMs(a) - validFromMs(b) || 0

/**
 * Resolves the rows of one pair, in any order, into what holds from each `valid_from` on. An empty field means “as
 * before”; only an empty `funding_every` takes back what was announced before.
 */
export function datedInstruments(rows: readonly Instrument[]): DatedInstrument[] {
  const dated: DatedInstrument[] = []
  for (const row of rows.toSorted(byDate)) {
    const { valid_from: _, ...facts } = row
    const typed = Object.entries(facts).filter(([, value]) => value !== null)
    const before = dated.at(-1) ?? facts
    dated.push({
      ...before,
      ...Object.fromEntries(typed),
      funding_every: facts.funding_every,
      fromMs: validFromMs(row),
    })
  }
  return dated
}

/** Returns what holds at a time; null before the first row. */
export const instrumentAt = (dated: readonly DatedInstrument[], timeMs: number): DatedInstrument | null =>
  dated.findLast(({ fromMs }) => fromMs <= timeMs) ?? null

/** Returns the contract sizes of a pair, each from the date of the row that changed it. */
export const contractSizesOf = (dated: readonly DatedInstrument[]): DatedSizes =>
  dated.flatMap(({ fromMs, contract_size: size }, at) =>
    size === null || size === dated[at - 1]?.contract_size ? [] : [{ fromMs, size }],
  )

/**
 * Returns the days on which a pair was listed, each row for the time that it holds and the first also for the time
 * before; half-open, and open where no day is given.
 */
export const listedDays = (dated: readonly DatedInstrument[]): DayRange[] =>
  dated.map(({ fromMs, listed, delisted }, at) => {
    const nextMs = dated[at + 1]?.fromMs ?? Infinity
    const [fromDay, nextDay] = [at === 0 ? -Infinity : Math.floor(fromMs / MS_PER_DAY), Math.ceil(nextMs / MS_PER_DAY)]
    return {
      start: Math.max(fromDay, listed === null ? -Infinity : dayNumberOf(listed)),
      end: Math.min(nextDay, delisted === null ? Infinity : dayNumberOf(delisted) + 1),
    }
  })
