import type { TableColumn } from '#shared/sheet/columns.ts'
import { timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import type { Spell, StateShare } from '#shared/portfolio/stateHistory.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { exactNumber, powerText } from '#shared/units/numbers.ts'
import { overlaysText } from '../../../text/portfolioMarket.ts'
import { recordTableBuilder } from '../../../cards/dailyData.ts'

/** Formats a state as the service sent it: 1, not 1.0000. */
export const stateText = (value: number | string): string => powerText(exactNumber(Number(value)))

const { columns: stateTexts } = overlaysText.states
export const stateTable = recordTableBuilder<StateShare>(stateTexts, (column) => [
  column.number('value', 'statistic', 84, ({ value }) => value, { format: stateText }),
  column.number('days', 'count', 80, ({ days }) => days),
  column.number('share', 'share', 90, ({ share }) => share, { look: 'bar' }),
  column.number('spells', 'count', 80, ({ spells }) => spells),
  column.day('last', 100, ({ lastDay }) => lastDay),
])

const { columns: spellTexts } = overlaysText.spells
const ascendingSpellTable = recordTableBuilder<Spell>(spellTexts, (column) => [
  column.day('start', 100, ({ startDay }) => startDay),
  column.day('end', 100, ({ endDay }) => endDay),
  column.number('value', 'statistic', 90, ({ value }) => value, { format: stateText }),
  column.number('days', 'count', 80, ({ days }) => days),
])

/** Builds the table of periods with constant value, newest first. */
export const spellTable = (spells: readonly Spell[]) => ascendingSpellTable(spells.toReversed())

const { columns: valueTexts } = overlaysText.values
export const valueColumns: readonly TableColumn[] = [
  { key: 'time', ...valueTexts.time, kind: 'time', widthPx: 100 },
  { key: 'value', ...valueTexts.value, kind: 'statistic', widthPx: 110, format: stateText },
]

/** Builds the table with one row per day, newest first; a day without a value has an empty cell. */
export const valueFrame = ({ days, values, valid }: DailySeries): Frame => ({
  rows: days.length,
  columns: [
    timeColumn('time', Array.from(days, (day) => day * MS_PER_DAY).reverse()),
    { name: 'value', kind: 'number', values: values.toReversed(), valid: valid?.toReversed() ?? null },
  ],
})
