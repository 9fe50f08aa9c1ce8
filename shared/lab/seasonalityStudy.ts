import { dayOfMonthOf, hourOf, minutesToFundingOf, weekdayOf } from './calendar.ts'
import { TIMES_PER_CHECKPOINT, type Checkpoint, noCheckpoint } from './checkpoint.ts'
import { valueAttrition } from './leadLagStudy.ts'
import { timeAt } from './panel.ts'
import { countTests, estimateOf, falseDiscoveryRates, meanOf, quantileOf, varies } from './samples.ts'
import type { SeasonalityKey, SeasonalityStudy } from './studyDocument.ts'
import { type CellRows, type StudyPanel, timeBlocks } from './studyPanel.ts'

type CellKeys = Partial<Record<'weekday' | 'hour' | 'dayOfMonth' | 'minutesToFunding', number>>

const keysOf: Record<SeasonalityKey, (timeMs: number) => CellKeys> = {
  hourWeekday: (timeMs) => ({ weekday: weekdayOf(timeMs), hour: hourOf(timeMs) }),
  hour: (timeMs) => ({ hour: hourOf(timeMs) }),
  weekday: (timeMs) => ({ weekday: weekdayOf(timeMs) }),
  dayOfMonth: (timeMs) => ({ dayOfMonth: dayOfMonthOf(timeMs) }),
  minutesToFunding: (timeMs) => ({ minutesToFunding: minutesToFundingOf(timeMs) }),
}

/** Tells whether a time belongs to a calendar cell. */
export const isInCell = (by: SeasonalityKey, cell: CellKeys, timeMs: number): boolean =>
  Object.entries(keysOf[by](timeMs)).every(([key, value]) => cell[key as keyof CellKeys] === value)

/** Number of values required to test a cell. */
const LEAST_TESTED_VALUES = 3

/** Computes the mean over symbols at each time, and averages those means by calendar cell. */
export function runSeasonalityStudy(
  panel: StudyPanel,
  study: SeasonalityStudy,
  matrix: CellRows<Float64Array>,
  checkpoint = noCheckpoint,
) {
  const { times, values } = marketMeans(panel, matrix, checkpoint)
  const mean = meanOf(values)
  const centred = study.center && mean !== null ? deviationsFrom(mean, values) : values
  const cells = calendarCells(times, centred, keysOf[study.by])
  const tested = cells.map(({ keys, values: cellValues }) => {
    const { n, mean: cellMean, sd, t, p } = estimateOf(cellValues)
    const median = quantileOf(cellValues.slice().sort(), 0.5)
    const isTested = n >= LEAST_TESTED_VALUES
    return { ...keys, n, mean: cellMean, median, sd, t: isTested ? t : null, p: isTested ? p : null }
  })
  const rates = falseDiscoveryRates(tested.map(({ p }) => p))
  return {
    attrition: valueAttrition(panel, matrix),
    times: values.length,
    mean,
    tests: countTests(rates),
    cells: tested.map((cell, at) => ({ ...cell, q: rates[at] })),
  }
}

/** Subtracts the mean; from values that do not vary it leaves 0, not the rounding error of the mean. */
const deviationsFrom = (mean: number, values: Float64Array): Float64Array =>
  varies(values) ? values.map((value) => value - mean) : new Float64Array(values.length)

/** Averages the members with a value, at each time that has at least one. */
function marketMeans(panel: StudyPanel, matrix: CellRows<Float64Array>, checkpoint: Checkpoint) {
  const width = panel.symbols.length
  const times: number[] = []
  const values: number[] = []
  for (const { from, to } of timeBlocks(panel)) {
    const cells = matrix.rows(from, to)
    const member = panel.member?.rows(from, to)
    for (let time = from, start = 0; time < to; time++, start += width) {
      if (time % TIMES_PER_CHECKPOINT === 0) checkpoint()
      let sum = 0
      let count = 0
      for (let cell = start; cell < start + width; cell++) {
        if (Number.isNaN(cells[cell]) || (member && !member[cell])) continue
        sum += cells[cell]
        count++
      }
      if (count === 0) continue
      times.push(timeAt(panel, time))
      values.push(sum / count)
    }
  }
  return { times, values: Float64Array.from(values) }
}

function calendarCells(times: readonly number[], values: Float64Array, keysAt: (timeMs: number) => CellKeys) {
  const cellBySortKey = new Map<number, { keys: CellKeys; values: number[] }>()
  times.forEach((timeMs, at) => {
    const keys = keysAt(timeMs)
    // Combines the keys into one number that sorts as they do, which works because every key is below 1000.
    const sortKey = Object.values(keys).reduce((sum, key) => sum * 1000 + key, 0)
    const cell = cellBySortKey.get(sortKey) ?? { keys, values: [] }
    cell.values.push(values[at])
    cellBySortKey.set(sortKey, cell)
  })
  return [...cellBySortKey]
    .sort(([a], [b]) => a - b)
    .map(([, { keys, values: cellValues }]) => ({ keys, values: Float64Array.from(cellValues) }))
}
