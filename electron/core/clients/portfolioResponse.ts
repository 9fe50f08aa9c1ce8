import { z } from 'zod'
import type { DayMatrix } from '#shared/portfolio/dailyMatrix.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { RequestError } from './httpErrors.ts'
import { parseResponse } from './parseResponse.ts'
import { isUsableName } from './redact.ts'

/** Reading what document 2 calls a Matrix or a Series, from JSON whose lists of numbers are packed. */

const matrixAnswer = z.looseObject({
  data: z.union([z.instanceof(Float64Array), z.array(z.unknown())], 'is not a list'),
  index: z.array(z.string()),
  columns: z
    .array(z.string().refine(isUsableName, 'is a name that contains the API key or half a character'))
    .nullish(),
})

const wrong = (message: string) => new RequestError('bad-answer', message)

/** @param unnamed what the one column is called where the answer has no `columns`; null where it must have them */
export function readMatrix(answer: unknown, unnamed: string | null): { matrix: DayMatrix; problems: string[] } {
  const { data, index, columns: named } = parseResponse(matrixAnswer, answer)
  if (!named && unnamed === null) throw wrong('columns: missing, though several columns were asked for')
  const columns = named ?? [unnamed ?? '']
  if (unnamed !== null && columns.length > 1) throw wrong(`columns: ${columns.length} names where one was asked for`)
  if (new Set(columns).size < columns.length) throw wrong('columns: a name stands twice')
  if (data.length !== index.length) throw wrong(`data: ${data.length} rows for ${index.length} dates of index`)
  const days = Int32Array.from(index, (text, row) => readDay(text, `index.${row}`))
  const values = flatValues(data, index, columns.length)
  const tooLarge = takeAwayTooLarge(values)
  const { matrix, problems } = inOrder({ days, columns, values })
  return { matrix, problems: [...tooLarge, ...problems] }
}

/** Nothing that is measured is as large; sums and products of such would be no numbers any more. */
const LARGEST = 1e100

/** Makes what is too large to be meant missing, and says how many those were. */
export function takeAwayTooLarge(values: Float64Array): string[] {
  let count = 0
  values.forEach((value, at) => {
    if (!(Math.abs(value) > LARGEST)) return
    values[at] = NaN
    count++
  })
  if (count === 0) return []
  return [`${count === 1 ? 'one value is' : `${count} values are`} too large to be meant: taken as missing`]
}

/** Flattens the values row by row. A list of plain numbers is one column. */
function flatValues(data: Float64Array | unknown[], index: readonly string[], width: number): Float64Array {
  if (data instanceof Float64Array) {
    if (width === 1) return data
    throw wrong(`data: single numbers for ${width} columns`)
  }
  const values = new Float64Array(data.length * width)
  data.forEach((row, at) => {
    const cells = Array.isArray(row) && row.length === 0 ? new Float64Array(0) : row
    const where = `data.${at} (${index[at]})`
    if (!(cells instanceof Float64Array)) throw wrong(`${where}: not a list of numbers and nulls`)
    if (cells.length !== width) throw wrong(`${where}: ${cells.length} values for ${width} columns`)
    values.set(cells, at * width)
  })
  return values
}

/** Sorts the days ascending and keeps each once: of several rows of one day, the last one is used. */
function inOrder(matrix: DayMatrix): { matrix: DayMatrix; problems: string[] } {
  const { days, columns, values } = matrix
  if (days.every((day, row) => row === 0 || day > days[row - 1])) return { matrix, problems: [] }
  const rowOfDay = new Map<DayNumber, number>()
  days.forEach((day, row) => rowOfDay.set(day, row))
  const sortedDays = Int32Array.from(rowOfDay.keys()).sort()
  const width = columns.length
  const sorted = new Float64Array(sortedDays.length * width)
  sortedDays.forEach((day, at) => {
    const row = rowOfDay.get(day) ?? 0
    sorted.set(values.subarray(row * width, (row + 1) * width), at * width)
  })
  const twice = days.length - sortedDays.length
  const isUnsorted = days.some((day, row) => row > 0 && day < days[row - 1])
  return {
    matrix: { days: sortedDays, columns, values: sorted },
    problems: [
      ...(twice > 0
        ? [
            `${twice === 1 ? 'one row' : `${twice} rows`} had a date that stood there before; the last of each date counts`,
          ]
        : []),
      ...(isUnsorted ? ['the dates were out of order and have been sorted'] : []),
    ],
  }
}

/** A date, also one that is written as its first instant. */
export function readDay(text: string, where: string): DayNumber {
  const [, date] = /^(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?)?$/.exec(text) ?? []
  const startMs = date === undefined ? null : parseDay(date)
  if (startMs === null) throw wrong(`${where}: “${text.slice(0, 40)}” is not a date`)
  return startMs / MS_PER_DAY
}

/** An instant; without a zone it is UTC. */
export function readInstant(text: string, where: string): number {
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(text.trim()) ?? []
  const timeMs = date === undefined ? NaN : Date.parse(`${date}T${shortTime(time)}${colonZone(zone)}`)
  if (Number.isNaN(timeMs)) throw wrong(`${where}: “${text.slice(0, 40)}” is not a time`)
  return timeMs
}

/** To the millisecond: finer fractions are not read alike everywhere. */
const shortTime = (time: string) => time.replace(/(\.\d{3})\d+$/, '$1')

const colonZone = (zone: string | undefined) => (zone ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
