import { column, type Section, type SheetTable, table } from '#shared/sheet/sheet.ts'
import { plainPlural, plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import { barChart } from '../charts.ts'
import { attritionTable, coverageFigure, figure, numberColumns, summary, weekdayNames } from '../sections.ts'
import { errorText, isSignificant, percentText, probabilityText, unansweredText } from '../verdicts.ts'

type EventResult = ResultOf<'events'>
type Point = EventResult['path'][number]

export const leading = ['summary', 'path']

/** The answer in one sentence, from the last bar of the path. */
export function verdict(result: EventResult): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { attrition, path, study } = result
  const { offset, mean, byTime } = path[path.length - 1]
  const events = plural(attrition.used, 'event')
  const bars = plural(offset, 'bar')
  if (mean === null || byTime.mean === null)
    return `There is no answer: no price is known ${bars} after any of ${events}.`
  const market = study.adjust === 'market' ? ' against the market' : ''
  const { low, high, p, n } = byTime
  const change = `${percentText(byTime.mean)}${errorText(low, high, percentText)}${market}`
  if (p === null) return `Too few events to judge: ${bars} after ${events} the price has changed by ${change}.`
  const at = `at ${plural(n, 'time')}, ${probabilityText(p)}`
  return isSignificant(p)
    ? `${bars} after ${events} (${at}) the price has changed by ${change}, which is more than chance.`
    : `Nothing sure follows ${events} (${at}): after ${bars} the price has changed by ${change}.`
}

/**
 * Lists the events with their change at the last bar.
 * @param changes changes of all events in the same order; null if they are not known
 */
export function eventTable({ events, path }: EventResult, changes: readonly (number | null)[] | null) {
  const rows = events.times.map((time, at) => ({ time, symbol: events.symbols[at], change: changes?.[at] }))
  const cell = column<(typeof rows)[number]>
  const lastBar = path.at(-1)?.offset ?? 0
  return table(
    { id: 'events', title: 'Events', note: 'Open an event to see its symbol around that time' },
    [
      cell('time', 'Time', 'time', ({ time }) => time),
      cell('symbol', 'Symbol', 'text', ({ symbol }) => symbol),
      ...(changes ? [cell('change', `After ${plural(lastBar, 'bar')}`, 'share', ({ change }) => change)] : []),
    ],
    rows,
  )
}

function figures({ attrition, path, coverage }: EventResult): Section {
  const last = path.at(-1)!
  const { t, p, low, high, n } = last.byTime
  const interval =
    'Mean ± t × standard error, where t is the 0.975 quantile of Student’s t with n − 1 degrees of freedom'
  return {
    ...{ kind: 'figures', id: 'figures', title: 'Figures' },
    figures: [
      figure('events', 'Events', 'count', attrition.used, 'True cells that remain after every exclusion'),
      figure(
        'trueCells',
        'True cells',
        'count',
        attrition.trueCells,
        'Cells in which the condition is present and not 0',
      ),
      figure(
        ...(['mean', `Mean after ${plural(last.offset, 'bar')}`, 'percentFigure', last.mean] as const),
        'Mean price change since entry, over the events with a price at that bar',
      ),
      figure('low', '95 % interval, low', 'percentFigure', low, interval),
      figure('high', '95 % interval, high', 'percentFigure', high, interval),
      figure('t', 't', 'estimate', t, 'Mean / standard error, non-overlapping samples'),
      figure('p', 'p', 'probability', p, 'Two-sided p-value from Student’s t with n − 1 degrees of freedom'),
      figure(
        ...(['eventTimes', 'Times', 'count', n] as const),
        'Number of distinct event times; the 95 % interval is based on these',
      ),
      coverageFigure(coverage),
    ],
  }
}

function pathTable(path: readonly Point[]): SheetTable {
  const cell = column<Point>
  return table(
    { id: 'path', title: 'Path' },
    [
      cell('offset', 'Offset', 'count', ({ offset }) => offset),
      cell('n', 'n', 'count', ({ n }) => n),
      ...numberColumns({ mean: 'Mean', median: 'Median', q25: 'Lower quarter', q75: 'Upper quarter' }, () => 'share'),
      cell('times', 'Times', 'count', ({ byTime }) => byTime.n),
      cell('timeMean', 'Mean by time', 'share', ({ byTime }) => byTime.mean),
      cell('sd', 'Std', 'share', ({ byTime }) => byTime.sd),
      cell('se', 'Standard error', 'share', ({ byTime }) => byTime.se),
      cell('low', 'Low', 'share', ({ byTime }) => byTime.low),
      cell('high', 'High', 'share', ({ byTime }) => byTime.high),
      cell('t', 't', 'statistic', ({ byTime }) => byTime.t),
      cell('p', 'p', 'probability', ({ byTime }) => byTime.p),
    ],
    path,
  )
}

function countTable(id: string, title: string, names: readonly string[], rows: readonly { n: number }[]): SheetTable {
  const cell = column<{ name: string; n: number }>
  return table(
    { id, title },
    [cell('name', 'Name', 'text', ({ name }) => name), cell('n', 'Events', 'count', ({ n }) => n)],
    rows.map(({ n }, at) => ({ name: names[at], n })),
  )
}

export function sections(result: EventResult): Section[] {
  const { attrition, path, byMonth, byHour, byWeekday, bySymbol } = result
  return [
    summary(
      `${plainPlural(attrition.used, 'event')} of ${plainPlural(attrition.trueCells, 'true cell')}`,
      'Offsets in bars from the entry; price changes since entry.',
    ),
    figures(result),
    barChart(
      'pathChart',
      'Path around the events',
      path.map(({ offset }) => String(offset)),
      { Mean: path.map(({ mean }) => mean), Median: path.map(({ median }) => median) },
      'line',
    ),
    pathTable(path),
    eventTable(result, null),
    countTable(...(['byMonth', 'Events by month', byMonth.map(({ month }) => month), byMonth] as const)),
    countTable(...(['byHour', 'Events by hour', byHour.map(({ hour }) => String(hour)), byHour] as const)),
    countTable(
      ...([
        'byWeekday',
        'Events by weekday',
        byWeekday.map(({ weekday }) => weekdayNames[weekday - 1]),
        byWeekday,
      ] as const),
    ),
    countTable(...(['bySymbol', 'Events by symbol', bySymbol.map(({ symbol }) => symbol), bySymbol] as const)),
    attritionTable(attrition),
  ]
}
