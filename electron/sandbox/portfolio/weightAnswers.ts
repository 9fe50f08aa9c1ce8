import { dayOfNumber } from '../market/days.ts'
import { constraintOf, requiredValue, smoothingOf } from './parameters.ts'
import { ApiRefusal } from '../refusal.ts'
import type { SandboxPortfolioRequest } from './portfolioRequest.ts'
import { matrixOf, seriesReply, type JsonCell, type MatrixBody, type SeriesBody, type SnapshotBody } from './shapes.ts'
import type { PortfolioVariant } from './study.ts'
import { findPortfolio } from './templates.ts'

function variantOf({ query, venues }: SandboxPortfolioRequest): PortfolioVariant {
  const id = requiredValue(query, 'portfolio')
  const portfolio = findPortfolio(id)
  if (!portfolio) throw new ApiRefusal(404, 'unknown_portfolio', `Unknown portfolio: ${id}`, { portfolio: id })
  return {
    portfolio,
    smoothing: smoothingOf(query, portfolio.template.defaultSmoothing),
    constraint: constraintOf({ query, venues }),
  }
}

/** Lists the indexes of the tickers that had a weight on any completed day or have one in `row`. */
function weightedTickers(
  { study, clock }: SandboxPortfolioRequest,
  variant: PortfolioVariant,
  row?: Float64Array,
): number[] {
  const { start, rows } = study.weights(variant)
  const heldFlags = new Uint8Array(study.panel.tickers.length)
  for (const weights of [
    ...rows.slice(0, Math.max(0, study.indexOf(clock.closeDay) + 1 - start)),
    ...(row ? [row] : []),
  ]) {
    for (let t = 0; t < heldFlags.length; t++) if (weights[t] !== 0) heldFlags[t] = 1
  }
  return study.panel.tickers.map((_, t) => t).filter((t) => heldFlags[t] === 1)
}

/**
 * Returns a function that reads the cells of a row for these tickers: null before the listing; later a ticker that is
 * not held has weight 0.
 */
function cellsOf(
  { study }: SandboxPortfolioRequest,
  tickerIndexes: number[],
): (row: Float64Array, day: number) => JsonCell[] {
  const firstDays = tickerIndexes.map((t) => study.market.path(study.panel.tickers[t])?.asset.firstDay ?? Infinity)
  return (row, day) => tickerIndexes.map((t, i) => (day < firstDays[i] ? null : row[t]))
}

const namesOf = ({ study }: SandboxPortfolioRequest, tickerIndexes: number[]) =>
  tickerIndexes.map((t) => study.panel.tickers[t])

export function historicalWeights(request: SandboxPortfolioRequest): MatrixBody {
  const variant = variantOf(request)
  const { start, rows } = request.study.weights(variant)
  const tickerIndexes = weightedTickers(request, variant)
  const cells = cellsOf(request, tickerIndexes)
  return matrixOf(request.history(start), namesOf(request, tickerIndexes), (day) =>
    cells(rows[request.study.indexOf(day) - start], day),
  )
}

export function liveWeights(request: SandboxPortfolioRequest): SnapshotBody {
  const variant = variantOf(request)
  const { clock, study } = request
  const { start, rows } = study.weights(variant)
  const isLatest = request.isLatest
  const day = isLatest ? clock.liveDay : clock.closeDay
  const row = isLatest ? request.live.weights(variant) : rows[study.indexOf(day) - start]
  const tickerIndexes = weightedTickers(request, variant, row)
  return {
    data: row ? cellsOf(request, tickerIndexes)(row, day) : [],
    index: dayOfNumber(day),
    columns: namesOf(request, tickerIndexes),
    createdAt: isLatest ? clock.liveCreatedAt : clock.closeCreatedAt,
  }
}

export function portfolioReturns(request: SandboxPortfolioRequest): SeriesBody {
  const variant = variantOf(request)
  const { start } = request.study.weights(variant)
  const returns = request.study.returns(variant)
  const series = seriesReply(request.history(start + 1), (day) => returns[request.study.indexOf(day) - start - 1])
  return { ...series, columns: ['returns'] }
}
