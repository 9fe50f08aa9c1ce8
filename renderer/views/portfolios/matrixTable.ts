import { timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { DailyMatrix } from '#shared/portfolio/dailyMatrix.ts'
import { tickerSeries } from '#shared/portfolio/dailyMatrix.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import type { TableColumn } from '../../tables/columns.ts'

/** A day a row, the newest first; a ticker a column. */
export function matrixTable(matrix: DailyMatrix): Frame {
  const times = Array.from(matrix.days, (day) => day * MS_PER_DAY).reverse()
  return {
    rows: times.length,
    columns: [
      timeColumn('time', times),
      ...matrix.tickers.map((name) => {
        const { values, valid } = tickerSeries(matrix, name)
        return { name, kind: 'number' as const, values: values.toReversed(), valid: valid?.toReversed() ?? null }
      }),
    ],
  }
}

export const matrixColumns = (tickers: readonly string[], kind: NumberKind): TableColumn[] => [
  { key: 'time', title: 'Date', kind: 'time', widthPx: 100 },
  ...tickers.map((key): TableColumn => ({ key, title: key, kind, widthPx: 104 })),
]
