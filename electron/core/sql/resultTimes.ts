import { sqlColumnName } from '#shared/catalog/sqlSeries.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { isNumberType } from '#shared/sql/resultType.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import {
  amountUnitAt,
  commonUnit,
  countsIn,
  parseUnit,
  type Unit,
  unitText,
  UNIT_UNKNOWN,
  type UnitFacts,
} from '#shared/units/measureUnits.ts'
import type { TimeTable } from '#core/parquet/timeTable.ts'
import { type ResultUnit, uniqueNames } from './resultFile.ts'
import type { OpenedQuery } from './sqlService.ts'

type Values = (number | null)[]

/** Columns of a result that become series: times, numbers, and texts that distinguish the series. */
interface SeriesInput {
  times: Values
  numbers: (ResultUnit & { label: string; values: Values })[]
  texts: string[][]
  /** Venue of each row; null if the result does not say. */
  exchanges: string[] | null
  venues: UnitFacts
}

/** Reads the columns of a result that become series; throws if it has no times or numbers. */
export async function readResultColumns(
  { columns, venueColumn, venues }: OpenedQuery,
  pages: AsyncIterable<Frame>,
): Promise<SeriesInput> {
  const names = uniqueNames(columns)
  const timeIndex = columns.findIndex(({ kind }) => kind === 'time')
  const isNumber = (at: number) => columns[at].kind === 'number' || isNumberType(columns[at].type)
  const numbers = [...columns.keys()].filter(isNumber)
  const texts = [...columns.keys()].filter((at) => columns[at].kind === 'text' && !isNumber(at))
  if (timeIndex < 0)
    throw new AppError('bad-input', 'A series needs a column of timestamps or dates; this result has none.')
  if (numbers.length === 0) throw new AppError('bad-input', 'A series needs a column of numbers; this result has none.')
  const rows: SeriesInput = {
    times: [],
    numbers: numbers.map((at) => ({ ...columns[at], label: names[at], values: [] })),
    texts: texts.map(() => []),
    exchanges: null,
    venues,
  }
  rows.exchanges = rows.texts[texts.indexOf(venueColumn)] ?? null
  for await (const frame of pages)
    for (let row = 0; row < frame.rows; row++) {
      rows.times.push(cellOf(frame.columns[timeIndex], row) as number | null)
      numbers.forEach((at, place) => rows.numbers[place].values.push(numberOf(cellOf(frame.columns[at], row))))
      texts.forEach((at, place) => rows.texts[place].push(String(cellOf(frame.columns[at], row) ?? '')))
    }
  return rows
}

/** Decimals, and integers too long for a double, are texts in a result. */
const numberOf = (cell: number | string | null) => (cell === null ? null : Number(cell))

/**
 * Returns the unit of a column in a series. If the unit differs between venues, a series of a single venue gets that
 * venue's unit, and a series of several or unknown venues gets a mixed unit.
 */
function seriesUnit({ unit, warning }: ResultUnit, exchanges: ReadonlySet<string>, venues: UnitFacts): string | null {
  // A warning may also tell of rows that are read twice, which says nothing of the unit.
  const mixedUnit = warning?.split('; ').find((text) => parseUnit(text).kind === 'mixed')
  if (mixedUnit !== undefined) return mixedUnit
  const units = unit?.split(' or ').map(parseUnit) ?? []
  const [exchange = ''] = exchanges
  const isOfVenue = (each: Unit) => countsIn(each, amountUnitAt(exchange, venues))
  const unitsOfVenue = exchanges.size === 1 ? units.filter(isOfVenue) : []
  if (unit === UNIT_UNKNOWN) return null
  return units.length < 2 ? unit : unitText(commonUnit(unitsOfVenue.length === 1 ? unitsOfVenue : units))
}

/** Maximum number of series per result. */
const MOST_SERIES = 60
const LEAST_STEP_MS = 1000

/**
 * Arranges the rows in a table by time. If a time occurs in several rows, the rows are split by their texts, for
 * example into one series per symbol. The step is the longest duration of which all times of day are multiples; it also
 * divides `stepMs`, unless that is 0.
 */
export function timeTableOf(
  { times, numbers, texts, exchanges, venues }: SeriesInput,
  stepMs: number,
): { table: TimeTable; stepMs: number } {
  const sortedTimes = Float64Array.from(new Set(times.filter((time) => time !== null))).sort()
  if (sortedTimes.length === 0)
    throw new AppError('not-found', 'The result has no row with a time, so there is no series.')
  const step = sortedTimes.reduce(
    (common, time) => commonDivisor(common, Math.abs(time) % MS_PER_DAY),
    stepMs || MS_PER_DAY,
  )
  if (!(step >= LEAST_STEP_MS))
    throw new AppError(
      'bad-input',
      'The times of a series must be whole seconds. Round them with bucket or date_trunc, and GROUP BY the result.',
    )
  const rows = times.flatMap((time, row) => (time === null ? [] : [row]))
  const hasUniqueTimes = rows.length === sortedTimes.length
  const keys = times.map((_, row) => (hasUniqueTimes ? '' : texts.map((each) => each[row]).join(' · ')))
  const groups = [...new Set(rows.map((row) => keys[row]))].sort()
  if (groups.length * numbers.length > MOST_SERIES)
    throw new AppError(
      'too-large',
      `The result would make ${groups.length * numbers.length} series; ${MOST_SERIES} is the limit. Choose fewer symbols or columns.`,
    )
  const indexByTime = new Map(Array.from(sortedTimes, (time, at) => [time, at]))
  const seen = new Set<string>()
  const rowsByGroup = Map.groupBy(rows, (row) => keys[row])
  const exchangesByGroup = groups.map(
    (group) => new Set(rowsByGroup.get(group)!.flatMap((row) => exchanges?.[row] ?? [])),
  )
  const columns = numbers.flatMap(({ label, ...resultUnit }) =>
    groups.map((group, at) => ({
      name: sqlColumnName(
        group === '' ? columnLabel(label) : `${label} · ${group}`,
        seriesUnit(resultUnit, exchangesByGroup[at], venues),
      ),
      values: Array.from<number | null>({ length: sortedTimes.length }).fill(null),
    })),
  )
  const groupIndexByKey = new Map(groups.map((group, at) => [group, at]))
  for (const row of rows) {
    const group = groupIndexByKey.get(keys[row])!
    const at = indexByTime.get(times[row]!)!
    const cellKey = `${group} ${at}`
    if (seen.has(cellKey)) throw severalRowsError(times[row]!, keys[row])
    seen.add(cellKey)
    numbers.forEach(({ values }, place) => (columns[place * groups.length + group].values[at] = values[row]))
  }
  return { table: { times: [...sortedTimes], columns }, stepMs: step }
}

/** Renames a number column that has the name of the file's time column. */
const columnLabel = (label: string): string => (label === 'time' ? 'time_1' : label)

function severalRowsError(timeMs: number, key: string): AppError {
  const where = `${new Date(timeMs).toISOString()}${key === '' ? '' : ` (${key})`}`
  return new AppError(
    'bad-input',
    `The result has several rows at ${where}. A series has one row per time: GROUP BY the time, or keep the column that distinguishes the rows.`,
  )
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))
