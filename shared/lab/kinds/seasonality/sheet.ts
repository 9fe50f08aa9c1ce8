import { column, type Section, table } from '#shared/sheet/sheet.ts'
import type { ResultOf } from '../../runStudy.ts'
import { unitBehind } from '../../sourceWarnings.ts'
import { barChart } from '../charts.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'
import { attritionTable, figure, numberColumns, summary, testFigures, testLine, weekdayNames } from '../sections.ts'
import { nothingUsedText, probabilityText, unansweredText } from '../verdicts.ts'

const keys = {
  weekday: 'Weekday',
  hour: 'Hour',
  dayOfMonth: 'Day of month',
  minutesToFunding: 'Minutes to funding',
} as const
const statistics = { n: 'n', mean: 'Mean', median: 'Median', sd: 'Std', t: 't', p: 'p', q: 'q' } as const

export const leading = ['summary', 'cells']

type Cell = ResultOf<'seasonality'>['cells'][number]

const SIGNIFICANT = 0.05

/** Names a cell of the calendar, such as `Mon 14:00`. */
function cellName({ weekday, hour, dayOfMonth, minutesToFunding }: Cell): string {
  if (dayOfMonth !== undefined) return `day ${dayOfMonth} of the month`
  if (minutesToFunding !== undefined) return `${plural(minutesToFunding, 'minute')} to funding`
  const day = weekday === undefined ? '' : weekdayNames[weekday - 1]
  return [day, hour === undefined ? '' : `${String(hour).padStart(2, '0')}:00`].filter(Boolean).join(' ')
}

/** The answer in one sentence, from the cell that differs most surely. */
export function verdict(result: ResultOf<'seasonality'>): string {
  const unanswered = unansweredText(result)
  if (unanswered !== null) return unanswered
  const { tests, cells, attrition, study } = result
  if (attrition.used === 0) return nothingUsedText(attrition)
  if (tests.count === 0)
    return `There is no answer: none of ${plural(cells.length, 'cell')} has enough values that vary.`
  const zero = study.center ? 'the mean' : '0'
  const sure = cells.filter(({ q }) => q !== null && q <= SIGNIFICANT)
  const tested = plural(tests.count, 'tested cell')
  if (sure.length === 0) return `The clock tells nothing sure: none of ${tested} differs from ${zero} beyond chance.`
  const [first] = sure.toSorted((a, b) => (a.q ?? 1) - (b.q ?? 1) || Math.abs(b.t ?? 0) - Math.abs(a.t ?? 0))
  const mean = numberText('estimate', first.mean) ?? ''
  return `${formatNumber(sure.length, 0)} of ${tested} ${agree(sure.length, 'differs', 'differ')} from ${zero} beyond chance: most surely ${cellName(first)}, with a mean of ${[mean, unitBehind(study.value)].filter(Boolean).join(' ')} (${probabilityText(first.q ?? 1, 'q')}).`
}

export function sections({ tests, mean, times, cells, attrition }: ResultOf<'seasonality'>): Section[] {
  const usedKeys = (Object.keys(keys) as (keyof typeof keys)[]).filter((key) =>
    cells.some((cell) => cell[key] !== undefined),
  )
  const names = cells.map((cell) => usedKeys.map((key) => cell[key]).join('/'))
  return [
    summary(testLine(tests), 'Hours, weekdays (1 is Monday) and days in UTC; means of the value, in its own unit.'),
    {
      kind: 'figures',
      id: 'figures',
      title: 'Figures',
      figures: [
        ...testFigures(tests),
        figure('mean', 'Mean', 'estimate', mean, 'Mean of the value over all times'),
        figure('times', 'Times', 'count', times, 'Number of times with a value'),
      ],
    },
    barChart('means', 'Mean by time', names, { Mean: cells.map((cell) => cell.mean) }),
    table(
      { id: 'cells', title: 'Cells', note: 'Open a cell to see the symbols at its times' },
      [
        ...usedKeys.map((key) => column<(typeof cells)[number]>(key, keys[key], 'count', (cell) => cell[key])),
        ...numberColumns(statistics, (key) => (key === 'n' ? 'count' : 'statistic')),
      ],
      cells,
    ),
    attritionTable(attrition),
  ]
}
