import { alwaysEvery, type FundingPeriods, minutesToFunding } from '#shared/funding/fundingPeriods.ts'
import { type FundingRow, periodsOfRows } from '#shared/funding/fundingRows.ts'
import { MS_PER_HOUR } from '#shared/time.ts'
import { dayOfMonthOf, hourOf, weekdayOf } from '../../calendar.ts'
import { TIMES_PER_CHECKPOINT, type Checkpoint, noCheckpoint } from '../../checkpoint.ts'
import { valueAttrition } from '../../signalCells.ts'
import { timeAt } from '../../panel.ts'
import { countTests, estimateOf, falseDiscoveryRates, meanOf, quantileOf, varies } from '../../samples.ts'
import type { SeasonalityKey, SeasonalityStudy } from './fields.ts'
import { type CellRows, type StudyPanel, timeBlocks } from '../../studyPanel.ts'
import { fundingWarnings } from '../../fundingWarnings.ts'
import type { KindRun } from '../../studyInput.ts'

export function run({ study, panel, input, evaluate, onStage, checkpoint }: KindRun<SeasonalityStudy>) {
  const values = evaluate({ field: 'value', formula: study.value })
  onStage('calendar', 0)
  const table = study.by === 'minutesToFunding' ? input.funding : undefined
  return {
    result: runSeasonalityStudy(panel, study, values, { checkpoint, table }),
    warnings: fundingWarnings(table ?? []),
  }
}

type CellKeys = Partial<Record<'weekday' | 'hour' | 'dayOfMonth' | 'minutesToFunding', number>>

const keysOf: Record<Exclude<SeasonalityKey, 'minutesToFunding'>, (timeMs: number) => CellKeys> = {
  hourWeekday: (timeMs) => ({ weekday: weekdayOf(timeMs), hour: hourOf(timeMs) }),
  hour: (timeMs) => ({ hour: hourOf(timeMs) }),
  weekday: (timeMs) => ({ weekday: weekdayOf(timeMs) }),
  dayOfMonth: (timeMs) => ({ dayOfMonth: dayOfMonthOf(timeMs) }),
}

/** Funding period of the rows of a panel, which say nothing of it. */
const panelPeriods = alwaysEvery(8 * MS_PER_HOUR, 'asked')

/** Returns the funding periods of each symbol; without a table, those that a panel is taken to have. */
const periodsOf = (symbols: readonly string[], table: readonly FundingRow[] | undefined): FundingPeriods[] => {
  const byName = table && periodsOfRows(table)
  return symbols.map((name) => (byName ? (byName.get(name) ?? []) : panelPeriods))
}

/**
 * Returns a predicate for the times at which a value belongs to a calendar cell.
 * @param table funding periods from the result of the study, where its cells are minutes to funding
 */
export function cellTest(
  by: SeasonalityKey,
  cell: CellKeys,
  table: readonly FundingRow[] | undefined,
): (timeMs: number) => boolean {
  if (by !== 'minutesToFunding')
    return (timeMs) => Object.entries(keysOf[by](timeMs)).every(([key, value]) => cell[key as keyof CellKeys] === value)
  const periods = table ? [...periodsOfRows(table).values()] : [panelPeriods]
  return (timeMs) => periods.some((one) => minutesToFunding(one, timeMs) === cell.minutesToFunding)
}

/** Number of values required to test a cell. */
const LEAST_TESTED_VALUES = 3

/**
 * Computes the mean over symbols at each time, and averages those means by calendar cell. Where cells are minutes to
 * funding, the mean at a time is over the symbols with the same minutes.
 * @param table funding periods by symbol; absent if the rows are those of a panel
 */
export function runSeasonalityStudy(
  panel: StudyPanel,
  study: SeasonalityStudy,
  matrix: CellRows<Float64Array>,
  { checkpoint = noCheckpoint, table }: { checkpoint?: Checkpoint; table?: readonly FundingRow[] | undefined } = {},
) {
  const { by } = study
  const periods = by === 'minutesToFunding' ? periodsOf(panel.symbols, table) : null
  const { times, minutes, values, used } = marketMeans(panel, matrix, periods, checkpoint)
  const mean = meanOf(values)
  const centred = study.center && mean !== null ? deviationsFrom(mean, values) : values
  const keysAt =
    by === 'minutesToFunding'
      ? (at: number) => ({ minutesToFunding: minutes[at] })
      : (at: number) => keysOf[by](times[at])
  const cells = calendarCells(centred, keysAt)
  const tested = cells.map(({ keys, values: cellValues }) => {
    const { n, mean: cellMean, sd, t, p } = estimateOf(cellValues)
    const median = quantileOf(cellValues.slice().sort(), 0.5)
    const isTested = n >= LEAST_TESTED_VALUES
    return { ...keys, n, mean: cellMean, median, sd, t: isTested ? t : null, p: isTested ? p : null }
  })
  const rates = falseDiscoveryRates(tested.map(({ p }) => p))
  return {
    attrition: attritionOf(valueAttrition(panel, matrix), used, periods !== null && table !== undefined),
    times: values.length,
    mean,
    tests: countTests(rates),
    cells: tested.map((cell, at) => ({ ...cell, q: rates[at] })),
  }
}

/** Counts the cells apart that have a value, but no known time to the next funding. */
function attritionOf(
  { used: valued, ...others }: ReturnType<typeof valueAttrition>,
  used: number,
  isByPeriod: boolean,
): ReturnType<typeof valueAttrition> & { noFundingTime?: number } {
  return { ...others, ...(isByPeriod && { noFundingTime: valued - used }), used }
}

/** Subtracts the mean; from values that do not vary it leaves 0, not the rounding error of the mean. */
const deviationsFrom = (mean: number, values: Float64Array): Float64Array =>
  varies(values) ? values.map((value) => value - mean) : new Float64Array(values.length)

/**
 * Averages the members with a value, at each time that has at least one.
 * @param periods funding periods by symbol, to average the members with the same minutes to funding; null for all members
 */
function marketMeans(
  panel: StudyPanel,
  matrix: CellRows<Float64Array>,
  periods: readonly FundingPeriods[] | null,
  checkpoint: Checkpoint,
) {
  const width = panel.symbols.length
  const times: number[] = []
  const minutes: number[] = []
  const values: number[] = []
  let used = 0
  const groups = new Map<number, { sum: number; count: number }>()
  for (const { from, to } of timeBlocks(panel)) {
    const cells = matrix.rows(from, to)
    const member = panel.member?.rows(from, to)
    for (let time = from, start = 0; time < to; time++, start += width) {
      if (time % TIMES_PER_CHECKPOINT === 0) checkpoint()
      const timeMs = timeAt(panel, time)
      groups.clear()
      for (let symbol = 0; symbol < width; symbol++) {
        const cell = start + symbol
        if (Number.isNaN(cells[cell]) || (member && !member[cell])) continue
        const key = periods ? minutesToFunding(periods[symbol], timeMs) : 0
        if (key === null) continue
        const group = groups.get(key)
        used++
        if (group) {
          group.sum += cells[cell]
          group.count++
        } else groups.set(key, { sum: cells[cell], count: 1 })
      }
      for (const [key, { sum, count }] of groups) {
        times.push(timeMs)
        minutes.push(key)
        values.push(sum / count)
      }
    }
  }
  return { times, minutes, values: Float64Array.from(values), used }
}

function calendarCells(values: Float64Array, keysAt: (at: number) => CellKeys) {
  const cellBySortKey = new Map<number, { keys: CellKeys; values: number[] }>()
  values.forEach((value, at) => {
    const keys = keysAt(at)
    // Combines the keys into one number that sorts as they do; only a single key may be above 1000.
    const sortKey = Object.values(keys).reduce((sum, key) => sum * 1000 + key, 0)
    const cell = cellBySortKey.get(sortKey) ?? { keys, values: [] }
    cell.values.push(value)
    cellBySortKey.set(sortKey, cell)
  })
  return [...cellBySortKey]
    .sort(([a], [b]) => a - b)
    .map(([, { keys, values: cellValues }]) => ({ keys, values: Float64Array.from(cellValues) }))
}
