import type { Resample } from '#shared/catalog/column.ts'
import type { FundingPeriods } from '#shared/funding/fundingPeriods.ts'
import type { DatedSizes } from '#shared/units/contractSizes.ts'

/**
 * Numbers on a regular grid. Row i is the interval number `firstSlot + i` since the epoch; it starts at (firstSlot +
 * i)·intervalMs and its value is known at its end. An interval without a row in the data is missing.
 */
export interface Series {
  intervalMs: number
  firstSlot: number
  values: Float64Array
  /** 1 present, 0 missing; null if every row is present. */
  valid: Uint8Array | null
}

/** Values that accompany a series, on the same rows or with their own times. */
export interface Companion {
  times?: Float64Array
  values: Float64Array
  valid: Uint8Array | null
  resample: Resample
}

export interface FundedInstrument {
  exchange: string
  symbol: string
}

/** What is known of the funding of the instrument of a column. */
export interface SeriesFunding extends FundedInstrument {
  periods: FundingPeriods
}

/** A column that a formula may name, with its rows as they were read. */
export interface SeriesInput {
  /** Starts of intervals, in milliseconds. */
  times: Float64Array
  values: Float64Array
  valid: Uint8Array | null
  intervalMs: number
  /** Half-open range whose intervals become rows, even where there are no times. */
  covered?: { startMs: number; endMs: number }
  /** Unit of the numbers on their venue if documented; `none` for a pure number. */
  unit?: string
  /** Amounts of base asset in one contract, by date, if the user gave any. */
  contractSizes?: DatedSizes
  /** Left out if no function of the formula needs it. */
  funding?: SeriesFunding
  /** Resampling rule of the column; without one, a formula must name a method. */
  resample?: Resample
  /** Columns that the rule needs, by name. */
  companions?: Readonly<Record<string, Companion>>
}

/** Maximum number of rows of a series, so that formulas fit in memory. */
const MAX_ROWS = 50_000_000

export function refuseTooManyRows(rows: number): void {
  if (!(rows <= MAX_ROWS))
    throw new RangeError(`there are ${rows} intervals from the first row to the last; the limit is ${MAX_ROWS}`)
}

/** Puts rows on the grid. If two rows are in one interval, the later one counts; non-finite numbers are missing. */
export function seriesOf({
  times,
  values,
  valid,
  intervalMs,
  covered,
}: Omit<SeriesInput, 'companions' | 'unit'>): Series {
  let firstSlot = covered ? Math.ceil(covered.startMs / intervalMs) : Infinity
  let lastSlot = covered ? Math.ceil(covered.endMs / intervalMs) - 1 : -Infinity
  for (const time of times) {
    const slot = Math.floor(time / intervalMs)
    if (slot < firstSlot) firstSlot = slot
    if (slot > lastSlot) lastSlot = slot
  }
  if (!(firstSlot <= lastSlot)) return emptySeries(intervalMs)
  const rows = lastSlot - firstSlot + 1
  refuseTooManyRows(rows)
  const slotValues = new Float64Array(rows)
  const present = new Uint8Array(rows)
  for (let row = 0; row < times.length; row++) {
    const at = Math.floor(times[row] / intervalMs) - firstSlot
    if (!(at >= 0)) continue
    const isPresent = (!valid || valid[row] === 1) && Number.isFinite(values[row])
    slotValues[at] = isPresent ? values[row] : 0
    present[at] = isPresent ? 1 : 0
  }
  return { intervalMs, firstSlot, values: slotValues, valid: present }
}

export const emptySeries = (intervalMs: number): Series => ({
  intervalMs,
  firstSlot: 0,
  values: new Float64Array(0),
  valid: null,
})

/** Copies the grid of a series and gives it other values. */
export const withRows = (template: Series, rows: { values: Float64Array; valid: Uint8Array | null }): Series => ({
  ...template,
  values: rows.values,
  valid: rows.valid,
})
