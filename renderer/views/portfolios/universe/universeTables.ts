import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { MembershipChange, TickerMembership } from '#shared/portfolio/universeHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { TableColumn } from '../../../tables/columns.ts'

export const changeColumns: readonly TableColumn[] = [
  { key: 'day', title: 'Date', kind: 'time', widthPx: 100, hint: 'The first day on which it is so' },
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 120 },
  {
    key: 'change',
    title: 'Change',
    kind: 'text',
    widthPx: 96,
    look: 'badge',
    tone: (value) => (value === 'joined' ? 'positive' : 'warning'),
  },
]

export const changeFrame = (changes: readonly MembershipChange[]): Frame => ({
  rows: changes.length,
  columns: [
    timeColumn(
      'day',
      changes.map(({ day }) => day * MS_PER_DAY),
    ),
    textColumn(
      'ticker',
      changes.map(({ ticker }) => ticker),
    ),
    textColumn(
      'change',
      changes.map(({ change }) => change),
    ),
  ],
})

export const memberColumns: readonly TableColumn[] = [
  { key: 'ticker', title: 'Ticker', kind: 'text', widthPx: 120 },
  { key: 'now', title: 'Last day', kind: 'text', widthPx: 84, hint: 'In on the last day that has data' },
  { key: 'days', title: 'Days in', kind: 'count', widthPx: 80 },
  { key: 'share', title: 'Share', kind: 'share', widthPx: 84, look: 'bar', hint: 'Days in over days with data' },
  { key: 'first', title: 'First in', kind: 'time', widthPx: 100 },
  { key: 'last', title: 'Last in', kind: 'time', widthPx: 100 },
  { key: 'joins', title: 'Joined', kind: 'count', widthPx: 80, hint: 'How often it came in after the first day shown' },
]

export function memberFrame(members: readonly TickerMembership[], daysWithData: number): Frame {
  const numbers = (name: string, of: (member: TickerMembership) => number) => numberColumn(name, members.map(of))
  return {
    rows: members.length,
    columns: [
      textColumn(
        'ticker',
        members.map(({ ticker }) => ticker),
      ),
      textColumn(
        'now',
        members.map(({ isIn }) => (isIn ? 'in' : 'out')),
      ),
      numbers('days', ({ days }) => days),
      numbers('share', ({ days }) => days / Math.max(1, daysWithData)),
      timeColumn(
        'first',
        members.map(({ firstDay }) => firstDay * MS_PER_DAY),
      ),
      timeColumn(
        'last',
        members.map(({ lastDay }) => lastDay * MS_PER_DAY),
      ),
      numbers('joins', ({ joins }) => joins),
    ],
  }
}
