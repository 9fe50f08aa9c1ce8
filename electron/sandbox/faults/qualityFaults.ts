import type { SandboxVenue } from '../market/venues.ts'
import { servedColumnsOf } from '../access/datasets.ts'
import type { GeneratedRows } from '../files/fileRows.ts'

/** Data-quality faults by name, which are planted in metric files, each in different rows. */
export interface QualityFaults {
  /** Removes some rows. */
  missing?: boolean
  /** Keeps columns at one value for a while. */
  stale?: boolean
  /** Raises prices and open interest by half in one row. */
  spikes?: boolean
  /** Writes negative volumes, a high below the low, a bid above the ask, or an open interest of 0. */
  impossible?: boolean
  /** Shifts prices, open interest and funding of venueb-perps for a while. */
  venues?: boolean
  /** Gives monthly files different values from the daily ones. */
  months?: boolean
  /** Changes some rows so that they differ from those computed from the raw events. */
  revised?: boolean
}

/** Rows [from, to) with each fault, counted from the start of every piece of rows that is written. */
export const plantedRows = {
  missing: [100, 120],
  stale: [200, 320],
  spikes: [400, 401],
  impossible: [500, 501],
  venues: [600, 660],
  months: [700, 720],
  revised: [800, 820],
} as const satisfies Record<keyof QualityFaults, readonly [number, number]>

const levelColumns = [
  'open',
  'high',
  'low',
  'close',
  'midprice',
  'bid_price',
  'ask_price',
  'vwap',
  'twap',
  'open_interest',
]

/** Plants faults in the rows of a file; the column of a wrong value depends on the dataset. */
export function withQualityFaults<Rows extends GeneratedRows>(
  rows: Rows,
  faults: QualityFaults,
  { venue, period }: { venue: SandboxVenue; period: string },
): Rows {
  const names = servedColumnsOf(rows.dataset).map(({ name }) => name)
  const columns = rows.columns.map((values) => values.slice())
  const change = (
    fault: keyof QualityFaults,
    isAffected: (name: string) => boolean,
    changedValue: (values: Float64Array, row: number) => number,
  ) => {
    if (!faults[fault]) return
    const [from, to] = plantedRows[fault]
    columns.forEach((values, at) => {
      if (isAffected(names[at]))
        for (let row = from; row < Math.min(to, values.length); row++) values[row] = changedValue(values, row)
    })
  }
  const isLevel = (name: string) => levelColumns.includes(name)
  const scaleBy = (factor: number) => (values: Float64Array, row: number) => values[row] * factor
  // Stale rows repeat the first complete row at or after their start.
  const firstComplete = rows.timeMs.findIndex(
    (_, row) => row >= plantedRows.stale[0] && columns.every((values) => values[row] > 0),
  )
  const staleRow = firstComplete < 0 ? plantedRows.stale[0] : firstComplete
  change(
    'stale',
    (name) => isLevel(name) || name === 'volume',
    (values) => values[staleRow],
  )
  change('spikes', isLevel, scaleBy(1.5))
  change(
    'impossible',
    (name) => name === 'volume',
    (values, row) => -1 - Math.abs(values[row] || 0),
  )
  change('impossible', (name) => name === 'low', scaleBy(2))
  change('impossible', (name) => name === 'bid_price', scaleBy(1.005))
  change(
    'impossible',
    (name) => name === 'open_interest',
    () => 0,
  )
  if (venue.kind === 'venueb-perps') {
    change('venues', isLevel, scaleBy(1.1))
    change(
      'venues',
      (name) => name === 'funding_rate',
      (values, row) => values[row] + 0.05,
    )
  }
  if (period.length === 7) change('months', isLevel, scaleBy(1.001))
  change('revised', isLevel, scaleBy(1.001))
  const changedRows = { ...rows, columns }
  return faults.missing ? withoutRows(changedRows, ...plantedRows.missing) : changedRows
}

function withoutRows<Rows extends GeneratedRows>(rows: Rows, from: number, to: number): Rows {
  const withoutRange = (values: Float64Array) => values.filter((_, row) => row < from || row >= to)
  return { ...rows, timeMs: withoutRange(rows.timeMs), columns: rows.columns.map(withoutRange) }
}
