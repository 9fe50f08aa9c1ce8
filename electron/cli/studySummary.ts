import type { Estimate } from '#shared/lab/samples.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { roundToDigits } from '#shared/units/numbers.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { tableLines } from './print.ts'
import { studySummaryText as text } from './text/messages.ts'

const DIGITS = 5
const figureText = (value: number | null) => (value === null ? '–' : String(roundToDigits(value, DIGITS)))
const confidenceText = ({ low, high }: Estimate) =>
  low === null || high === null ? '–' : `${figureText(low)} … ${figureText(high)}`

/** Builds the lines that sum up a result; `--json` has everything. */
export function studySummary(result: StudyResult): string[] {
  const { data } = result
  const head = [
    `${plainPlural(data.symbols, 'symbol')}, ${plainPlural(data.times, 'time')}, ${plainPlural(data.rows, 'row')}; ${zonedTime(data.firstTime, 'utc')} to ${zonedTime(data.lastTime, 'utc')}`,
    '',
  ]
  if ('horizons' in result) return [...head, ...signalLines(result.horizons)]
  if ('path' in result) return [...head, ...eventLines(result)]
  if ('pairs' in result) return [...head, ...leadLagLines(result)]
  return [...head, ...seasonalityLines(result)]
}

function signalLines(horizons: Extract<StudyResult, { horizons: unknown }>['horizons']): string[] {
  const rows = horizons.map(({ horizon, attrition, rankIc: { nonOverlapping: ic }, spread }) =>
    [horizon, ic.n, ic.mean, ic.t, ic.p]
      .map(figureText)
      .concat(confidenceText(ic), figureText(spread.mean), figureText(attrition.used)),
  )
  return [
    text.signal,
    '',
    ...tableLines([['HORIZON', 'N', 'RANK IC', 'T', 'P', '95 % OF RANK IC', 'SPREAD', 'CELLS USED'], ...rows]),
  ]
}

function eventLines({ attrition, path }: Extract<StudyResult, { events: unknown }>): string[] {
  const lines = tableLines([
    ['OFFSET', 'N', 'MEAN', 'MEDIAN', 'T', 'P'],
    ...path.map(({ offset, n, mean, median, byTime }) => [offset, n, mean, median, byTime.t, byTime.p].map(figureText)),
  ])
  return [
    `${plainPlural(attrition.used, 'event')} of ${plainPlural(attrition.trueCells, 'true cell')}`,
    text.events,
    '',
    ...lines,
  ]
}

function leadLagLines({ tests, pairs }: Extract<StudyResult, { pairs: unknown }>): string[] {
  const rows = pairs.map(({ a, b, best }) => [
    a,
    b,
    ...[best?.lag, best?.r, best?.q].map((figure) => figureText(figure ?? null)),
  ])
  return [testLine(tests), text.leadLag, '', ...tableLines([['A', 'B', 'BEST LAG', 'R', 'Q'], ...rows])]
}

function seasonalityLines({ tests, cells }: Extract<StudyResult, { cells: unknown }>): string[] {
  const keys = ['weekday', 'hour', 'dayOfMonth', 'minutesToFunding'] as const
  const usedKeys = keys.filter((key) => cells.some((cell) => key in cell))
  const rows = cells.map((cell) =>
    [...usedKeys.map((key) => cell[key] ?? null), cell.n, cell.mean, cell.t, cell.q].map(figureText),
  )
  const header = [...usedKeys.map((key) => key.toUpperCase()), 'N', 'MEAN', 'T', 'Q']
  return [testLine(tests), text.seasonality, '', ...tableLines([header, ...rows])]
}

const testLine = ({ count, significant }: { count: number; significant: number }) =>
  `${plainPlural(count, 'test')}, ${significant} significant at a false-discovery rate of 5 %`
