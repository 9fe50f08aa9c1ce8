import { numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import type { FactorStanding } from '#shared/portfolio/liveFactors.ts'
import type { TableColumn } from '../../../tables/columns.ts'

const rankHint = '1 is the lowest among the tickers shown; equal values share the mean of their ranks'
const percentileHint = '0 the lowest, 1 the highest among the tickers shown'

export const standingColumns: readonly TableColumn[] = [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 110 },
  { key: 'latest', title: 'Latest', kind: 'statistic', widthPx: 110 },
  { key: 'rank', title: 'Rank', kind: 'score', widthPx: 76, hint: rankHint, format: (value) => String(value) },
  { key: 'percentile', title: 'Percentile', kind: 'fraction', widthPx: 104, look: 'bar', hint: percentileHint },
  { key: 'close', title: 'End of day', kind: 'statistic', widthPx: 110 },
  {
    key: 'closeRank',
    title: 'Rank then',
    kind: 'score',
    widthPx: 90,
    hint: rankHint,
    format: (value) => String(value),
  },
  { key: 'closePercentile', title: 'Percentile then', kind: 'fraction', widthPx: 124, hint: percentileHint },
  { key: 'change', title: 'Change', kind: 'statistic', widthPx: 110, hint: 'Latest minus end of day' },
  {
    key: 'rankChange',
    title: 'Rank change',
    kind: 'score',
    widthPx: 110,
    hint: 'Ranks gained since the end of day',
    format: (value) => (Number(value) > 0 ? `+${value}` : String(value).replace('-', '−')),
  },
]

export function standingFrame(standings: readonly FactorStanding[]): Frame {
  const number = (name: string, of: (each: FactorStanding) => number | null) => numberColumn(name, standings.map(of))
  return {
    rows: standings.length,
    columns: [
      textColumn(
        'ticker',
        standings.map(({ ticker }) => ticker),
      ),
      number('latest', ({ latest }) => latest.value),
      number('rank', ({ latest }) => latest.rank),
      number('percentile', ({ latest }) => latest.percentile),
      number('close', ({ close }) => close.value),
      number('closeRank', ({ close }) => close.rank),
      number('closePercentile', ({ close }) => close.percentile),
      number('change', ({ change }) => change),
      number('rankChange', ({ rankChange }) => rankChange),
    ],
  }
}
