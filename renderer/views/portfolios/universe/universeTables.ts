import type { MembershipChange, TickerMembership } from '#shared/portfolio/universeHistory.ts'
import { universeText } from '../../../text/portfolioMarket.ts'
import { recordTableBuilder } from '../../../cards/dailyData.ts'

const { columns: changeText } = universeText.changes
export const membershipChangeTable = recordTableBuilder<MembershipChange>(changeText, (column) => [
  column.day('day', 100, ({ day }) => day),
  column.text('ticker', 120, ({ ticker }) => ticker),
  column.text('change', 96, ({ change }) => change, {
    look: 'badge',
    tone: (value) => (value === 'joined' ? 'positive' : 'warning'),
  }),
])

const { columns: memberText, state } = universeText.memberTable
/** @param daysWithData number of days on which the universe has members */
export const memberTableBuilder = (daysWithData: number) =>
  recordTableBuilder<TickerMembership>(memberText, (column) => [
    column.text('ticker', 120, ({ ticker }) => ticker),
    column.text('now', 84, ({ isIn }) => state(isIn)),
    column.number('days', 'count', 80, ({ days }) => days),
    column.number('share', 'share', 84, ({ days }) => days / Math.max(1, daysWithData), { look: 'bar' }),
    column.day('first', 100, ({ firstDay }) => firstDay),
    column.day('last', 100, ({ lastDay }) => lastDay),
    column.number('joins', 'count', 80, ({ joins }) => joins),
  ])
