import { MS_PER_DAY } from '#shared/time.ts'
import { assetsOf } from './assets.ts'
import { marketDay } from './days.ts'
import * as found from './effectsToFind.ts'
import { hasSource, instrumentsOf, type SandboxInstrument } from './instruments.ts'
import {
  FALL_AFTER_WIDENING,
  FUNDING_RISE,
  hasPlantedEffects,
  HOURS_OF_FALL,
  HOURS_OF_RISE,
  WIDE_SPREAD,
  WIDENING_CHANCE,
} from './plantedEffects.ts'
import type { SandboxVenue } from './venues.ts'

const MS_PER_HOUR = 3_600_000

interface Planted {
  exchange: string
  symbol: string
  /** Columns that show the effect, as formulas name them. */
  columns: readonly string[]
  interval: string
  /** Size of the effect, in `unit`. */
  size: number
}

/** An effect of one symbol, with what a script needs to find it. Hours are those of the day (UTC), times milliseconds. */
export type PlantedEffect = Planted &
  (
    | { effect: 'imbalance'; unit: 'rank IC'; delayBars: number; horizon: number }
    | {
        effect: 'crowding'
        unit: 'log price'
        /** Formula of how crowded positions are, and of a state in which they are. */
        score: string
        when: string
        /** Hours over which the price falls from `height` to `low`. */
        overHours: number
        times: { from: number; height: number; low: number }[]
      }
    | { effect: 'cheap hour'; unit: 'factor of the spread'; hours: number[] }
    | { effect: 'rise before funding'; unit: 'log price'; hours: readonly number[] }
    | {
        effect: 'fall after widening'
        unit: 'log price'
        spreadFactor: number
        chancePerDay: number
        overHours: number
      }
  )

const rank = (of: string) => `rank(${of}, 2016, 504)`
const crowdedParts = [rank('funding.funding_rate'), rank('basis.basis_bps'), rank('diff(open_interest.open_interest)')]
const CROWDING_SCORE = `(${crowdedParts.join(' + ')}) / 3`

function effectsToFind(seed: number, { venue, symbol, firstDay }: SandboxInstrument, nowMs: number): PlantedEffect[] {
  const of = { exchange: venue.id, symbol, interval: '5m' }
  const firstHour = (marketDay(firstDay) * MS_PER_DAY) / MS_PER_HOUR
  const times = found.crowdings(seed, firstHour, nowMs / MS_PER_HOUR).map(({ start, height, low }) => ({
    from: start * MS_PER_HOUR,
    height: height * MS_PER_HOUR,
    low: low * MS_PER_HOUR,
  }))
  return [
    {
      ...of,
      effect: 'imbalance',
      columns: [`l2_imbalance.imbalance_ratio_${found.IMBALANCE_LEVELS}`],
      size: found.IMBALANCE_IC,
      unit: 'rank IC',
      delayBars: found.IMBALANCE_DELAY_BARS,
      horizon: 1,
    },
    {
      ...of,
      effect: 'crowding',
      columns: ['funding.funding_rate', 'basis.basis_bps', 'open_interest.open_interest'],
      size: -found.FALL_AFTER_CROWDING,
      unit: 'log price',
      score: CROWDING_SCORE,
      when: `sma(${CROWDING_SCORE}, 72) > 0.8`,
      overHours: found.UNWIND_HOURS,
      times,
    },
    {
      ...of,
      effect: 'cheap hour',
      columns: ['l1_liquidity.spread_bps'],
      size: found.CHEAP_SPREAD,
      unit: 'factor of the spread',
      hours: [found.CHEAP_HOUR],
    },
  ]
}

function smallAssetEffects({ venue, symbol }: SandboxInstrument): PlantedEffect[] {
  const of = { exchange: venue.id, symbol, interval: '1h' }
  return [
    {
      ...of,
      effect: 'rise before funding',
      columns: ['ohlcv.close'],
      size: FUNDING_RISE,
      unit: 'log price',
      hours: HOURS_OF_RISE,
    },
    {
      ...of,
      effect: 'fall after widening',
      columns: ['l1_liquidity.spread_bps', 'ohlcv.close'],
      size: -FALL_AFTER_WIDENING,
      unit: 'log price',
      spreadFactor: WIDE_SPREAD,
      chancePerDay: WIDENING_CHANCE,
      overHours: HOURS_OF_FALL,
    },
  ]
}

/** Lists the effects that the market of a seed has: first those of one symbol, then those of the small assets. */
export function plantedList(seed: number, venues: readonly SandboxVenue[], nowMs: number): PlantedEffect[] {
  const small = new Set(
    assetsOf(seed)
      .filter(hasPlantedEffects)
      .map(({ base }) => base),
  )
  const perpetuals = venues
    .flatMap((venue) => instrumentsOf(seed, venue))
    .filter((instrument) => hasSource(instrument, 'funding_rate'))
  return [
    ...perpetuals.filter(found.showsEffects).flatMap((instrument) => effectsToFind(seed, instrument, nowMs)),
    ...perpetuals.filter(({ base }) => small.has(base)).flatMap(smallAssetEffects),
  ]
}
