import { numberColumn, textColumn, type Column, type Frame } from '#shared/contract/frame.ts'
import { type DailyMatrix, matrixCell } from '#shared/portfolio/dailyMatrix.ts'
import { type DailySeries, rowOfDay, rowsWhere, missingColumn, setCell } from '#shared/portfolio/dailySeries.ts'
import type { contributionsByTicker, ExplainedReturns } from '#shared/portfolio/explainReturns.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { numberFormat } from '#shared/units/numberKinds.ts'
import type { TableColumn } from '../../../tables/columns.ts'

const bpsText = numberFormat('bps', 1)
/** Small parts of a return: a fraction in the frame, basis points on screen. */
const inBps = { kind: 'bps', unit: 'bps', format: (value: number | string) => bpsText(Number(value) * 1e4) } as const

/** A day of what was served and what weights and prices say of it. */
export const dayColumns: readonly TableColumn[] = [
  { key: 'time', title: 'Day', kind: 'time', widthPx: 100 },
  { key: 'served', title: 'Served', kind: 'share', widthPx: 110, hint: 'The return the service says' },
  {
    key: 'explained',
    title: 'Explained',
    kind: 'share',
    widthPx: 110,
    hint: 'Sum of the weights of the day before times price changes, less cost',
  },
  {
    key: 'residual',
    title: 'Residual',
    ...inBps,
    widthPx: 110,
    hint: 'Served minus explained',
    heat: { scale: 'diverging', leastReach: 1e-4 },
  },
  {
    key: 'cost',
    title: 'Cost',
    ...inBps,
    widthPx: 100,
    hint: 'Basis points of cost times two-way turnover',
  },
  {
    key: 'unpriced',
    title: 'Unpriced',
    kind: 'share',
    widthPx: 100,
    hint: 'Absolute weight held without both prices: that part of the day is not explained',
  },
]

/** Cuts the result to the days from `startDay` to `endDay`, exclusive. */
export function dayFrame(explained: ExplainedReturns, served: DailySeries, startDay: number, endDay: number): Frame {
  const { days } = explained
  const rows = rowsWhere(days.length, (row) => days[row] >= startDay && days[row] < endDay)
  const picked = (name: string, { values, valid }: { values: Float64Array; valid: Uint8Array | null }): Column => {
    const column = missingColumn(name, rows.length)
    rows.forEach((row, at) => setCell(column, at, valid && !valid[row] ? null : values[row]))
    return column
  }
  const ofService = missingColumn('served', rows.length)
  rows.forEach((row, at) => {
    const place = rowOfDay(served.days, days[row])
    if (place >= 0 && (!served.valid || served.valid[place])) setCell(ofService, at, served.values[place])
  })
  const times = Float64Array.from(rows, (row) => days[row] * MS_PER_DAY)
  return {
    rows: rows.length,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      ofService,
      picked('explained', explained.explained),
      picked('residual', explained.residual),
      picked('cost', explained.cost),
      picked('unpriced', explained.unpriced),
    ],
  }
}

export const contributionColumns: readonly TableColumn[] = [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 110 },
  {
    key: 'contribution',
    title: 'Contribution',
    kind: 'share',
    widthPx: 120,
    hint: 'Sum over the days of weight of the day before times price change, before cost',
    heat: { scale: 'diverging' },
  },
  { key: 'days', title: 'Days', kind: 'count', widthPx: 80, hint: 'Days it was held and has both prices' },
]

export const contributionFrame = (all: ReturnType<typeof contributionsByTicker>): Frame => ({
  rows: all.length,
  columns: [
    textColumn(
      'ticker',
      all.map(({ ticker }) => ticker),
    ),
    numberColumn(
      'contribution',
      all.map(({ contribution }) => contribution),
    ),
    numberColumn(
      'days',
      all.map(({ days }) => days),
    ),
  ],
})

export const scaledColumns: readonly TableColumn[] = [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 110 },
  { key: 'plain', title: 'Without', kind: 'share', widthPx: 110, heat: { scale: 'diverging' } },
  {
    key: 'scaled',
    title: 'With overlay',
    kind: 'share',
    widthPx: 120,
    hint: 'Weight times the overlay of the same day',
    heat: { scale: 'diverging' },
  },
]

/** The last day's weights without and with the overlay; a day on which the overlay has no value has none with it. */
export function scaledFrame(plain: DailyMatrix, scaled: DailyMatrix): Frame {
  const row = plain.days.length - 1
  const held = [...plain.tickers.keys()].filter((at) => row >= 0 && (matrixCell(plain, row, at) ?? 0) !== 0)
  return {
    rows: held.length,
    columns: [
      textColumn(
        'ticker',
        held.map((at) => plain.tickers[at]),
      ),
      numberColumn(
        'plain',
        held.map((at) => matrixCell(plain, row, at)),
      ),
      numberColumn(
        'scaled',
        held.map((at) => matrixCell(scaled, row, at)),
      ),
    ],
  }
}
