import type { TableColumn } from '#shared/sheet/columns.ts'
import { columnOf, type Column, type Frame, type NumberColumn } from '#shared/contract/frame.ts'
import {
  missingColumn,
  rowOfDay,
  rowsWhere,
  setCell,
  type DailySeries,
  matrixCell,
  type DailyMatrix,
} from '#shared/portfolio/dailySeries.ts'
import type { contributionsByTicker, ExplainedReturns } from '#shared/portfolio/explainReturns.ts'
import { correlationOf, pairMomentsOf } from '#shared/statistics/pairMoments.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { numberFormat, type NumberKind } from '#shared/units/numberKinds.ts'
import { explainText as text } from '../../../text/portfolios.ts'
import { recordTableBuilder } from '../../../cards/dailyData.ts'

const bpsText = numberFormat('bps', 1)
/** Format for small returns, such as residuals and costs: a fraction in the frame, basis points on screen. */
const inBps = { kind: 'bps', unit: 'bps', format: (value: number | string) => bpsText(Number(value) * 1e4) } as const

const { columns: dayText } = text.days
/** Columns of the daily table. */
export const dayColumns: readonly TableColumn[] = [
  { key: 'time', ...dayText.time, kind: 'time', widthPx: 100 },
  { key: 'served', ...dayText.served, kind: 'share', widthPx: 110 },
  { key: 'explained', ...dayText.explained, kind: 'share', widthPx: 110 },
  {
    key: 'residual',
    ...dayText.residual,
    ...inBps,
    widthPx: 110,
    heat: { scale: 'diverging', leastReach: 1e-4 },
  },
  { key: 'cost', ...dayText.cost, ...inBps, widthPx: 100 },
  { key: 'unpriced', ...dayText.unpriced, kind: 'share', widthPx: 100 },
]

/** Builds the table of the days from `startDay` to `endDay` (exclusive). */
export function explainedDays(
  explained: ExplainedReturns,
  served: DailySeries,
  startDay: number,
  endDay: number,
): Frame {
  const { days } = explained
  const rows = rowsWhere(days.length, (row) => days[row] >= startDay && days[row] < endDay)
  const selectedRowsColumn = (
    name: string,
    { values, valid }: { values: Float64Array; valid: Uint8Array | null },
  ): Column => {
    const column = missingColumn(name, rows.length)
    rows.forEach((row, at) => setCell(column, at, valid && !valid[row] ? null : values[row]))
    return column
  }
  const servedColumn = missingColumn('served', rows.length)
  rows.forEach((row, at) => {
    const servedRow = rowOfDay(served.days, days[row])
    if (servedRow >= 0 && (!served.valid || served.valid[servedRow]))
      setCell(servedColumn, at, served.values[servedRow])
  })
  const times = Float64Array.from(rows, (row) => days[row] * MS_PER_DAY)
  return {
    rows: rows.length,
    columns: [
      { name: 'time', kind: 'time', values: times, valid: null },
      servedColumn,
      selectedRowsColumn('explained', explained.explained),
      selectedRowsColumn('residual', explained.residual),
      selectedRowsColumn('cost', explained.cost),
      selectedRowsColumn('unpriced', explained.unpriced),
    ],
  }
}

export interface ExplainFigure {
  name: string
  kind: NumberKind
  formula: string
  value: number | null
}

/** Computes how well weights and prices explain the days in a frame from `explainedDays`. */
export function explainFigures(frame: Frame): ExplainFigure[] {
  const column = (name: string) => columnOf(frame, name) as NumberColumn
  const [served, explained] = [column('served'), column('explained')]
  const residuals = presentValues(column('residual'))
  const absoluteResiduals = residuals.map(Math.abs)
  const unpricedDays = presentValues(column('unpriced')).filter((weight) => weight > 0).length
  const correlation = correlationOf(pairMomentsOf(served.values, served.valid, explained.values, explained.valid))
  const figure = (id: keyof typeof text.figures, kind: NumberKind, value: number | null) => ({
    ...text.figures[id],
    kind,
    value,
  })
  return [
    figure('days', 'count', residuals.length),
    figure('served', 'share', compoundReturn(presentValues(served))),
    figure('explained', 'share', compoundReturn(presentValues(explained))),
    figure('cost', 'share', sum(presentValues(column('cost')))),
    figure('meanResidual', 'bps', asBps(mean(residuals))),
    figure('meanAbsolute', 'bps', asBps(mean(absoluteResiduals))),
    figure('largest', 'bps', absoluteResiduals.length ? asBps(Math.max(...absoluteResiduals)) : null),
    figure('correlation', 'ratio', correlation),
    figure('unpriced', 'count', unpricedDays),
  ]
}

const presentValues = ({ values, valid }: NumberColumn) => [...values].filter((_, row) => !valid || valid[row] === 1)
const sum = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
const mean = (values: readonly number[]) => (values.length === 0 ? null : sum(values)! / values.length)
const asBps = (value: number | null) => (value === null ? null : value * 1e4)
const compoundReturn = (values: readonly number[]) =>
  values.length === 0 ? null : values.reduce((growth, value) => growth * (1 + value), 1) - 1

const heat = { scale: 'diverging' } as const

type Contribution = ReturnType<typeof contributionsByTicker>[number]

const { columns: contributionText } = text.contributions
export const contributionTable = recordTableBuilder<Contribution>(contributionText, (column) => [
  column.text('ticker', 110, ({ ticker }) => ticker),
  column.number('contribution', 'share', 120, ({ contribution }) => contribution, { heat }),
  column.number('days', 'count', 80, ({ days }) => days),
])

const BARS_PER_SIDE = 10

/**
 * Builds the bars of the largest and smallest contributions and their description.
 * @param all all contributions, largest first
 */
export function contributionBars(all: readonly Contribution[]) {
  const shown = all.length <= 2 * BARS_PER_SIDE ? all : [...all.slice(0, BARS_PER_SIDE), ...all.slice(-BARS_PER_SIDE)]
  const percentText = numberFormat('share')
  const tickerAndPercent = (contribution: Contribution | undefined) =>
    contribution ? { ticker: contribution.ticker, percent: percentText(contribution.contribution) } : null
  return {
    bars: shown.map(({ ticker, contribution }) => ({ label: ticker, value: contribution })),
    label: text.contributions.spoken(tickerAndPercent(all.at(0)), tickerAndPercent(all.at(-1))),
  }
}

interface ScaledWeight {
  ticker: string
  plain: number | null
  scaled: number | null
}

const { columns: scaledText } = text.overlay
const scaledWeightsTable = recordTableBuilder<ScaledWeight>(scaledText, (column) => [
  column.text('ticker', 110, ({ ticker }) => ticker),
  column.number('plain', 'share', 110, ({ plain }) => plain, { heat }),
  column.number('scaled', 'share', 120, ({ scaled }) => scaled, { heat }),
])

/**
 * Compares the last day's weights without and with the overlay; scaled weights are missing if the overlay has no value.
 */
export function scaledTable(plain: DailyMatrix, scaled: DailyMatrix) {
  const row = plain.days.length - 1
  const heldIndexes = [...plain.tickers.keys()].filter((at) => row >= 0 && (matrixCell(plain, row, at) ?? 0) !== 0)
  return scaledWeightsTable(
    heldIndexes.map((at) => ({
      ticker: plain.tickers[at],
      plain: matrixCell(plain, row, at),
      scaled: matrixCell(scaled, row, at),
    })),
  )
}
