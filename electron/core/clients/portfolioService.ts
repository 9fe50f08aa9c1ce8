/** Requests histories, snapshots and tickers from the portfolio service and parses the responses. */
import * as z from '#shared/schemas/lazySchemas.ts'
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import {
  type HistoryRequest,
  type LiveRequest,
  type PortfolioRequest,
  queryOf,
  tickersOf,
  type TickersRequest,
} from '#shared/catalog/portfolioRequest.ts'
import type { HistoryMatrix, PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import { type Day, MS_PER_DAY, parseDay } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { agree, plainPlural } from '#shared/units/plurals.ts'
import { AppError } from '#shared/contract/errors.ts'
import { RequestError, withRetries } from './httpErrors.ts'
import { parseResponse } from './parseResponse.ts'
import { isUsableName } from './redact.ts'
import type { ServiceRequest } from './serviceRequest.ts'

/** Days to request, both included; null where there is no limit. */
export interface RequestedDays {
  start: Day | null
  end: Day | null
}

/** A parsed response, with descriptions of the problems that were found in it. */
interface ParsedResponse<Value> {
  value: Value
  problems: string[]
}

/**
 * Client of the portfolio service. Requests state `as_of` and `exchange` wherever an endpoint has them, because the
 * service's defaults may change.
 */
export interface PortfolioService {
  history(request: HistoryRequest, days: RequestedDays, signal: AbortSignal): Promise<ParsedResponse<HistoryMatrix>>
  snapshot(request: LiveRequest, signal: AbortSignal): Promise<ParsedResponse<PortfolioSnapshot>>
  tickers(request: TickersRequest, signal: AbortSignal): Promise<ParsedResponse<string[]>>
}

const snapshotAnswer = z.looseObject({
  data: z.custom((data) => data !== undefined, 'is missing'),
  index: z.string(),
  createdAt: z.string().nullish(),
})
const columnsAnswer = z.looseObject({ columns: z.array(z.string()) })
const tickersAnswer = z.looseObject({ tickers: z.array(z.string().min(1).max(300)) })

/** Knows whether the service wants an overlay's portfolio without its universe size, as some do. */
interface OverlayNames {
  areBare(): boolean
  /** Called when an answer has shown that the names are the other way. */
  note(areBare: boolean): void
}

const neverBare: OverlayNames = { areBare: () => false, note: () => undefined }

export function createPortfolioService(send: ServiceRequest, overlays: OverlayNames = neverBare): PortfolioService {
  async function answerTo(request: PortfolioRequest, range: Record<string, string>, signal: AbortSignal) {
    const query = { ...queryOf(request), ...range }
    const ask = async (asked: Record<string, string>) =>
      (await send(endpointSpec(request.endpoint).path, asked, signal, { packNumbers: true })).value
    const bare = bareQuery(request, query)
    if (bare === null) return ask(query)
    const areBare = overlays.areBare()
    try {
      return await ask(areBare ? bare : query)
    } catch (thrown) {
      if (!isUnknown(thrown)) throw thrown
      const answer = await ask(areBare ? query : bare).catch((other: unknown) => {
        throw isUnknown(other) ? thrown : other
      })
      overlays.note(!areBare)
      return answer
    }
  }
  return {
    async history(request, { start, end }, signal) {
      const range = { ...(start !== null && { start_date: start }), ...(end !== null && { end_date: end }) }
      const { matrix, problems } = readMatrix(await answerTo(request, range, signal), unnamedColumn(request))
      return { value: matrix, problems: [...problems, ...missingTickers(request, matrix.columns)] }
    },
    async snapshot(request, signal) {
      const answer = await answerTo(request, {}, signal)
      const { data, index, createdAt } = parseResponse(snapshotAnswer, answer)
      const isPoint = endpointSpec(request.endpoint).answer === 'point'
      const columns = isPoint ? ['value'] : parseResponse(columnsAnswer, answer).columns
      const values = isPoint ? pointOf(data) : valuesOf(data, columns.length)
      if (new Set(columns).size < columns.length) throw new RequestError('bad-answer', 'columns: a name appears twice')
      return {
        value: { day: readDay(index, 'index'), createdAtMs: readCreated(createdAt), columns, values },
        problems: [...dropTooLarge(values), ...missingTickers(request, columns)],
      }
    },
    async tickers(request, signal) {
      const answer = await withRetries(() => answerTo(request, {}, signal), signal)
      const { tickers } = parseResponse(tickersAnswer, answer)
      const [unique, repeated] = [new Set<string>(), new Set<string>()]
      for (const ticker of tickers) (unique.has(ticker) ? repeated : unique).add(ticker)
      return {
        value: [...unique],
        problems: repeated.size > 0 ? [`the service’s response repeats ${plainPlural(repeated.size, 'ticker')}`] : [],
      }
    },
  }
}

const isUnknown = (thrown: unknown) => thrown instanceof AppError && thrown.service?.status === 404

/** Leaves out the universe size of an overlay's portfolio; null for a request that names none. */
function bareQuery(request: PortfolioRequest, query: Record<string, string>): Record<string, string> | null {
  if (request.endpoint !== 'overlay' && request.endpoint !== 'overlay-live') return null
  const portfolio = query.portfolio.replace(/\.(full|\d+)$/, '')
  return portfolio === query.portfolio ? null : { ...query, portfolio }
}

/** Name of the single column of a response without column names; null if the response must name its columns. */
function unnamedColumn(request: HistoryRequest): string | null {
  const { answer } = endpointSpec(request.endpoint)
  if (answer === 'series') return request.endpoint === 'returns' ? 'returns' : 'value'
  const tickers = tickersOf(request) ?? []
  return answer === 'prices' && tickers.length === 1 ? tickers[0] : null
}

function missingTickers(request: PortfolioRequest, columns: readonly string[]): string[] {
  const presentColumns = new Set(columns)
  const missing = (tickersOf(request) ?? []).filter((ticker) => !presentColumns.has(ticker))
  return missing.length > 0 ? [`missing from the service’s response: ${missing.join(', ')}`] : []
}

function pointOf(data: unknown): Float64Array {
  if (data === null || typeof data === 'number') return Float64Array.of(Number.isFinite(data) ? (data as number) : NaN)
  throw new RequestError('bad-answer', 'data: neither a number nor null')
}

function valuesOf(data: unknown, count: number): Float64Array {
  const values = Array.isArray(data) && data.length === 0 ? new Float64Array(0) : data
  if (!(values instanceof Float64Array)) throw new RequestError('bad-answer', 'data: not a list of numbers and nulls')
  if (values.length === count) return values
  throw new RequestError(
    'bad-answer',
    `data: ${plainPlural(values.length, 'value')} for ${plainPlural(count, 'column')}`,
  )
}

/** A Matrix or a Series of the portfolio service, from JSON whose lists of numbers are packed. */
const matrixAnswer = z.looseObject({
  data: z.union([z.instanceof(Float64Array), z.array(z.unknown())], 'is not a list'),
  index: z.array(z.string()),
  columns: z
    .array(z.string().refine(isUsableName, 'is a name that contains the API key or an incomplete character'))
    .nullish(),
})

const badAnswerError = (message: string) => new RequestError('bad-answer', message)

/**
 * Reads a Matrix or a Series.
 * @param singleColumnName name of the single column of a response without `columns`; null if `columns` is required
 */
function readMatrix(answer: unknown, singleColumnName: string | null): { matrix: HistoryMatrix; problems: string[] } {
  const { data, index, columns: named } = parseResponse(matrixAnswer, answer)
  if (!named && singleColumnName === null)
    throw badAnswerError('columns: missing, although several columns were requested')
  const columns = named ?? [singleColumnName ?? '']
  if (singleColumnName !== null && columns.length > 1)
    throw badAnswerError(`columns: ${columns.length} names instead of one`)
  if (new Set(columns).size < columns.length) throw badAnswerError('columns: a name appears twice')
  if (data.length !== index.length)
    throw badAnswerError(`data: ${plainPlural(data.length, 'row')} for ${plainPlural(index.length, 'date')} of index`)
  const days = Int32Array.from(index, (text, row) => readDay(text, `index.${row}`))
  const values = flatValues(data, index, columns.length)
  const sizeProblems = dropTooLarge(values)
  const { matrix, problems } = sortedByDay({ days, columns, values })
  return { matrix, problems: [...sizeProblems, ...problems] }
}

/** Largest plausible value; sums and products of larger values could overflow. */
const LARGEST_PLAUSIBLE = 1e100

/** Replaces implausibly large values by NaN and describes how many there were. */
function dropTooLarge(values: Float64Array): string[] {
  let count = 0
  values.forEach((value, index) => {
    if (!(Math.abs(value) > LARGEST_PLAUSIBLE)) return
    values[index] = NaN
    count++
  })
  if (count === 0) return []
  return [`${agree(count, 'one value is', `${count} values are`)} implausibly large and treated as missing`]
}

/** Flattens the values row by row; a list of plain numbers is a single column. */
function flatValues(data: Float64Array | unknown[], index: readonly string[], width: number): Float64Array {
  if (data instanceof Float64Array) {
    if (width === 1) return data
    throw badAnswerError(`data: single numbers for ${plainPlural(width, 'column')}`)
  }
  const values = new Float64Array(data.length * width)
  data.forEach((row, rowIndex) => {
    const cells = Array.isArray(row) && row.length === 0 ? new Float64Array(0) : row
    const where = `data.${rowIndex} (${index[rowIndex]})`
    if (!(cells instanceof Float64Array)) throw badAnswerError(`${where}: not a list of numbers and nulls`)
    if (cells.length !== width)
      throw badAnswerError(`${where}: ${plainPlural(cells.length, 'value')} for ${plainPlural(width, 'column')}`)
    values.set(cells, rowIndex * width)
  })
  return values
}

/** Sorts the days in ascending order; the last of several rows of one day wins. */
function sortedByDay(matrix: HistoryMatrix): { matrix: HistoryMatrix; problems: string[] } {
  const { days, columns, values } = matrix
  if (days.every((day, row) => row === 0 || day > days[row - 1])) return { matrix, problems: [] }
  const rowByDay = new Map<DayNumber, number>()
  days.forEach((day, row) => rowByDay.set(day, row))
  const sortedDays = Int32Array.from(rowByDay.keys()).sort()
  const width = columns.length
  const sortedValues = new Float64Array(sortedDays.length * width)
  sortedDays.forEach((day, index) => {
    const row = rowByDay.get(day) ?? 0
    sortedValues.set(values.subarray(row * width, (row + 1) * width), index * width)
  })
  const duplicates = days.length - sortedDays.length
  const isUnsorted = days.some((day, row) => row > 0 && day < days[row - 1])
  return {
    matrix: { days: sortedDays, columns, values: sortedValues },
    problems: [
      ...(duplicates > 0
        ? [
            `${agree(duplicates, 'one row repeats', `${duplicates} rows repeat`)} an earlier date; the last row of each date was used`,
          ]
        : []),
      ...(isUnsorted ? ['the dates were out of order and have been sorted'] : []),
    ],
  }
}

/**
 * Parses a date, with or without a time of 00:00.
 * @param where the field, to name in the error
 */
function readDay(text: string, where: string): DayNumber {
  const [, date] = /^(\d{4}-\d{2}-\d{2})(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]00:?00)?)?$/.exec(text) ?? []
  const startMs = date === undefined ? null : parseDay(date)
  if (startMs === null) throw badAnswerError(`${where}: “${text.slice(0, 40)}” is not a date`)
  return startMs / MS_PER_DAY
}

/** Parses a timestamp to milliseconds; it counts as UTC if it has no time zone. */
function readInstant(text: string, where: string): number {
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(text.trim()) ?? []
  const timeMs = date === undefined ? NaN : Date.parse(`${date}T${shortTime(time)}${colonZone(zone)}`)
  if (Number.isNaN(timeMs)) throw badAnswerError(`${where}: “${text.slice(0, 40)}” is not a time`)
  return timeMs
}

/** Parses the time at which an answer was generated; null if the service does not say. */
const readCreated = (text: string | null | undefined) => (text ? readInstant(text, 'createdAt') : null)

/** Cuts fractions of a second to milliseconds, because JavaScript engines parse finer ones differently. */
const shortTime = (time: string) => time.replace(/(\.\d{3})\d+$/, '$1')

const colonZone = (zone: string | undefined) => (zone ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
