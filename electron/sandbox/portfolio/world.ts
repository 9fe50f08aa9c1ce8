import { dailyMarketOf, type DailyMarket } from '../market/daily.ts'
import { WORLD_START } from '../market/days.ts'
import { Memo } from '../market/memo.ts'
import { LiveView } from './live.ts'
import { MarketStudy } from './study.ts'

/** Studies are computed up to the next multiple of this many days, so that a moving clock rarely needs a new study. */
const horizonDays = 128

/** A synthetic market and the results computed from it. */
export class World {
  readonly market: DailyMarket
  readonly #studies = new Memo<number, MarketStudy>(1)
  readonly #live = new Memo<string, LiveView>(1)

  constructor(market: DailyMarket) {
    this.market = market
  }

  /** Returns a study that includes this day and the next. */
  study(day: number): MarketStudy {
    const blockCount = Math.max(1, Math.ceil((day + 2 - WORLD_START) / horizonDays))
    return this.#studies.get(blockCount, () => new MarketStudy(this.market, WORLD_START + blockCount * horizonDays))
  }

  /** Returns the values of a day at the start of an hour; `study` must include the day. */
  live(study: MarketStudy, day: number, hour: number): LiveView {
    return this.#live.get(`${study.panel.dayCount} ${day} ${hour}`, () => new LiveView(study, day, hour))
  }
}

export const createWorld = (seed: number) => new World(dailyMarketOf(seed))
