import { coverageStates, type PeriodCoverage, type CoverageState } from '#shared/contract/areas/coverage.ts'
import { isMonth } from '#shared/time/periods.ts'

/** A row of a calendar: the months of a year or the days of a month; cells without a period are null. */
interface CalendarLine {
  label: string
  cells: (PeriodCoverage | null)[]
}

/** Builds the calendar: first rows of months by year, then rows of days by month. */
export function periodCalendar(periods: readonly PeriodCoverage[]): { years: CalendarLine[]; months: CalendarLine[] } {
  const lines = (listed: readonly PeriodCoverage[], labelLength: number, width: number): CalendarLine[] =>
    [...Map.groupBy(listed, ({ period }) => period.slice(0, labelLength))].map(([label, members]) => {
      const cells: (PeriodCoverage | null)[] = Array.from({ length: width }, () => null)
      for (const member of members) cells[Number(member.period.slice(-2)) - 1] = member
      return { label, cells }
    })
  return {
    years: lines(
      periods.filter(({ period }) => isMonth(period)),
      4,
      12,
    ),
    months: lines(
      periods.filter(({ period }) => !isMonth(period)),
      7,
      31,
    ),
  }
}

/** Counts the periods by state, in the order of `coverageStates`; states without a period are left out. */
export function stateCounts(periods: readonly PeriodCoverage[]): { state: CoverageState; count: number }[] {
  const groups = Map.groupBy(periods, ({ state }) => state)
  return coverageStates.flatMap((state) => {
    const count = groups.get(state)?.length ?? 0
    return count > 0 ? [{ state, count }] : []
  })
}

interface StateRun {
  state: CoverageState
  first: string
  last: string
  count: number
}

/** Joins consecutive periods of the same state into runs, which are listed below the calendar. */
export function stateRuns(periods: readonly PeriodCoverage[]): StateRun[] {
  const runs: StateRun[] = []
  for (const { period, state } of periods) {
    const run = runs.at(-1)
    if (run?.state === state && isMonth(run.last) === isMonth(period)) {
      run.last = period
      run.count += 1
    } else runs.push({ state, first: period, last: period, count: 1 })
  }
  return runs
}
