import { commonFields } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { choice, formula, orNull, wholeNumber } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'
import { counted } from '../phrases.ts'

const fields = {
  ...commonFields('schedule', sourceFields),
  value: {
    type: formula,
    label: 'Value',
    help: 'The formula whose level by hour is studied: a cost in basis points, a spread, a depth.',
    example: 'l1_liquidity.spread_bps',
    group: 'main',
  },
  better: {
    type: choice({ low: 'Low', high: 'High' }),
    byDefault: 'low',
    label: 'Better is',
    phrase: (better) => (better === 'high' ? 'highest' : 'lowest'),
    help: 'Low for what you pay, such as a spread; high for what you want, such as a depth.',
    group: 'main',
  },
  by: {
    type: choice({ hour: 'Hour', hourWeekday: 'Hour and weekday' }),
    byDefault: 'hour',
    label: 'By',
    help: 'How times are grouped (UTC): by hour, or by weekday and hour.',
    group: 'main',
  },
  best: {
    type: wholeNumber(1, 23),
    byDefault: 4,
    label: 'Hours to choose',
    phrase: (best) => `${String(best)} best and ${String(best)} worst`,
    help: 'Number of the best groups and of the worst that are chosen; at most half of the groups.',
    group: 'main',
  },
  calibrateDays: {
    type: orNull(wholeNumber(7, 10_000)),
    byDefault: null,
    label: 'Calibrate on',
    phrase: (days) => (days === null ? 'the first half of the days' : `the first ${counted('day')(days)}`),
    help: 'The first UTC days, from which hours are chosen; the later ones show what the choice kept. Default: half of the days.',
    group: 'more',
  },
  statistic: {
    type: choice({ median: 'Median', mean: 'Mean' }),
    byDefault: 'median',
    label: 'Statistic',
    help: 'What stands for the values of a group.',
    group: 'more',
  },
  minBars: {
    type: wholeNumber(1, 100_000),
    byDefault: 20,
    label: 'Least values',
    phrase: counted('value'),
    help: 'A group with fewer values has no statistic and is not chosen.',
    group: 'more',
  },
  second: {
    type: orNull(formula),
    byDefault: null,
    label: 'Second value',
    help: 'Another formula, such as a depth, whose order of the hours is compared with that of the first.',
    group: 'more',
  },
} satisfies Fields

export type ScheduleStudy = Values<typeof fields>

export const schedule = {
  title: 'Schedule',
  description: 'When is it cheap to trade, and does it stay so?',
  fields,
  recipe:
    'Choose the {best} by {by} with the {better} {statistic} of {value} on {source}, bars of {interval}; choose on {calibrateDays} and judge on the others, from {start} to {end}.',
  formulas: ({ value, second }: ScheduleStudy) => [
    { field: 'value', formula: value },
    ...(second === null ? [] : [{ field: 'second', formula: second }]),
  ],
  treatsSymbolsAlone: true,
  /** The values of a symbol by group. */
  ownBytes: (_study: ScheduleStudy, times: number) => 40 * times,
}
