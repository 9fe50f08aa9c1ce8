import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import type { RequestedDays, PortfolioService } from '#core/clients/portfolioService.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import type { PortfolioStore } from '#core/store/portfolioStore.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

const request = { endpoint: 'history', portfolio: 'p.20' } as const
const FIRST = dayNumberOf('2026-01-01')

/**
 * First day of the ticker C, which appears later than the others. Days without data and cells without value are the
 * same in every request.
 */
const LISTED = FIRST + 20
const hasData = (day: number) => day >= FIRST + 3 && day % 9 !== 0
const columnsOf = (lastDay: number) => (lastDay < LISTED ? ['B', 'A'] : ['C', 'A', 'B'])

function valueOf(day: number, name: string): number {
  const isMissing = (day * 7 + name.charCodeAt(0)) % 5 === 0 || (name === 'C' && day < LISTED)
  return isMissing ? NaN : day + name.charCodeAt(0) / 100
}

function answerTo({ start, end }: RequestedDays, today: number): HistoryMatrix {
  const from = start === null ? FIRST : dayNumberOf(start)
  const to = end === null ? today : Math.min(today, dayNumberOf(end) + 1)
  const days = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter(hasData)
  const columns = columnsOf(Math.max(from, to - 1))
  const values = Float64Array.from(days.flatMap((day) => columns.map((name) => valueOf(day, name))))
  return { days: Int32Array.from(days), columns, values }
}

const cellsByDay = ({ days, columns, values }: HistoryMatrix) =>
  Object.fromEntries(
    [...days].map((day, row) => [
      day,
      Object.fromEntries(
        columns
          .map((name, column) => [name, values[row * columns.length + column]] as const)
          .filter(([, value]) => !Number.isNaN(value)),
      ),
    ]),
  )

function openPortfolio(store: PortfolioStore, connectionId: string) {
  const clock = fakeClock(FIRST * MS_PER_DAY + 30 * MS_PER_DAY)
  const today = () => Math.floor(clock.nowMs() / MS_PER_DAY)
  const service: Pick<PortfolioService, 'history'> = {
    history: async (_request, days) => ({ value: answerTo(days, today()), problems: [] }),
  }
  const portfolio = createPortfolio(store, clock, {
    connectionId,
    access: async () => ({ url: 'https://service.example', service: service as PortfolioService }),
  })
  return { clock, today, portfolio }
}

const step = fc.record({
  start: fc.option(fc.integer({ min: -10, max: 29 })),
  length: fc.option(fc.integer({ min: 1, max: 40 })),
  refresh: fc.boolean(),
  laterDays: fc.nat(3),
})

test('whatever was asked before and in whatever order, the answer is that of one question', async () => {
  const { portfolio: store } = openTestStore()
  const { signal } = new AbortController()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      const { clock, today, portfolio } = openPortfolio(store, `c${run++}`)
      for (const { start, length, refresh, laterDays } of steps) {
        clock.advance(laterDays * MS_PER_DAY)
        const range = {
          start: start === null ? null : FIRST + start,
          end: length === null ? null : FIRST + (start ?? 0) + length,
        }
        const { value } = await portfolio.history(request, range, { refresh }, signal)
        const whole = cellsByDay(answerTo({ start: null, end: null }, today()))
        const wanted = Object.entries(whole).filter(
          ([day]) => Number(day) >= (range.start ?? 0) && Number(day) < (range.end ?? Infinity),
        )
        expect(cellsByDay(value)).toEqual(Object.fromEntries(wanted))
      }
      const { value } = await portfolio.history(request, { start: null, end: null }, {}, signal)
      expect(cellsByDay(value)).toEqual(cellsByDay(answerTo({ start: null, end: null }, today())))
      expect(value.columns).toEqual([...value.columns].sort())
      const known = portfolio.find(request)
      expect(known && store.revisions(known.id, 10)).toEqual([])
    }),
    { numRuns: 60 },
  )
})
