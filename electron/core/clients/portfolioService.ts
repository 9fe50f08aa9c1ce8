import { z } from 'zod'
import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import {
  queryOf,
  tickersOf,
  type HistoryRequest,
  type LiveRequest,
  type PortfolioRequest,
  type TickersRequest,
} from '#shared/catalog/portfolioRequest.ts'
import type { DayMatrix, Snapshot } from '#shared/portfolio/dailyMatrix.ts'
import type { Day } from '#shared/time.ts'
import { RequestError } from './httpErrors.ts'
import { readDay, readInstant, readMatrix, takeAwayTooLarge } from './portfolioResponse.ts'
import type { ServiceRequest } from './serviceRequest.ts'
import { parseResponse } from './parseResponse.ts'

/** Days to ask for, both included; null where there is no limit. */
export interface AskedDays {
  start: Day | null
  end: Day | null
}

/** An answer, and what was odd in it but could be put right, in words. */
export interface ParsedResponse<Value> {
  value: Value
  problems: string[]
}

/** Document 2: the portfolio service. `as_of` and `exchange` are always said, never left to the service. */
export interface PortfolioService {
  history(request: HistoryRequest, days: AskedDays, signal: AbortSignal): Promise<ParsedResponse<DayMatrix>>
  snapshot(request: LiveRequest, signal: AbortSignal): Promise<ParsedResponse<Snapshot>>
  tickers(request: TickersRequest, signal: AbortSignal): Promise<ParsedResponse<string[]>>
}

const snapshotAnswer = z.looseObject({
  data: z.custom((data) => data !== undefined, 'is missing'),
  index: z.string(),
  createdAt: z.string(),
})
const columnsAnswer = z.looseObject({ columns: z.array(z.string()) })
const tickersAnswer = z.looseObject({ tickers: z.array(z.string().min(1).max(300)) })

export function portfolioService(ask: ServiceRequest): PortfolioService {
  async function answerTo(request: PortfolioRequest, range: Record<string, string>, signal: AbortSignal) {
    const query = { ...queryOf(request), ...range }
    return (await ask(endpointSpec(request.endpoint).path, query, signal, { packNumbers: true })).value
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
      if (new Set(columns).size < columns.length) throw new RequestError('bad-answer', 'columns: a name stands twice')
      return {
        value: { day: readDay(index, 'index'), createdAtMs: readInstant(createdAt, 'createdAt'), columns, values },
        problems: [...takeAwayTooLarge(values), ...missingTickers(request, columns)],
      }
    },
    async tickers(request, signal) {
      const { tickers } = parseResponse(tickersAnswer, await answerTo(request, {}, signal))
      const unique = [...new Set(tickers)]
      const twice = tickers.length - unique.length
      return { value: unique, problems: twice > 0 ? [`${twice} tickers stood in the answer more than once`] : [] }
    },
  }
}

/** Name of the only column of an answer that does not name it; null if it must be named. */
function unnamedColumn(request: HistoryRequest): string | null {
  const { answer } = endpointSpec(request.endpoint)
  if (answer === 'series') return request.endpoint === 'returns' ? 'returns' : 'value'
  const tickers = tickersOf(request) ?? []
  return answer === 'prices' && tickers.length === 1 ? tickers[0] : null
}

function missingTickers(request: PortfolioRequest, columns: readonly string[]): string[] {
  const there = new Set(columns)
  const missing = (tickersOf(request) ?? []).filter((ticker) => !there.has(ticker))
  return missing.length > 0 ? [`not in the service’s answer: ${missing.join(', ')}`] : []
}

function pointOf(data: unknown): Float64Array {
  if (data === null || typeof data === 'number') return Float64Array.of(Number.isFinite(data) ? (data as number) : NaN)
  throw new RequestError('bad-answer', 'data: neither a number nor null')
}

function valuesOf(data: unknown, count: number): Float64Array {
  const values = Array.isArray(data) && data.length === 0 ? new Float64Array(0) : data
  if (!(values instanceof Float64Array)) throw new RequestError('bad-answer', 'data: not a list of numbers and nulls')
  if (values.length === count) return values
  throw new RequestError('bad-answer', `data: ${values.length} values for ${count} columns`)
}
