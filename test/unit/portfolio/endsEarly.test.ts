import { expect, it } from 'vitest'
import { dayNumberOf } from '#shared/time/periods.ts'
import { warnIfEndsEarly } from '#core/portfolio/portfolio.ts'

const historyAskedFor = (fetchedAt: string, end: string) => ({
  id: 1,
  source: '',
  problems: [],
  fetchedAtMs: Date.parse(fetchedAt),
  range: { start: dayNumberOf('2020-01-01'), end: dayNumberOf(end) },
})

it('a history that ends well before it was asked for says so; one that ends a day or two before does not', () => {
  const open = historyAskedFor('2026-06-02T12:00Z', '2026-06-02')
  expect(warnIfEndsEarly(open, dayNumberOf('2026-05-03'))).toEqual([
    expect.stringContaining('the last day is 2026-05-03, 30 days before the request'),
  ])
  expect(warnIfEndsEarly(open, dayNumberOf('2026-05-31'))).toEqual([])
  expect(warnIfEndsEarly(open, null)).toEqual([])
})

it('one that was asked for up to an earlier day does not end early', () => {
  expect(warnIfEndsEarly(historyAskedFor('2026-06-02T12:00Z', '2024-01-02'), dayNumberOf('2024-01-01'))).toEqual([])
})
