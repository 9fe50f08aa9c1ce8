import type { DailyMarket } from '../market/daily.ts'
import { CROWDED_BASIS_BPS, crowdingAt, showsEffects } from '../market/effectsToFind.ts'
import type { SandboxInstrument } from '../market/instruments.ts'
import { mix, normalOf, RandomStream, numberFromText } from '../market/random.ts'
import { MINUTES_PER_DAY, type FairPath } from './fairPath.ts'

/** One instrument on one day, the input of all its event generators. */
export interface InstrumentDay {
  market: DailyMarket
  instrument: SandboxInstrument
  /** Day number. */
  day: number
  startUs: number
  /** Price that all venues follow; drawn when first read, because funding does not need it. */
  readonly fair: FairPath
  /** True for the one instrument with effects to find. */
  showsEffects: boolean
  /** Relative deviation of this venue's price from the fair price, per minute up to the next midnight. */
  premium: Float64Array
  /** Target number of trades of the day. */
  tradeTarget: number
  /** Traded notional of the day in dollars. */
  notional: number
  /** Liquidity, from 0 for the quietest instruments to 1 for the busiest. */
  liquidity: number
  /** Returns a separate random stream for each purpose, so that one generator's draws never affect another's. */
  random: (purpose: string) => RandomStream
}

const FEWEST_TRADES = 150
const MOST_TRADES = 50_000

/** Computes the target number of trades of a day with this notional. */
export const tradeTargetOf = (notional: number): number =>
  Math.min(MOST_TRADES, Math.max(FEWEST_TRADES, 300 * Math.sqrt(notional / 5e5)))

/** Computes the liquidity of a day, from 0 for the quietest instruments to 1 for the busiest. */
export const liquidityOf = (tradeTarget: number): number =>
  Math.log(tradeTarget / FEWEST_TRADES) / Math.log(MOST_TRADES / FEWEST_TRADES)

/**
 * Draws premiums between half-hourly points; neighbouring days share the point at midnight, so that there is no jump.
 */
function drawPremium(instrument: SandboxInstrument, seed: number, day: number): Float64Array {
  const { venue, symbol, basisBps } = instrument
  const hash = numberFromText(seed, 'premium', venue.id, symbol)
  const premium = new Float64Array(MINUTES_PER_DAY + 1)
  const crowdedBps = showsEffects(instrument) ? CROWDED_BASIS_BPS : 0
  const level = (point: number) =>
    basisBps + 1.2 * normalOf(mix(hash, point)) + (crowdedBps && crowdedBps * crowdingAt(seed, point / 2))
  for (let point = 0; point < 48; point++) {
    const from = level(day * 48 + point)
    const to = level(day * 48 + point + 1)
    for (let minute = 0; minute <= 30; minute++) {
      premium[point * 30 + minute] = (from + ((to - from) * minute) / 30) * 1e-4
    }
  }
  return premium
}

export function instrumentDayOf(
  market: DailyMarket,
  instrument: SandboxInstrument,
  day: number,
  drawFair: () => FairPath,
  revision: number,
): InstrumentDay {
  const notional = market.dayNotional(instrument.base, day) * instrument.share
  const tradeTarget = tradeTargetOf(notional)
  return {
    market,
    instrument,
    day,
    startUs: day * 86_400e6,
    get fair() {
      return drawFair()
    },
    showsEffects: showsEffects(instrument),
    premium: drawPremium(instrument, market.seed, day),
    tradeTarget,
    notional,
    liquidity: liquidityOf(tradeTarget),
    random: (purpose) => new RandomStream(market.seed, purpose, instrument.venue.id, instrument.symbol, day, revision),
  }
}

/** Returns the venue's own price at a second of the day. */
export function venuePrice({ fair, premium }: InstrumentDay, seconds: number): number {
  const second = Math.floor(seconds)
  const priceBefore = fair.price[second]
  const price = priceBefore + (fair.price[Math.min(second + 1, 86_400)] - priceBefore) * (seconds - second)
  return price * (1 + premium[Math.floor(second / 60)])
}
