import { DailyMarket } from '../../../../electron/sandbox/market/daily.ts'
import { answerPortfolio, type HistoryAccess } from '../../../../electron/sandbox/portfolio/answerPortfolio.ts'
import { World } from '../../../../electron/sandbox/portfolio/world.ts'

export interface Matrix {
  data: (number | null)[][]
  index: string[]
  columns: string[]
}

export interface Series {
  data: number[]
  index: string[]
  columns?: string[]
}

export interface Snapshot {
  data: (number | null)[]
  index: string
  columns: string[]
  createdAt: string
}

export interface LivePoint {
  data: number | null
  index: string
  createdAt?: string
}

export interface ErrorBody {
  error: string
  code: string
  details: Record<string, unknown>
}

export type Parameters = Record<string, string>

export const defaultNow = '2026-11-21T09:34:00Z'

/** Creates a separate portfolio service that has computed nothing yet. */
export function createService(seed = 1) {
  const world = new World(new DailyMarket(seed))
  const answer = (path: string, parameters: Parameters, now = defaultNow, access: HistoryAccess = {}) =>
    answerPortfolio(world, Date.parse(now), path, new URLSearchParams(parameters), access)

  /** Returns the body of a successful answer as a client reads it. */
  function ask<T>(path: string, parameters: Parameters, now = defaultNow, access: HistoryAccess = {}): T {
    const { status, body } = answer(path, parameters, now, access)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    return JSON.parse(JSON.stringify(body)) as T
  }
  return { answer, ask, market: world.market }
}
