import { DailyColumn } from './dailyColumn.ts'
import { WORLD_START } from './days.ts'
import { sectors } from './assets.ts'
import { RandomStream } from './random.ts'

/**
 * Regimes of the market: annualised drift and volatility, mean length in days, and the probability of each next regime.
 */
const regimes = [
  { name: 'calm', drift: 0.2, volatility: 0.3, days: 60, next: [0, 0.4, 0.35, 0.2, 0.05] },
  { name: 'bull', drift: 1.1, volatility: 0.47, days: 55, next: [0.25, 0, 0.5, 0.1, 0.15] },
  { name: 'range', drift: 0, volatility: 0.4, days: 50, next: [0.35, 0.3, 0, 0.25, 0.1] },
  { name: 'bear', drift: -0.8, volatility: 0.55, days: 55, next: [0.3, 0.15, 0.35, 0, 0.2] },
  { name: 'panic', drift: -3, volatility: 1.1, days: 8, next: [0.1, 0.25, 0.35, 0.3, 0] },
] as const

const DAYS_PER_YEAR = 365
const sqrtDaysPerYear = Math.sqrt(DAYS_PER_YEAR)

/** Computes the long-run level of the market's log price: slow growth and a four-year cycle. */
function longRunLogPrice(index: number): number {
  const years = index / DAYS_PER_YEAR
  const growth = 2.6 * (1 - Math.exp(-years / 4.5)) + 0.06 * years
  return growth + 0.45 * (Math.sin((2 * Math.PI * (years - 0.8)) / 4) - Math.sin((2 * Math.PI * -0.8) / 4))
}

const sectorVolatility = (marketVolatility: number) => 0.22 * (0.6 + 0.8 * marketVolatility)

function nextRegime(regime: number, random: RandomStream): number {
  let remaining = random.uniform()
  for (let i = 0; i < regimes.length; i++) {
    remaining -= regimes[regime].next[i]
    if (remaining < 0) return i
  }
  return regime
}

/**
 * Daily returns of the market and its sectors, day by day from the start of the synthetic market; each day depends on
 * those before it.
 */
export class MarketFactor {
  readonly #random: RandomStream
  readonly #returns = new DailyColumn()
  readonly #volatility = new DailyColumn()
  readonly #sectorReturns = sectors.map(() => new DailyColumn())
  readonly #sectorDrift = sectors.map(() => 0)
  #count = 0
  #regime = 0
  #logVolatility = Math.log(0.5)
  #logPrice = 0

  constructor(seed: number) {
    this.#random = new RandomStream(seed, 'market')
  }

  /** Returns the log return of the market on a day. */
  return(day: number): number {
    return this.#returns.get(this.#reach(day))
  }

  /** Returns the log return of a sector in excess of the market's. */
  sectorReturn(sector: number, day: number): number {
    return this.#sectorReturns[sector].get(this.#reach(day))
  }

  /** Returns the annualised volatility with which the market's return of this day was drawn. */
  volatility(day: number): number {
    return this.#volatility.get(this.#reach(day))
  }

  /** Computes the annualised volatility of a sector's excess return on this day. */
  sectorVolatility(day: number): number {
    return sectorVolatility(this.volatility(day))
  }

  #reach(day: number): number {
    const index = day - WORLD_START
    while (this.#count <= index) this.#step(this.#count++)
    return index
  }

  #step(index: number): void {
    const random = this.#random
    if (random.chance(1 / regimes[this.#regime].days)) this.#regime = nextRegime(this.#regime, random)
    const regime = regimes[this.#regime]
    this.#logVolatility += 0.08 * (Math.log(regime.volatility) - this.#logVolatility) + 0.14 * random.normal()
    const volatility = Math.exp(this.#logVolatility)
    const pull = (0.55 * (longRunLogPrice(index) - this.#logPrice)) / DAYS_PER_YEAR
    const jump = random.heavyTail() * (random.chance(0.008) ? 0.04 : 0)
    const change =
      regime.drift / DAYS_PER_YEAR +
      pull +
      (volatility / sqrtDaysPerYear) * random.heavyTail() +
      jump -
      Math.abs(jump) / 3
    this.#logPrice += change
    this.#returns.set(index, change)
    this.#volatility.set(index, volatility)
    for (let sector = 0; sector < sectors.length; sector++) {
      this.#sectorDrift[sector] = 0.98 * this.#sectorDrift[sector] + 0.0003 * random.normal()
      const randomReturn = (sectorVolatility(volatility) / sqrtDaysPerYear) * random.heavyTail()
      this.#sectorReturns[sector].set(index, this.#sectorDrift[sector] + randomReturn)
    }
  }
}
