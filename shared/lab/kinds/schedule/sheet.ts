import {
  column,
  type Section,
  type SheetChart,
  type SheetFigure,
  type SheetHeat,
  type SheetTable,
  table,
} from '#shared/sheet/sheet.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { agree, plural } from '#shared/units/plurals.ts'
import type { ResultOf } from '../../runStudy.ts'
import { unitBehind } from '../../sourceWarnings.ts'
import { barChart } from '../charts.ts'
import { figure, numberColumns, summary, symbolAttrition, symbolColumn, weekdayNames } from '../sections.ts'

type ScheduleResult = ResultOf<'schedule'>
type SymbolSchedule = ScheduleResult['symbols'][number]
type Group = SymbolSchedule['groups'][number]

export const leading = ['summary', 'schedules']

const HOURS = 24
/** Maximum number of symbols that are drawn; the tables have all. */
const MOST_DRAWN = 40

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`
const groupName = ({ hour, weekday }: Group): string =>
  weekday === undefined ? hourText(hour) : `${weekdayNames[weekday - 1]} ${hourText(hour)}`

const isGroupOf = (which: 'best' | 'worst') => (group: Group) => group.chosen === which
const namesOf = (groups: readonly Group[], which: 'best' | 'worst'): string =>
  groups.filter(isGroupOf(which)).map(groupName).join(', ')

const number = (value: number | null): string => (value === 0 ? '0' : (numberText('estimate', value) ?? '–'))

/** What became of the chosen hours of a symbol after they were chosen. */
type Outcome = 'kept' | 'unclear' | 'lost' | 'untested' | 'unseen' | 'none'

function outcomeOf({ schedules: { best }, groups }: SymbolSchedule, better: 'low' | 'high'): Outcome {
  if (!groups.some(isGroupOf('best'))) return 'none'
  const { n, mean, low, high } = best.difference
  if (n === 0 || mean === null) return 'unseen'
  if (low === null || high === null) return 'untested'
  if (low <= 0 && high >= 0) return 'unclear'
  return mean < 0 === (better === 'low') ? 'kept' : 'lost'
}

/** Says whether the hours that looked best stayed better than their days. */
export function verdict({ study, symbols }: ScheduleResult): string {
  return symbols.length === 1 ? verdictOfOne(symbols[0], study) : verdictOfMany(symbols, study)
}

function verdictOfOne(one: SymbolSchedule, { better, minBars, value }: ScheduleResult['study']): string {
  const { attrition, days, groups, schedules } = one
  const outcome = outcomeOf(one, better)
  if (outcome === 'none' && attrition.used === 0)
    return `No hour is chosen: the value is missing in ${agree(attrition.cells, 'the only cell', `all ${attrition.cells} cells`)}.`
  if (outcome === 'none')
    return days.calibrate === 0
      ? 'No hour is chosen: one day is too short for a part to choose from and a later one.'
      : `No hour is chosen: fewer than two have the ${plural(minBars, 'value')} they need in the first ${plural(days.calibrate, 'day')}.`
  const chosen = `Over the first ${plural(days.calibrate, 'day')} the ${better === 'low' ? 'lowest' : 'highest'} hours were ${namesOf(groups, 'best')} UTC`
  const { n, mean, low, high } = schedules.best.difference
  if (outcome === 'unseen') return `${chosen}; no later day has a value to judge them by.`
  const unit = unitBehind(value) && ` ${unitBehind(value)}`
  const side =
    (mean ?? 0) === 0 ? 'as high as' : `${number(Math.abs(mean ?? 0))}${unit} ${(mean ?? 0) < 0 ? 'below' : 'above'}`
  const interval = outcome === 'untested' ? '' : `, 95 % ${number(low)} … ${number(high)}${unit}`
  const later = `on ${plural(n, 'later day')} they were ${side} the mean of the day${interval}`
  const endings = {
    kept: ': they stayed better.',
    unclear: ', which chance explains.',
    lost: ': they became worse.',
    untested: ', too few or too equal days for an interval.',
  }
  return `${chosen}; ${later}${endings[outcome]}`
}

function verdictOfMany(symbols: readonly SymbolSchedule[], { better }: ScheduleResult['study']): string {
  const counts: Record<Outcome, number> = { kept: 0, unclear: 0, lost: 0, untested: 0, unseen: 0, none: 0 }
  for (const one of symbols) counts[outcomeOf(one, better)]++
  const { kept, unclear, lost } = counts
  const judged = kept + unclear + lost
  if (judged === 0)
    return `None of ${plural(symbols.length, 'symbol')} can be judged: none has chosen hours and enough later days.`
  const rest = symbols.length - judged
  return `Of ${plural(judged, 'symbol')} the chosen hours stayed better on later days for ${kept}, became worse for ${lost} and differ by no more than chance for ${unclear}${rest > 0 ? `; ${rest} more cannot be judged` : ''}.`
}

/** Place in a set of charts, one for each symbol. */
const choiceOf = (id: string, title: string, symbol: string, isSingle: boolean) =>
  isSingle ? {} : { choice: { group: id, title, label: 'Symbol', option: symbol } }

function hourChart({ symbol, groups }: SymbolSchedule, isSingle: boolean, unit: string): SheetChart {
  const groupAt = Array.from({ length: HOURS }, (_, hour) => groups.find((group) => group.hour === hour))
  const chart = barChart(
    isSingle ? 'byHour' : `byHour.${symbol}`,
    isSingle ? 'Value by hour (UTC)' : `Value by hour (UTC), ${symbol}`,
    groupAt.map((_, hour) => hourText(hour)),
    {
      Calibrated: groupAt.map((group) => group?.calibrate.value ?? null),
      Later: groupAt.map((group) => group?.evaluate.value ?? null),
    },
  )
  return {
    ...chart,
    series: chart.series.map((series) => ({ ...series, ...(unit && { unit }) })),
    note: `Best: ${namesOf(groups, 'best') || 'none'}; worst: ${namesOf(groups, 'worst') || 'none'}`,
    chosenHours: groupAt.map((group) => group?.chosen ?? null),
    ...choiceOf('byHour', 'Value by hour (UTC)', symbol, isSingle),
  }
}

const parts = [
  { key: 'calibrate', id: 'calibrated', title: 'Calibrated value by weekday and hour (UTC)' },
  { key: 'evaluate', id: 'later', title: 'Later value by weekday and hour (UTC)' },
] as const

function weekHeats({ symbol, groups }: SymbolSchedule, isSingle: boolean): SheetHeat[] {
  return parts.map(({ key, id, title }): SheetHeat => {
    const values = new Float64Array(weekdayNames.length * HOURS).fill(NaN)
    for (const { hour, weekday = 1, ...group } of groups) values[(weekday - 1) * HOURS + hour] = group[key].value ?? NaN
    return {
      ...{ kind: 'heat', valueKind: 'estimate', rowsTitle: 'Weekday', rows: weekdayNames, values },
      id: isSingle ? id : `${id}.${symbol}`,
      title: isSingle ? title : `${title}, ${symbol}`,
      columns: Array.from({ length: HOURS }, (_, hour) => String(hour).padStart(2, '0')),
      ...choiceOf(id, title, symbol, isSingle),
    }
  })
}

const ofSymbols = <Row extends object>(
  symbols: readonly SymbolSchedule[],
  pick: (one: SymbolSchedule) => readonly Row[],
): (Row & { symbol: string })[] => symbols.flatMap((one) => pick(one).map((row) => ({ ...row, symbol: one.symbol })))

function groupTable(symbols: readonly SymbolSchedule[], isByWeekday: boolean): SheetTable {
  const rows = ofSymbols(symbols, ({ groups }) => groups)
  const cell = column<(typeof rows)[number]>
  return table(
    { id: 'groups', title: 'Hours', note: 'A group with too few values has none' },
    [
      ...symbolColumn<(typeof rows)[number]>(symbols),
      ...(isByWeekday ? [cell('weekday', 'Weekday', 'count', ({ weekday }) => weekday)] : []),
      cell('hour', 'Hour', 'count', ({ hour }) => hour),
      cell('calibrateN', 'n', 'count', ({ calibrate }) => calibrate.n),
      cell('calibrate', 'Calibrated', 'statistic', ({ calibrate }) => calibrate.value),
      cell('evaluateN', 'n later', 'count', ({ evaluate }) => evaluate.n),
      cell('evaluate', 'Later', 'statistic', ({ evaluate }) => evaluate.value),
      cell('chosen', 'Chosen', 'text', ({ chosen }) => chosen),
    ],
    rows,
  )
}

const scheduleNames = { best: 'Best', worst: 'Worst', uniform: 'All hours' } as const
const differenceTitles = {
  sd: 'Std',
  se: 'Standard error',
  t: 't',
  p: 'p',
} as const

const noDifference = { n: null, mean: null, sd: null, se: null, t: null, p: null, low: null, high: null }

function scheduleTable(symbols: readonly SymbolSchedule[]): SheetTable {
  const rows = ofSymbols(symbols, ({ schedules, groups }) =>
    (Object.keys(scheduleNames) as (keyof typeof scheduleNames)[]).map((key) => {
      const { n, mean, median } = schedules[key]
      const difference = key === 'uniform' ? noDifference : schedules[key].difference
      return {
        ...difference,
        name: scheduleNames[key],
        hours: key === 'uniform' ? null : namesOf(groups, key),
        days: difference.n,
        differs: difference.mean,
        ...{ n, mean, median },
      }
    }),
  )
  const cell = column<(typeof rows)[number]>
  return table(
    {
      id: 'schedules',
      title: 'What the choice kept later',
      note: 'Difference: mean of the hours of a day minus the mean of the day, over the later days',
    },
    [
      ...symbolColumn<(typeof rows)[number]>(symbols),
      cell('name', 'Schedule', 'text', ({ name }) => name),
      cell('hours', 'Hours (UTC)', 'text', ({ hours }) => hours, { widthPx: 220 }),
      cell('differs', 'Difference', 'statistic', ({ differs }) => differs),
      ...numberColumns({ low: 'Low', high: 'High' }, () => 'statistic'),
      cell('days', 'Days', 'count', ({ days }) => days),
      cell('n', 'n', 'count', ({ n }) => n),
      cell('mean', 'Mean', 'statistic', ({ mean }) => mean),
      cell('median', 'Median', 'statistic', ({ median }) => median),
      ...numberColumns(differenceTitles, () => 'statistic'),
    ],
    rows,
  )
}

function agreementTable(symbols: readonly SymbolSchedule[]): SheetTable {
  const cell = column<SymbolSchedule>
  return table(
    {
      id: 'agreement',
      title: 'Does the order of the hours last?',
      note: 'Rank correlation of the calibrated values with the later ones, and with those of the second value',
    },
    [
      ...symbolColumn<SymbolSchedule>(symbols),
      cell('calibrate', 'Days to calibrate', 'count', ({ days }) => days.calibrate),
      cell('evaluate', 'Later days', 'count', ({ days }) => days.evaluate),
      cell('persistenceN', 'Hours', 'count', ({ persistence }) => persistence.n),
      cell('persistence', 'Persistence', 'ratio', ({ persistence }) => persistence.spearman),
      cell('agreementN', 'Hours of both values', 'count', ({ agreement }) => agreement?.n),
      cell('agreement', 'Agreement', 'ratio', ({ agreement }) => agreement?.spearman),
    ],
    symbols,
  )
}

function figures({ schedules, persistence, days }: SymbolSchedule, unit: string): Section {
  const { best, uniform } = schedules
  const inUnit = (one: SheetFigure): SheetFigure => ({ ...one, ...(unit && { unit }) })
  return {
    ...{ kind: 'figures', id: 'figures', title: 'Figures' },
    figures: [
      inUnit(
        figure(
          ...(['best', 'Best hours later', 'estimate', best.median] as const),
          'Median of the value in the best hours of later days',
        ),
      ),
      inUnit(
        figure('uniform', 'All hours later', 'estimate', uniform.median, 'Median of the value over all later cells'),
      ),
      inUnit(
        figure(
          ...(['difference', 'Difference', 'estimate', best.difference.mean] as const),
          'Mean over later days of the mean in the best hours minus the mean of the day',
        ),
      ),
      figure(
        ...(['persistence', 'Persistence', 'estimate', persistence.spearman] as const),
        'Rank correlation of the calibrated values of the hours with the later ones',
      ),
      figure('days', 'Later days', 'count', days.evaluate, 'UTC days after those that chose the hours'),
    ],
  }
}

export function sections({ study, symbols }: ScheduleResult): Section[] {
  const isSingle = symbols.length === 1
  const isByWeekday = study.by === 'hourWeekday'
  const drawn = symbols.slice(0, MOST_DRAWN)
  const unit = unitBehind(study.value)
  return [
    summary(
      `Hours in UTC${isByWeekday ? ', weekdays from 1 (Monday)' : ''}; they are chosen from the first days only, and later days show what the choice kept.`,
    ),
    ...(isSingle ? [figures(symbols[0], unit)] : []),
    ...drawn.flatMap((one): Section[] => (isByWeekday ? weekHeats(one, isSingle) : [hourChart(one, isSingle, unit)])),
    scheduleTable(symbols),
    agreementTable(symbols),
    groupTable(symbols, isByWeekday),
    symbolAttrition(symbols),
  ]
}
