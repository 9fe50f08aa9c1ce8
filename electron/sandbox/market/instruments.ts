import type { EventSource } from '#shared/catalog/metricDatasets.ts'
import type { Day } from '#shared/time.ts'
import { assetsOf, type Asset } from './assets.ts'
import { dayOfNumber } from './days.ts'
import { hasEffectsToFind, showsEffects } from './effectsToFind.ts'
import { Memo } from './memo.ts'
import { RandomStream, uniformOf } from './random.ts'
import { documentedVenues, type SandboxVenue, type VenueKind } from './venues.ts'

type InstrumentKind = 'perpetual' | 'future' | 'spot'

export interface SandboxInstrument {
  venue: SandboxVenue
  symbol: string
  kind: InstrumentKind
  /** Name of the asset in the daily market. */
  base: string
  quote: string
  settle: string
  /** Unit of amounts and open interest on this venue. */
  unit: 'base' | 'contracts'
  /** Base assets per contract; 1 if amounts are in the base asset. */
  contractSize: number
  tickSize: number
  /** Smallest amount step, in `unit`. */
  lotSize: number
  firstDay: Day
  /** Last day with data, inclusive; null while the instrument trades. */
  lastDay: Day | null
  /** Days without any data between the first and the last day, ascending. */
  holes: Day[]
  /** Mean deviation of this venue's prices from the asset's, in basis points. */
  basisBps: number
  /** This instrument's share of the asset's notional and open interest. */
  share: number
  /** Typical daily notional, in dollars. */
  dailyNotional: number
}

interface MarginType {
  quote: string
  /** Settlement currency; empty if the asset itself is the margin. */
  settle: string
  share: number
}

/** Margin types of each kind of venue: which assets (by rank) have them, and their share of the volume. */
const margins: Record<VenueKind, readonly (MarginType & { upToRank: number; presence: number })[]> = {
  'venuea-futures': [
    { quote: 'USDT', settle: 'USDT', share: 0.5, upToRank: Infinity, presence: 0.88 },
    { quote: 'USDC', settle: 'USDC', share: 0.05, upToRank: 30, presence: 0.9 },
    { quote: 'USD', settle: '', share: 0.03, upToRank: 12, presence: 1 },
  ],
  'venueb-perps': [
    { quote: 'USDT', settle: 'USDT', share: 0.22, upToRank: Infinity, presence: 0.62 },
    { quote: 'USD', settle: '', share: 0.03, upToRank: 16, presence: 0.9 },
  ],
  'venuec-perps': [{ quote: 'USD', settle: 'USDC', share: 0.2, upToRank: Infinity, presence: 0.66 }],
}

/** Returns the largest number of the form 1, 2 or 5 times a power of ten that is at most `value`. */
function roundStep(value: number): number {
  const exponent = Math.floor(Math.log10(value) + 1e-9)
  const lead = value / 10 ** exponent
  const factor = lead >= 5 ? 5 : lead >= 2 ? 2 : 1
  return Number(`${factor}e${exponent}`)
}

function holesOf(firstDay: number, lastDay: number | null, random: RandomStream): Day[] {
  if (!random.chance(0.07)) return []
  const range = (lastDay ?? firstDay + 400) - firstDay
  const holes = new Set<number>()
  for (let i = 0; i < 1 + random.below(3); i++) {
    const start = firstDay + 5 + random.below(Math.max(1, range - 15))
    for (let day = start; day < start + 1 + random.below(4); day++) holes.add(day)
  }
  return [...holes].sort((a, b) => a - b).map(dayOfNumber)
}

/** Instruments of a kind of venue that are no perpetuals: a future with its first and last day, and a spot pair. */
const otherInstruments: Partial<Record<VenueKind, readonly OtherInstrument[]>> = {
  'venuea-futures': [
    {
      kind: 'future',
      symbol: 'future-BTC-USDT:USDT-20261225',
      base: 'BTC',
      firstDay: '2026-06-26',
      lastDay: '2026-12-25',
    },
    { kind: 'spot', symbol: 'ETH-USDT', base: 'ETH' },
  ],
}

type OtherInstrument = { base: string } & Pick<SandboxInstrument, 'kind' | 'symbol'> &
  Partial<Pick<SandboxInstrument, 'firstDay' | 'lastDay'>>

function listOthers(seed: number, venue: SandboxVenue): SandboxInstrument[] {
  const [margin] = margins[venue.kind]
  return (otherInstruments[venue.kind] ?? []).map(({ base, ...other }) => {
    const asset = assetsOf(seed).find((one) => one.base === base)!
    return { ...instrumentOf(seed, venue, asset, { ...margin, share: margin.share / 10 }, other.symbol), ...other }
  })
}

function instrumentOf(
  seed: number,
  venue: SandboxVenue,
  asset: Asset,
  margin: MarginType,
  symbol = `perpetual-${asset.base}-${margin.quote}:${margin.settle || asset.base}`,
): SandboxInstrument {
  const settle = margin.settle || asset.base
  const random = new RandomStream(seed, venue.id, symbol)
  const delayDays = asset.rank < 10 ? 0 : random.below(90)
  const latestStart = asset.lastDay === null ? asset.firstDay + 90 : asset.lastDay - 30
  const firstDay = Math.min(asset.firstDay + delayDays, latestStart)
  const isContracts = venue.sizes === 'contracts'
  const contractSize = isContracts ? roundStep((12 / asset.startPrice) * random.between(0.5, 2)) : 1
  const holes = holesOf(firstDay, asset.lastDay, random)
  return {
    venue,
    symbol,
    kind: 'perpetual',
    base: asset.base,
    quote: margin.quote,
    settle,
    unit: isContracts ? 'contracts' : 'base',
    contractSize,
    tickSize: roundStep(asset.startPrice * 2e-5),
    lotSize: isContracts ? 1 : roundStep(1 / asset.startPrice),
    firstDay: dayOfNumber(firstDay),
    lastDay: asset.lastDay === null ? null : dayOfNumber(asset.lastDay),
    holes: showsEffects({ venue, symbol }) ? [] : holes,
    basisBps: random.normal() * (2 + 6 * Math.min(1, asset.rank / 200)),
    share: margin.share * random.between(0.7, 1.3),
    dailyNotional: asset.typicalNotional * margin.share,
  }
}

/** Tells whether an instrument has data of a source: a future has no funding, a spot pair only trades and its book. */
export function hasSource({ kind }: SandboxInstrument, source: EventSource): boolean {
  if (kind === 'spot') return source === 'trades' || source === 'quotes' || source === 'book'
  return kind === 'perpetual' || source !== 'funding_rate'
}

/**
 * Tells whether an asset trades on a venue; one that was drawn for no venue trades on the first one, as does that with
 * the effects to find.
 */
function isListedOn(seed: number, venue: SandboxVenue, asset: Asset): boolean {
  const isDrawnFor = ({ id, kind }: SandboxVenue) =>
    asset.rank < 40 || uniformOf(seed, 'listed', id, asset.base) < margins[kind][0].presence
  return isDrawnFor(venue) || (venue.isFirst && (hasEffectsToFind(asset) || !documentedVenues.some(isDrawnFor)))
}

function listInstruments(seed: number, venue: SandboxVenue): Map<string, SandboxInstrument> {
  const list = listOthers(seed, venue)
  for (const asset of assetsOf(seed)) {
    if (isListedOn(seed, venue, asset)) list.push(instrumentOf(seed, venue, asset, margins[venue.kind][0]))
    for (const margin of margins[venue.kind].slice(1)) {
      const isListed = uniformOf(seed, margin.quote, venue.id, asset.base) < margin.presence
      if (asset.rank < margin.upToRank && isListed) list.push(instrumentOf(seed, venue, asset, margin))
    }
  }
  list.sort((a, b) => (a.symbol < b.symbol ? -1 : 1))
  return new Map(list.map((instrument) => [instrument.symbol, instrument]))
}

const lists = new Memo<string, Map<string, SandboxInstrument>>(12)
const listOf = (seed: number, venue: SandboxVenue) =>
  lists.get(`${seed} ${JSON.stringify(venue)}`, () => listInstruments(seed, venue))

/** Lists all instruments that a venue ever has, by symbol, including those not yet or no longer listed. */
export function instrumentsOf(seed: number, venue: SandboxVenue): SandboxInstrument[] {
  return [...listOf(seed, venue).values()]
}

/** Finds the instrument of this exact symbol; null if there is none. */
export function findInstrument(seed: number, venue: SandboxVenue, symbol: string): SandboxInstrument | null {
  return listOf(seed, venue).get(symbol) ?? null
}
