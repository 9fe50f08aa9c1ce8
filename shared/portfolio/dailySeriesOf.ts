import type { Frame } from '#shared/contract/frame.ts'
import { type DailySeries, normaliseDays, type SeriesProblems } from './dailySeries.ts'
import { missingColumn } from './missingColumn.ts'

const nothing = () => ({ ...missingColumn('', 0), days: new Int32Array(0) })

/** Makes a series of a frame that has one time column and one of numbers; says what was put right. */
export function dailySeriesOf(frame: Frame): { series: DailySeries; problems: SeriesProblems } {
  const time = frame.columns.find(({ kind }) => kind === 'time')
  const column = frame.columns.find(({ kind }) => kind === 'number')
  if (!time || column?.kind !== 'number') {
    const problems = { duplicateDays: 0, outOfOrder: 0, invalidDates: 0, invalidValues: 0 }
    return { series: nothing(), problems }
  }
  const instants = Float64Array.from(time.values, (at, row) => (time.valid && !time.valid[row] ? NaN : at))
  return normaliseDays(instants, column.values, column.valid)
}

/** Describes the corrections of a series; empty for a clean one. */
export function problemWords({ duplicateDays, outOfOrder, invalidDates, invalidValues }: SeriesProblems): string[] {
  const said = (count: number, one: string, many: string) =>
    count === 0 ? [] : [count === 1 ? one : `${count} ${many}`]
  return [
    ...said(duplicateDays, 'one day came twice: the later row counts', 'rows repeat a day: the later one counts'),
    ...said(outOfOrder, 'one row was out of order', 'rows were out of order'),
    ...said(invalidDates, 'one row has no date and is left out', 'rows have no date and are left out'),
    ...said(invalidValues, 'one value is no number: taken as missing', 'values are no numbers: taken as missing'),
  ]
}
