import { numberColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import type { Spell, StateShare } from '#shared/portfolio/stateHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { exactNumber, MINUS } from '#shared/units/numbers.ts'
import type { TableColumn } from '../../../tables/columns.ts'

/** A state is what the service says it is: 1, not 1.0000. */
const exact = (value: number | string) => exactNumber(Number(value)).replace('-', MINUS)

const time = (name: string, days: readonly number[]) =>
  timeColumn(
    name,
    days.map((day) => day * MS_PER_DAY),
  )

export const stateColumns: readonly TableColumn[] = [
  { key: 'value', title: 'Value', kind: 'statistic', widthPx: 84, format: exact },
  { key: 'days', title: 'Days', kind: 'count', widthPx: 80 },
  { key: 'share', title: 'Share', kind: 'share', widthPx: 90, look: 'bar', hint: 'Of the days that have a value' },
  { key: 'spells', title: 'Times', kind: 'count', widthPx: 80, hint: 'How often it began' },
  { key: 'last', title: 'Last on', kind: 'time', widthPx: 100 },
]

export const stateFrame = (states: readonly StateShare[]): Frame => ({
  rows: states.length,
  columns: [
    ...(['value', 'days', 'share', 'spells'] as const).map((name) =>
      numberColumn(
        name,
        states.map((state) => state[name]),
      ),
    ),
    time(
      'last',
      states.map(({ lastDay }) => lastDay),
    ),
  ],
})

export const spellColumns: readonly TableColumn[] = [
  { key: 'start', title: 'From', kind: 'time', widthPx: 100 },
  { key: 'end', title: 'To', kind: 'time', widthPx: 100, hint: 'The last day with this value' },
  { key: 'value', title: 'Value', kind: 'statistic', widthPx: 90, format: exact },
  { key: 'days', title: 'Days', kind: 'count', widthPx: 80, hint: 'Days with this value' },
]

/** Sorts the newest first. */
export function spellFrame(spells: readonly Spell[]): Frame {
  const newest = spells.toReversed()
  return {
    rows: newest.length,
    columns: [
      time(
        'start',
        newest.map(({ startDay }) => startDay),
      ),
      time(
        'end',
        newest.map(({ endDay }) => endDay),
      ),
      numberColumn(
        'value',
        newest.map(({ value }) => value),
      ),
      numberColumn(
        'days',
        newest.map(({ days }) => days),
      ),
    ],
  }
}

export const valueColumns: readonly TableColumn[] = [
  { key: 'time', title: 'Date', kind: 'time', widthPx: 100 },
  { key: 'value', title: 'Value', kind: 'statistic', widthPx: 110, format: exact },
]

/** A day a row, the newest first; a day without a value says so. */
export function valueFrame({ days, values, valid }: DailySeries): Frame {
  return {
    rows: days.length,
    columns: [
      time('time', Array.from(days).reverse()),
      { name: 'value', kind: 'number', values: values.toReversed(), valid: valid?.toReversed() ?? null },
    ],
  }
}
