import { describe, expect, it } from 'vitest'
import { action, exit } from '../../../electron/cli/command.ts'
import { parseGiven } from '../../../electron/cli/parse.ts'
import { relativeDays } from '../../../electron/cli/relativeDays.ts'

const nowMs = Date.UTC(2026, 2, 5, 23, 59)

describe('a day', () => {
  it.each([
    ['today', '2026-03-05', '2026-03-05'],
    ['Yesterday', '2026-03-04', '2026-03-04'],
    ['-60d', '2026-01-04', '2026-01-04'],
    ['-0d', '2026-03-05', '2026-03-05'],
    ['last month', '2026-02-01', '2026-02-28'],
    ['last-month', '2026-02-01', '2026-02-28'],
    ['this month', '2026-03-01', '2026-03-05'],
  ])('typed as %s is in UTC', (typed, startDay, endDay) =>
    expect(relativeDays(typed, nowMs)).toEqual({ startDay, endDay }),
  )

  it.each(['2026-03-05', '60d', '-60', '+1d', '-99999d', 'tomorrow', 'last year', ''])(
    'is not read from “%s”',
    (typed) => expect(relativeDays(typed, nowMs)).toBeNull(),
  )
})

describe('a range', () => {
  const day = (required?: true) =>
    ({ type: 'text', value: 'DATE', description: 'day', ...(required && { required }) }) as const
  const ranged = action({
    name: '',
    summary: 'ranged',
    options: { start: day(), end: day(), label: { type: 'text', value: 'L', description: 'label' } },
    run: async () => exit.done,
  })
  const rangeOf = (...argv: string[]) => {
    const { start, end } = parseGiven(argv, ranged, nowMs).options
    return [start, end]
  }

  it('of --days is the last whole UTC days', () => {
    expect(rangeOf('--days', '60')).toEqual(['2026-01-04', '2026-03-04'])
    expect(rangeOf('--days', '1')).toEqual(['2026-03-04', '2026-03-04'])
    expect(() => rangeOf('--days', '1', '--end', 'today')).toThrow('either --days or --start and --end')
  })

  it('with a relative start ends today, or with the month that it names', () => {
    expect(rangeOf('--start', '-60d')).toEqual(['2026-01-04', '2026-03-05'])
    expect(rangeOf('--start', 'last month')).toEqual(['2026-02-01', '2026-02-28'])
    expect(rangeOf('--start', 'last month', '--end', 'today')).toEqual(['2026-02-01', '2026-03-05'])
    expect(rangeOf('--start', '2026-01-01', '--end', 'last month')).toEqual(['2026-01-01', '2026-02-28'])
    expect(rangeOf('--start', '2026-01-01')).toEqual(['2026-01-01', undefined])
    expect(rangeOf()).toEqual([undefined, undefined])
  })

  it('leaves every other option as it was typed', () => {
    expect(parseGiven(['--label', 'today'], ranged, nowMs).options.label).toBe('today')
  })
})
