import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'

/** A ready-made study document to start from. */
export interface ReadyStudy {
  id: string
  name: string
  /** One sentence on what the study tests. */
  description: string
  /** What the sandbox contains for the study to find. */
  planted?: string
  document: Readonly<Record<string, unknown>>
}

/** Bases of mid-sized perpetuals: enough symbols for a cross-section, with files that download quickly. */
const bases = [
  'GRT ENJ IOST LIT ALICE COTI BEL ALPHA ZEN BLZ CTSI OGN NKN HBAR CHR KLAY MASK ATA GTC LPT AR',
  'IMX FLOW ROSE DUSK JASMY WOO BSW DAR INJ SPELL LUNA2 FET MAGIC HIGH MINA HOOK GMX ACH TWT ID HFT',
].flatMap((line) => line.split(' '))

const symbolOf = (base: string) => `perpetual-${base}-USDT:USDT`
const MARKET_LEADER = symbolOf('BTC')

/** Enough days for a study by day. */
const MONTHS = 3

/** Interval and days of a study. */
interface ReadyRange {
  version: 1
  interval: string
  start: string
  end: string
}

/** The last full months before a time, in UTC. */
function lastMonths(nowMs: number, interval: string): ReadyRange {
  const now = new Date(nowMs)
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()]
  return { version: 1, interval, start: dayOf(Date.UTC(year, month - MONTHS, 1)), end: dayOf(Date.UTC(year, month, 0)) }
}

type Source = Readonly<Record<string, unknown>>

/** What the ready-made studies are built on. */
export interface ReadyGround {
  venue: string | null
  symbols: readonly string[]
  /** Symbol of the studies of one symbol, and what people call it. */
  leader: string
  leaderName: string
  sourceOf(symbols: readonly string[]): Source
  /** Rows of all symbols. */
  source: Source
  /** The last full months, at an interval. */
  range(interval: string): ReadyRange
}

/** A connection on which studies are offered, and the time until which it has data. */
export interface ReadyPlace {
  /** The first venue; null if none is known, so that the user names one. */
  venue: string | null
  /** Time until which there are data, in milliseconds; that of the offer if it is not known. */
  nowMs: number
  /** Symbol of the studies of one symbol; see `leadingSymbol`. */
  leader?: string
  /** Symbols of the venue, if known: others are not offered. */
  listed?: readonly string[]
  /** Symbols of the venue with cached candles; see `symbolsWithCandles`. */
  cached?: readonly string[]
}

/** Lists the symbols of a venue of which a table of cached series has the candles that the studies read. */
export function symbolsWithCandles(series: Frame | null, venue: string | null): string[] {
  if (series === null || venue === null) return []
  const wanted = { kind: 'metrics', dataset: 'ohlcv', exchange: venue, interval: '1h', timestamp: 'exchange' }
  const conditions = Object.entries(wanted).map(([name, value]) => [columnOf(series, name), value] as const)
  const symbols = columnOf(series, 'symbol')
  if (!symbols) return []
  return Array.from({ length: series.rows }, (_, row) => row)
    .filter((row) => conditions.every(([column, value]) => column && cellOf(column, row) === value))
    .map((row) => String(cellOf(symbols, row)))
}

/** Number of symbols below which a study across symbols is offered on other symbols than those of the sandbox. */
export const FEWEST_SYMBOLS = 10
/** Number of symbols here below which a study across symbols takes whatever the venue lists: fewer have no ranks. */
const FEWEST_CACHED = 3

const isPerpetual = (symbol: string) => symbol.startsWith('perpetual-')

/**
 * The symbols of studies across symbols: those that are here if they can be ranked, so that nothing has to be
 * downloaded, or else those that the venue lists, or others of its perpetuals.
 */
function symbolsOn(listed: readonly string[], cached: readonly string[]): readonly string[] {
  const here = cached.filter(isPerpetual)
  if (here.length >= FEWEST_CACHED) return here
  const symbols = bases.map(symbolOf)
  const known = new Set(listed)
  const there = symbols.filter((symbol) => known.size === 0 || known.has(symbol))
  if (there.length >= FEWEST_SYMBOLS) return there
  return listed.filter(isPerpetual).slice(0, symbols.length)
}

export function readyGround(place: ReadyPlace): ReadyGround {
  const { venue, nowMs, leader = MARKET_LEADER, listed = [], cached = [] } = place
  const across = symbolsOn(listed, cached)
  // Of few symbols none can be spared.
  const symbols = across.length < FEWEST_SYMBOLS ? across : across.filter((symbol) => symbol !== leader)
  const sourceOf = (symbols: readonly string[]) => ({
    exchanges: venue === null ? [] : [venue],
    symbols: [...new Set(symbols)],
    universe: null,
    timestamp: 'exchange',
    against: null,
  })
  return {
    ...{ venue, symbols, leader, sourceOf },
    leaderName: /^perpetual-([^-]+)-/.exec(leader)?.[1] ?? leader,
    source: sourceOf(symbols),
    range: (interval) => lastMonths(nowMs, interval),
  }
}

/** The symbol on which studies of one symbol begin: the documented one if it is listed, else the first perpetual. */
export const leadingSymbol = (listed: readonly string[]): string =>
  listed.length === 0 || listed.includes(MARKET_LEADER) ? MARKET_LEADER : (listed.find(isPerpetual) ?? listed[0])
