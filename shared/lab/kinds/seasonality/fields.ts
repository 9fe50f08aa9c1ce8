import { commonFields, valueField } from '../commonFields.ts'
import type { Fields, Values } from '../field.ts'
import { choice, flag } from '../fieldTypes.ts'
import { sourceFields } from '../sourceFields.ts'

export const seasonalityKeys = {
  hourWeekday: 'Hour and weekday',
  hour: 'Hour',
  weekday: 'Weekday',
  dayOfMonth: 'Day of month',
  minutesToFunding: 'Minutes to funding',
}
export type SeasonalityKey = keyof typeof seasonalityKeys

const fields = {
  ...commonFields('seasonality', sourceFields),
  value: valueField,
  by: {
    type: choice<SeasonalityKey>(seasonalityKeys),
    byDefault: 'hourWeekday',
    label: 'By',
    help: 'How times are grouped before averaging (UTC): by hour, weekday, day of month or minutes to funding.',
    group: 'main',
  },
  center: {
    type: flag,
    byDefault: false,
    label: 'Subtract the mean',
    help: 'Subtracts the mean over all times first, so that cells show deviations.',
    group: 'more',
  },
} satisfies Fields

export type SeasonalityStudy = Values<typeof fields>

export const seasonality = {
  title: 'Seasonality',
  description: 'Does a value depend on the hour, the weekday or the funding time?',
  fields,
  recipe: 'Average {value} of {source} on bars of {interval}, by {by} in UTC, from {start} to {end}.',
  formulas: ({ value }: SeasonalityStudy) => [{ field: 'value', formula: value, isCompared: true }],
  goesByFunding: ({ by }: SeasonalityStudy) => by === 'minutesToFunding',
  /** The values that a result lists for each time. */
  ownBytes: (_study: SeasonalityStudy, times: number) => 80 * times,
}
