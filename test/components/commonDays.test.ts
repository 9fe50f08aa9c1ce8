import { expect, it } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { commonDays } from '../../renderer/views/portfolios/portfolio/commonDays.ts'

const daysOf = (...days: string[]) => ({ days: Int32Array.from(days, dayNumberOf) })

it('names the days that portfolios have in common, where theirs differ', () => {
  const long = daysOf('2020-02-01', '2023-01-01', '2026-11-24')
  expect(commonDays([long, daysOf('2025-01-01', '2026-11-21')])).toEqual({ from: '2025-01-01', to: '2026-11-21' })
  expect(commonDays([long, long])).toBeNull()
  expect(commonDays([long])).toBeNull()
  expect(commonDays([long, daysOf()])).toBeNull()
  expect(commonDays([long, daysOf('2019-01-01', '2019-02-01')])).toBeNull()
})
