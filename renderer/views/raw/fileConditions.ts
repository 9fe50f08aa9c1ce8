import type { EventConditions, RawFileEntry } from '#shared/contract/areas/raw.ts'
import { formatDuration } from '#shared/units/durations.ts'
import { wholeTime, type Zone } from '#shared/units/instants.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { rawFilesText as text } from '../../text/raw.ts'

const fractionOf = (count: number | null, { events }: EventConditions) =>
  count === null ? null : count / Math.max(1, events)

const titles = text.measures

/** Measures of a file that a strip can show; `read` returns null if the dataset lacks the measure. */
export const measures = [
  { value: 'events', title: titles.events, read: ({ events }: EventConditions) => events },
  { value: 'silence', title: titles.silence, read: ({ longestSilenceMs }: EventConditions) => longestSilenceMs },
  { value: 'disorder', title: titles.disorder, read: (each: EventConditions) => fractionOf(each.outOfOrder, each) },
  { value: 'duplicates', title: titles.duplicates, read: (each: EventConditions) => fractionOf(each.duplicates, each) },
  { value: 'crossed', title: titles.crossed, read: (each: EventConditions) => fractionOf(each.crossedQuotes, each) },
  {
    value: 'negative',
    title: titles.negative,
    read: (each: EventConditions) => fractionOf(each.negativeSpreads, each),
  },
  { value: 'zeros', title: titles.zeros, read: (each: EventConditions) => fractionOf(each.zeroSizes, each) },
  {
    value: 'modelled',
    title: titles.modelled,
    read: (each: EventConditions) => fractionOf(each.modelledArrivals + each.modelledTimes, each),
  },
] as const
type ConditionMeasure = (typeof measures)[number]

/** Strips with a row per dataset and a cell per day, from the first to the last day of any dataset. */
interface DayStrips {
  datasets: string[]
  /** Day number of the first cell. */
  firstDay: number
  days: number
  fileAt(row: number, column: number): RawFileEntry | null
  /**
   * Returns a function that gives the intensity of a cell: 0 to 1 relative to the row's maximum, null without a checked
   * file or if its dataset lacks the measure.
   */
  intensityOf(measure: ConditionMeasure): (row: number, column: number) => number | null
}

export function dayStrips(files: readonly RawFileEntry[]): DayStrips {
  const datasets = [...new Set(files.map(({ dataset }) => dataset))]
  const firstDay = Math.min(...files.map(({ startDay }) => startDay))
  const days = files.length === 0 ? 0 : Math.max(...files.map(({ endDay }) => endDay)) - firstDay
  const cells = datasets.map(() => new Array<RawFileEntry | null>(days).fill(null))
  // Monthly files come first, so that a daily file replaces the monthly one in its cell.
  for (const file of files.toSorted((a, b) => b.endDay - b.startDay - (a.endDay - a.startDay)))
    cells[datasets.indexOf(file.dataset)].fill(file, file.startDay - firstDay, file.endDay - firstDay)
  return {
    datasets,
    firstDay,
    days,
    fileAt: (row, column) => cells[row]?.[column] ?? null,
    intensityOf({ read }) {
      const valueAt = (file: RawFileEntry | null) => (file?.conditions ? read(file.conditions) : null)
      const rowMaxima = cells.map((row) => row.reduce((largest, file) => Math.max(largest, valueAt(file) ?? 0), 0))
      return (row, column) => {
        const value = valueAt(cells[row][column])
        return value === null ? null : rowMaxima[row] === 0 ? 0 : value / rowMaxima[row]
      }
    },
  }
}

interface ConditionLine {
  name: string
  message: string
  /** True if the value matters for computations with the file. */
  isOdd: boolean
}

/** Describes the condition of a file line by line, omitting what its dataset cannot have. */
export function conditionLines(conditions: EventConditions, zone: Zone): ConditionLine[] {
  const { condition: lineTexts } = text
  const instant = (ms: number | null) => (ms === null ? lineTexts.none : wholeTime(ms, zone))
  const ordinaryLine = (name: string, message: string): ConditionLine => ({ name, message, isOdd: false })
  const countLine = (name: string, count: number | null): ConditionLine[] => {
    if (count === null) return []
    const message = count === 0 ? '0' : lineTexts.share(count, (100 * count) / Math.max(1, conditions.events))
    return [{ name, message, isOdd: count > 0 }]
  }
  const since = conditions.silenceStartMs === null ? '' : lineTexts.from(instant(conditions.silenceStartMs))
  return [
    ordinaryLine(lineTexts.events, formatNumber(conditions.events, 0)),
    ordinaryLine(lineTexts.first, instant(conditions.firstMs)),
    ordinaryLine(lineTexts.last, instant(conditions.lastMs)),
    ordinaryLine(
      lineTexts.arrivals,
      lineTexts.between(instant(conditions.firstArrivalMs), instant(conditions.lastArrivalMs)),
    ),
    ordinaryLine(lineTexts.silence, `${formatDuration(conditions.longestSilenceMs)}${since}`),
    ...countLine(lineTexts.duplicates, conditions.duplicates),
    ...countLine(lineTexts.outOfOrder, conditions.outOfOrder),
    ...countLine(lineTexts.arrivalsOutOfOrder, conditions.arrivalsOutOfOrder),
    ...countLine(lineTexts.crossedQuotes, conditions.crossedQuotes),
    ...countLine(lineTexts.negativeSpreads, conditions.negativeSpreads),
    ...countLine(lineTexts.zeroSizes, conditions.zeroSizes),
    ...countLine(lineTexts.unknownSides, conditions.unknownSides),
    ...countLine(lineTexts.modelledArrivals, conditions.modelledArrivals),
    ...countLine(lineTexts.modelledTimes, conditions.modelledTimes),
    ...countLine(lineTexts.unusable, conditions.unusable),
  ]
}
