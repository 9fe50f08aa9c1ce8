import { constraintOf, listOf, oneOf, required } from './parameters.ts'
import { Refusal } from '../refusal.ts'
import type { PortfolioRequest } from './portfolioRequest.ts'
import { cellOf, matrixOf, seriesOf, type Matrix, type Series } from './shapes.ts'
import { findTemplate, isMultiFactor, type UniverseSize } from './templates.ts'

const sizes: Record<string, UniverseSize> = { '20': 20, '30': 30, '40': 40, full: 'full' }

function sizeOf({ query }: PortfolioRequest, name: string, allowed: readonly string[]): UniverseSize {
  required(query, name)
  return sizes[oneOf(query, name, allowed) ?? '']
}

/** The tickers a factor or a portfolio chooses from now. */
export function portfolioTickers(request: PortfolioRequest): { tickers: string[] } {
  const id = required(request.query, 'id')
  const size = sizeOf(request, 'universe_size', ['20', '30', '40', 'full'])
  const constraint = constraintOf(request.query)
  const template = findTemplate(id)
  if (!template) throw new Refusal(404, 'unknown_id', `Unknown factor or portfolio: ${id}`, { id })
  if (size === 'full' && isMultiFactor(template)) {
    throw new Refusal(400, 'invalid_parameter', 'multi-factor portfolios cannot use full', {
      parameter: 'universe_size',
      value: 'full',
      allowed: ['20', '30', '40'],
    })
  }
  const members = request.study.membersOn(size, constraint, request.study.indexOf(request.clock.closeDay))
  return { tickers: request.study.panel.tickers.filter((_, place) => members[place] === 1) }
}

export function universe(request: PortfolioRequest): Matrix {
  const { study, clock } = request
  const size = sizeOf(request, 'size', ['20', '30', '40'])
  const members = study.members(size, constraintOf(request.query))
  const width = study.panel.tickers.length
  const last = study.indexOf(clock.closeDay)
  const first = Math.floor(members.indexOf(1) / width)
  const everMember = new Uint8Array(width)
  for (let i = first; i <= last; i++) {
    for (let place = 0; place < width; place++) everMember[place] |= members[i * width + place]
  }
  const places = study.panel.tickers.map((_, place) => place).filter((place) => everMember[place] === 1)
  const names = places.map((place) => study.panel.tickers[place])
  return matrixOf(request.history(first), names, (day) => {
    const row = study.indexOf(day) * width
    return places.map((place) => (members[row + place] === 1 ? 1 : null))
  })
}

/** Answers for one ticker with the legacy series without nulls. Several: a matrix on one range of dates. */
export function price(request: PortfolioRequest): Series | Matrix {
  const tickers = listOf(request.query, 'ticker')
  const places = request.placesOf(tickers)
  const range = request.history(0)
  const closeOf = (place: number, day: number) => request.study.panel.series[place].close[request.study.indexOf(day)]
  if (places.length === 1) return seriesOf(range, (day) => closeOf(places[0], day))
  return matrixOf(range, tickers, (day) => places.map((place) => cellOf(closeOf(place, day))))
}
