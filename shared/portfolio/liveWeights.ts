import { MS_PER_DAY, MS_PER_HOUR } from '#shared/time.ts'

/** Weights by ticker; null is "no weight". */
export type TickerWeights = ReadonlyMap<string, number | null>

export interface WeightChange {
  ticker: string
  latest: number | null
  close: number | null
  /** Latest minus close, a null weight counted as 0. */
  change: number
}

/** `latest` beside `close`, the largest change first, and the turnover from one to the other. */
export function weightChanges(
  latest: TickerWeights,
  close: TickerWeights,
): { changes: WeightChange[]; twoWayTurnover: number } {
  const tickers = [...new Set([...latest.keys(), ...close.keys()])]
  const changes = tickers.map((ticker): WeightChange => {
    const now = latest.get(ticker) ?? null
    const before = close.get(ticker) ?? null
    return { ticker, latest: now, close: before, change: (now ?? 0) - (before ?? 0) }
  })
  changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change) || (a.ticker < b.ticker ? -1 : 1))
  return { changes, twoWayTurnover: changes.reduce((sum, { change }) => sum + Math.abs(change), 0) }
}

const REFRESH_AFTER_HOUR_MS = 5 * 60_000
/** "About" five minutes past the hour: only what is later than this counts as missed. */
const REFRESH_SLACK_MS = 5 * 60_000
const MISSED_REBALANCE_MS = 10 * MS_PER_HOUR

export interface Staleness {
  /** Age of the snapshot; negative if this machine's clock is slow. */
  ageMs: number
  /** Hourly refreshes since then that should have come; 0 for a fresh one. */
  missedRefreshes: number
}

export function stalenessOf(createdAtMs: number, nowMs: number): Staleness {
  const refreshesUntil = (timeMs: number) => Math.floor((timeMs - REFRESH_AFTER_HOUR_MS) / MS_PER_HOUR)
  const missed = refreshesUntil(nowMs - REFRESH_SLACK_MS) - refreshesUntil(createdAtMs)
  return { ageMs: nowMs - createdAtMs, missedRefreshes: Math.max(0, missed) }
}

export interface RebalanceClock {
  sinceMidnightMs: number
  untilMidnightMs: number
  /** `latest` is meant for those who missed the UTC-midnight rebalance by 10 hours or more. */
  isLatestRecommended: boolean
}

/** Finds the place of now between two rebalances at UTC midnight. */
export function rebalanceClock(nowMs: number): RebalanceClock {
  const sinceMidnightMs = nowMs - Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY
  return {
    sinceMidnightMs,
    untilMidnightMs: MS_PER_DAY - sinceMidnightMs,
    isLatestRecommended: sinceMidnightMs >= MISSED_REBALANCE_MS,
  }
}
