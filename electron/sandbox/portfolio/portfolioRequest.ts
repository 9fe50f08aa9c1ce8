import { WORLD_START } from '../market/days.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { LiveView } from './live.ts'
import { asOfOf, rangeOf, type DayNumberRange } from './parameters.ts'
import { ApiRefusal } from '../refusal.ts'
import { snapshotClockAt, type SnapshotClock } from './snapshotClock.ts'
import type { MarketStudy } from './study.ts'
import type { World } from './world.ts'

/**
 * A request to the portfolio service: its parameters, the times of the snapshots on offer, and the study of the market.
 */
export class SandboxPortfolioRequest {
  readonly query: URLSearchParams
  /** Venues to which an answer may be limited. */
  readonly venues: readonly SandboxVenue[]
  readonly clock: SnapshotClock
  readonly study: MarketStudy
  readonly #world: World
  /** Last day of histories for this key. */
  readonly #lastHistoryDay: number

  constructor(
    world: World,
    nowMs: number,
    query: URLSearchParams,
    historyDelayDays: number,
    venues: readonly SandboxVenue[],
  ) {
    this.query = query
    this.venues = venues
    this.clock = snapshotClockAt(nowMs)
    this.study = world.study(this.clock.closeDay + 1)
    this.#world = world
    this.#lastHistoryDay = this.clock.closeDay - historyDelayDays
  }

  get live(): LiveView {
    return this.#world.live(this.study, this.clock.liveDay, this.clock.liveHour)
  }

  get isLatest(): boolean {
    return asOfOf(this.query, this.clock.defaultAsOf) === 'latest'
  }

  /** Returns the requested days, limited to those from row `start` of the panel to the last day of histories. */
  history(start: number): DayNumberRange {
    const first = WORLD_START + start
    return rangeOf(this.query, first, Math.max(first - 1, this.#lastHistoryDay))
  }

  /** Returns the indexes of tickers in the rows of the study. */
  indexesOfTickers(tickers: readonly string[]): number[] {
    const indexes = tickers.map((ticker) => this.study.panel.tickers.indexOf(ticker))
    const unknown = tickers.filter((_, i) => indexes[i] < 0)
    if (unknown.length === 0) return indexes
    throw new ApiRefusal(404, 'unknown_ticker', `Unknown ticker: ${unknown.join(', ')}`, { tickers: unknown })
  }
}
