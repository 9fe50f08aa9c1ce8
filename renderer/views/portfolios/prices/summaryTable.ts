import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { PriceSummary } from '#shared/portfolio/priceLevels.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { TableColumn } from '../../../tables/columns.ts'

export const summaryColumns: readonly TableColumn[] = [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 120 },
  { key: 'first', title: 'From', kind: 'time', widthPx: 100, hint: 'First day with a price' },
  { key: 'last', title: 'To', kind: 'time', widthPx: 100, hint: 'Last day with a price' },
  { key: 'days', title: 'Days', kind: 'count', widthPx: 80, hint: 'Days with a price' },
  {
    key: 'missing',
    title: 'Missing',
    kind: 'count',
    widthPx: 88,
    hint: 'Days between the first and the last without one',
  },
  { key: 'price', title: 'Price', kind: 'price', widthPx: 120, hint: 'The last there is' },
  { key: 'change', title: 'Change', kind: 'share', widthPx: 104, hint: 'Last over first in view, minus 1' },
]

export function summaryFrame(summaries: readonly PriceSummary[]): Frame {
  const time = (name: string, of: (each: PriceSummary) => number | null) =>
    timeColumn(
      name,
      summaries.map((each) => {
        const day = of(each)
        return day === null ? null : day * MS_PER_DAY
      }),
    )
  const number = (name: string, of: (each: PriceSummary) => number | null) => numberColumn(name, summaries.map(of))
  return {
    rows: summaries.length,
    columns: [
      textColumn(
        'ticker',
        summaries.map(({ ticker }) => ticker),
      ),
      time('first', ({ firstDay }) => firstDay),
      time('last', ({ lastDay }) => lastDay),
      number('days', ({ days }) => days),
      number('missing', ({ missing }) => missing),
      number('price', ({ last }) => last),
      number('change', ({ change }) => change),
    ],
  }
}
