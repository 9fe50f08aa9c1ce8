import type { Frame } from '#shared/contract/frame.ts'
import type { MembershipChange, TickerMembership } from '#shared/portfolio/universeHistory.ts'
import type { TableColumn } from '../../../tables/columns.ts'
import { universeText } from '../../../text/portfolioMarket.ts'
import { recordFrame } from '../dailyData.ts'

const { columns: changeText } = universeText.changes
export const changeColumns: readonly TableColumn[] = [
  { key: 'day', ...changeText.day, kind: 'time', widthPx: 100 },
  { key: 'ticker', ...changeText.ticker, kind: 'text', widthPx: 120 },
  {
    key: 'change',
    ...changeText.change,
    kind: 'text',
    widthPx: 96,
    look: 'badge',
    tone: (value) => (value === 'joined' ? 'positive' : 'warning'),
  },
]

export const changeFrame = (changes: readonly MembershipChange[]): Frame =>
  recordFrame(changes, (column) => [
    column.day('day', ({ day }) => day),
    column.text('ticker', ({ ticker }) => ticker),
    column.text('change', ({ change }) => change),
  ])

const { columns: memberText } = universeText.memberTable
export const memberColumns: readonly TableColumn[] = [
  { key: 'ticker', ...memberText.ticker, kind: 'text', widthPx: 120 },
  { key: 'now', ...memberText.now, kind: 'text', widthPx: 84 },
  { key: 'days', ...memberText.days, kind: 'count', widthPx: 80 },
  { key: 'share', ...memberText.share, kind: 'share', widthPx: 84, look: 'bar' },
  { key: 'first', ...memberText.first, kind: 'time', widthPx: 100 },
  { key: 'last', ...memberText.last, kind: 'time', widthPx: 100 },
  { key: 'joins', ...memberText.joins, kind: 'count', widthPx: 80 },
]

export const memberFrame = (members: readonly TickerMembership[], daysWithData: number): Frame =>
  recordFrame(members, (column) => [
    column.text('ticker', ({ ticker }) => ticker),
    column.text('now', ({ isIn }) => universeText.memberTable.state(isIn)),
    column.number('days', ({ days }) => days),
    column.number('share', ({ days }) => days / Math.max(1, daysWithData)),
    column.day('first', ({ firstDay }) => firstDay),
    column.day('last', ({ lastDay }) => lastDay),
    column.number('joins', ({ joins }) => joins),
  ])
