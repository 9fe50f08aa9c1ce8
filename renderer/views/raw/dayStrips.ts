import type { EventConditions, RawFileEntry } from '#shared/contract/areas/raw.ts'

const share = (count: number | null, { events }: EventConditions) =>
  count === null ? null : count / Math.max(1, events)

/** Measures that a strip can show of a file; null if the dataset lacks them. */
export const measures = [
  { value: 'events', title: 'events', of: ({ events }: EventConditions) => events },
  { value: 'silence', title: 'longest silence', of: ({ longestSilenceMs }: EventConditions) => longestSilenceMs },
  { value: 'disorder', title: 'out of order', of: (each: EventConditions) => share(each.outOfOrder, each) },
  { value: 'duplicates', title: 'duplicates', of: (each: EventConditions) => share(each.duplicates, each) },
  { value: 'crossed', title: 'crossed quotes', of: (each: EventConditions) => share(each.crossedQuotes, each) },
  { value: 'negative', title: 'negative spreads', of: (each: EventConditions) => share(each.negativeSpreads, each) },
  { value: 'zeros', title: 'zero sizes', of: (each: EventConditions) => share(each.zeroSizes, each) },
  {
    value: 'modelled',
    title: 'modelled times',
    of: (each: EventConditions) => share(each.modelledArrivals + each.modelledTimes, each),
  },
] as const
export type Measure = (typeof measures)[number]

/** A row of fields for each dataset, a field for each day from the first to the last that any of them has. */
export interface DayStrips {
  datasets: string[]
  /** Day number of the first field. */
  firstDay: number
  days: number
  fileAt(row: number, column: number): RawFileEntry | null
  /** 0 to 1, relative to the largest of the row; null where there is no file, or nobody looked into it. */
  strength(measure: Measure): (row: number, column: number) => number | null
}

export function dayStrips(files: readonly RawFileEntry[]): DayStrips {
  const datasets = [...new Set(files.map(({ dataset }) => dataset))]
  const firstDay = Math.min(...files.map(({ startDay }) => startDay))
  const days = files.length === 0 ? 0 : Math.max(...files.map(({ endDay }) => endDay)) - firstDay
  const fields = datasets.map(() => new Array<RawFileEntry | null>(days).fill(null))
  // Months first: a file of a day inside one is the nearer answer.
  for (const file of files.toSorted((a, b) => b.endDay - b.startDay - (a.endDay - a.startDay)))
    fields[datasets.indexOf(file.dataset)].fill(file, file.startDay - firstDay, file.endDay - firstDay)
  return {
    datasets,
    firstDay,
    days,
    fileAt: (row, column) => fields[row]?.[column] ?? null,
    strength({ of }) {
      const valueAt = (file: RawFileEntry | null) => (file?.conditions ? of(file.conditions) : null)
      const most = fields.map((row) => row.reduce((largest, file) => Math.max(largest, valueAt(file) ?? 0), 0))
      return (row, column) => {
        const value = valueAt(fields[row][column])
        return value === null ? null : most[row] === 0 ? 0 : value / most[row]
      }
    },
  }
}
