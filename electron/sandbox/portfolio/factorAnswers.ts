import { dayOfNumber } from '../market/days.ts'
import { findFactor, type Factor } from './factors.ts'
import { listOf, required, smoothingOf } from './parameters.ts'
import { Refusal } from '../refusal.ts'
import type { PortfolioRequest } from './portfolioRequest.ts'
import { roundedTo } from './rounding.ts'
import { cellOf, matrixOf, type Matrix, type Snapshot } from './shapes.ts'

function factorOf({ query }: PortfolioRequest): Factor {
  const id = required(query, 'id')
  const factor = findFactor(id)
  if (factor) return factor
  throw new Refusal(404, 'unknown_factor', `Unknown factor: ${id}`, { id })
}

/** The mean of the days that have a value, of `smoothing` days at most; NaN where the last of them has none. */
function smoothedValue(rows: readonly Float64Array[], place: number, i: number, smoothing: number): number {
  if (i < 0 || Number.isNaN(rows[i][place])) return Number.NaN
  let sum = 0
  let count = 0
  for (let j = Math.max(0, i - Math.max(1, smoothing) + 1); j <= i; j++) {
    const value = rows[j][place]
    if (Number.isNaN(value)) continue
    sum += value
    count++
  }
  return roundedTo(sum / count, 1e10)
}

export function historicalFactors(request: PortfolioRequest): Matrix {
  const factor = factorOf(request)
  const tickers = listOf(request.query, 'tickers')
  const places = request.placesOf(tickers)
  const smoothing = smoothingOf(request.query, factor.defaultSmoothing)
  const rows = request.study.factorRows(factor.id)
  return matrixOf(request.history(0), tickers, (day) =>
    places.map((place) => cellOf(smoothedValue(rows, place, request.study.indexOf(day), smoothing))),
  )
}

export function liveFactors(request: PortfolioRequest): Snapshot {
  const factor = factorOf(request)
  const tickers = listOf(request.query, 'tickers')
  const places = request.placesOf(tickers)
  const smoothing = smoothingOf(request.query, factor.defaultSmoothing)
  const { clock, study, isLatest } = request
  const day = isLatest ? clock.liveDay : clock.closeDay
  const history = study.factorRows(factor.id).slice(0, Math.max(0, study.indexOf(day) + (isLatest ? 0 : 1)))
  const rows = isLatest ? [...history, request.live.factorRow(factor.id)] : history
  return {
    data: places.map((place) => cellOf(smoothedValue(rows, place, rows.length - 1, smoothing))),
    index: dayOfNumber(day),
    columns: tickers,
    createdAt: isLatest ? clock.liveCreatedAt : clock.closeCreatedAt,
  }
}
