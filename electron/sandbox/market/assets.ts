import { majors, minorNames } from './assetNames.ts'
import { marketDay, WORLD_START } from './days.ts'
import { hasEffectsToFind } from './effectsToFind.ts'
import { Memo } from './memo.ts'
import { RandomStream } from './random.ts'

/** Number of assets in the synthetic market, listed and delisted ones together. */
const assetCount = 470

export const sectors = ['payments', 'platforms', 'finance', 'games', 'memes', 'infrastructure'] as const

/**
 * Permanent properties of an asset; its daily values are in the daily market. Volatilities are annualised standard
 * deviations of log returns.
 */
export interface Asset {
  base: string
  /** Rank by size; 0 is the largest. */
  rank: number
  sector: number
  /** Price at the start of the first day. */
  startPrice: number
  /** First day with a price (day number). */
  firstDay: number
  /** Last day with a price, inclusive; null while the asset trades. */
  lastDay: number | null
  marketBeta: number
  sectorBeta: number
  idiosyncraticVolatility: number
  /** Typical daily notional over all venues, in dollars. */
  typicalNotional: number
}

const lastScheduledListing = marketDay('2026-10-15')

function listingDay(rank: number, year: number | null, random: RandomStream): number {
  const start = year === null ? Math.min(2026, 2020 + Math.floor(7 * (rank / assetCount) ** 0.55)) : year
  if (start < 2020) return WORLD_START
  const first = marketDay(`${start}-01-01`)
  return Math.min(first + 10 + random.below(345), lastScheduledListing)
}

function delistingDay(base: string, firstDay: number, rank: number, random: RandomStream): number | null {
  const isDelisted = random.chance(0.13) && rank >= majors.length && !hasEffectsToFind({ base })
  const livedDays = 150 + random.below(1300)
  const day = firstDay + livedDays
  return isDelisted && day < lastScheduledListing ? day : null
}

function isIndex(base: string): boolean {
  return /-(DOM|IDX)$/.test(base)
}

function drawAsset(seed: number, base: string, rank: number, price: number | null, year: number | null): Asset {
  const random = new RandomStream(seed, 'asset', base)
  const volatilityFactor = isIndex(base) ? 0.3 : 1
  const idiosyncraticVolatility =
    (0.22 + 0.4 * (1 - Math.exp(-rank / 25)) * random.between(0.65, 1.35)) * volatilityFactor
  const firstDay = listingDay(rank, year, random)
  return {
    base,
    rank,
    sector: random.below(sectors.length),
    startPrice: price ?? Number((10 ** random.between(-2.6, 1.3)).toPrecision(4)),
    firstDay,
    lastDay: delistingDay(base, firstDay, rank, random),
    marketBeta: base === 'BTC' ? 0.9 : (0.98 + 0.3 * random.uniform()) * Math.sqrt(volatilityFactor),
    sectorBeta: base === 'BTC' ? 0 : random.between(0.4, 1.2),
    idiosyncraticVolatility: base === 'BTC' ? 0.16 : idiosyncraticVolatility,
    typicalNotional: (3e10 / (1 + rank) ** 1.25) * random.between(0.6, 1.6) + 1.5e6,
  }
}

function drawAssets(seed: number): readonly Asset[] {
  const minors = minorNames(assetCount - majors.length)
  return [
    ...majors.map(([base, price, year], rank) => drawAsset(seed, base, rank, price, year)),
    ...minors.map((base, i) => drawAsset(seed, base, majors.length + i, null, null)),
  ]
}

const assetLists = new Memo<number, readonly Asset[]>(4)

/** Returns all assets of the synthetic market, the largest first. */
export function assetsOf(seed: number): readonly Asset[] {
  return assetLists.get(seed, () => drawAssets(seed))
}
