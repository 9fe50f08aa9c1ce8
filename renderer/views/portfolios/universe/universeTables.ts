import type { MembershipChange, TickerMembership } from '#shared/portfolio/universeHistory.ts'
import { universeText } from '../../../text/portfolioMarket.ts'
import { recordTable } from '../dailyData.ts'

const { columns: changeText } = universeText.changes
export const changeTable = recordTable<MembershipChange>([
  { key: 'day', ...changeText.day, kind: 'time', widthPx: 100, day: ({ day }) => day },
  { key: 'ticker', ...changeText.ticker, kind: 'text', widthPx: 120, text: ({ ticker }) => ticker },
  {
    key: 'change',
    ...changeText.change,
    kind: 'text',
    widthPx: 96,
    look: 'badge',
    tone: (value) => (value === 'joined' ? 'positive' : 'warning'),
    text: ({ change }) => change,
  },
])

const { columns: memberText, state } = universeText.memberTable
/** @param daysWithData number of days on which the universe has members */
export const memberTable = (daysWithData: number) =>
  recordTable<TickerMembership>([
    { key: 'ticker', ...memberText.ticker, kind: 'text', widthPx: 120, text: ({ ticker }) => ticker },
    { key: 'now', ...memberText.now, kind: 'text', widthPx: 84, text: ({ isIn }) => state(isIn) },
    { key: 'days', ...memberText.days, kind: 'count', widthPx: 80, number: ({ days }) => days },
    {
      key: 'share',
      ...memberText.share,
      kind: 'share',
      widthPx: 84,
      look: 'bar',
      number: ({ days }) => days / Math.max(1, daysWithData),
    },
    { key: 'first', ...memberText.first, kind: 'time', widthPx: 100, day: ({ firstDay }) => firstDay },
    { key: 'last', ...memberText.last, kind: 'time', widthPx: 100, day: ({ lastDay }) => lastDay },
    { key: 'joins', ...memberText.joins, kind: 'count', widthPx: 80, number: ({ joins }) => joins },
  ])
