import { dayOfNumber } from '../market/days.ts'
import { constraintOf, required, smoothingOf } from './parameters.ts'
import { ApiRefusal } from '../refusal.ts'
import type { PortfolioRequest } from './portfolioRequest.ts'
import { matrixOf, seriesOf, type JsonCell, type MatrixBody, type SeriesBody, type SnapshotBody } from './shapes.ts'
import type { Holding } from './study.ts'
import { findPortfolio } from './templates.ts'

function holdingOf({ query }: PortfolioRequest): Holding {
  const id = required(query, 'portfolio')
  const portfolio = findPortfolio(id)
  if (!portfolio) throw new ApiRefusal(404, 'unknown_portfolio', `Unknown portfolio: ${id}`, { portfolio: id })
  return {
    portfolio,
    smoothing: smoothingOf(query, portfolio.template.defaultSmoothing),
    constraint: constraintOf(query),
  }
}

/** Lists the positions of tickers that were held on any completed day or have a weight in `row`. */
function heldPlaces({ study, clock }: PortfolioRequest, holding: Holding, row?: Float64Array): number[] {
  const { start, rows } = study.weights(holding)
  const isInPortfolio = new Uint8Array(study.panel.tickers.length)
  for (const weights of [
    ...rows.slice(0, Math.max(0, study.indexOf(clock.closeDay) + 1 - start)),
    ...(row ? [row] : []),
  ]) {
    for (let t = 0; t < isInPortfolio.length; t++) if (weights[t] !== 0) isInPortfolio[t] = 1
  }
  return study.panel.tickers.map((_, t) => t).filter((t) => isInPortfolio[t] === 1)
}

/**
 * Returns a function that reads the cells of a row at `places`: null before the listing; later a ticker that is not
 * held has weight 0.
 */
function cellsOf({ study }: PortfolioRequest, places: number[]): (row: Float64Array, day: number) => JsonCell[] {
  const firstDays = places.map((t) => study.market.path(study.panel.tickers[t])?.asset.firstDay ?? Infinity)
  return (row, day) => places.map((t, i) => (day < firstDays[i] ? null : row[t]))
}

const namesOf = ({ study }: PortfolioRequest, places: number[]) => places.map((t) => study.panel.tickers[t])

export function historicalWeights(request: PortfolioRequest): MatrixBody {
  const holding = holdingOf(request)
  const { start, rows } = request.study.weights(holding)
  const places = heldPlaces(request, holding)
  const cells = cellsOf(request, places)
  return matrixOf(request.history(start), namesOf(request, places), (day) =>
    cells(rows[request.study.indexOf(day) - start], day),
  )
}

export function liveWeights(request: PortfolioRequest): SnapshotBody {
  const holding = holdingOf(request)
  const { clock, study } = request
  const { start, rows } = study.weights(holding)
  const isLatest = request.isLatest
  const day = isLatest ? clock.liveDay : clock.closeDay
  const row = isLatest ? request.live.weights(holding) : rows[study.indexOf(day) - start]
  const places = heldPlaces(request, holding, row)
  return {
    data: row ? cellsOf(request, places)(row, day) : [],
    index: dayOfNumber(day),
    columns: namesOf(request, places),
    createdAt: isLatest ? clock.liveCreatedAt : clock.closeCreatedAt,
  }
}

export function portfolioReturns(request: PortfolioRequest): SeriesBody {
  const holding = holdingOf(request)
  const { start } = request.study.weights(holding)
  const returns = request.study.returns(holding)
  const series = seriesOf(request.history(start + 1), (day) => returns[request.study.indexOf(day) - start - 1])
  return { ...series, columns: ['returns'] }
}
