/** From target weights and positions to a list of trades. Nothing is ever sent anywhere. */
import { BookError } from './bookError.ts'
import { type AliasLine, type LotLine, type PositionLine, twoTickers } from './bookFiles.ts'

/** A target weight; `line` is that of the file it comes from, if it comes from one. */
export interface Target {
  ticker: string
  weight: number
  line?: number
}

/** Where aliases and weights come from, for messages. */
interface PlanFiles {
  weights: string | null
  aliases: string | null
}

export interface PlanInput {
  targets: readonly Target[]
  positions: readonly PositionLine[]
  aliases: readonly AliasLine[]
  lots: readonly LotLine[]
  /** Price of a ticker; null or undefined if there is none. */
  priceOf(ticker: string): number | null | undefined
  /** Cost of a trade in basis points of its notional; null if it is not known. */
  costBpsOf(symbol: string, ticker: string): number | null
  capital: number
  /** Difference of weights up to which nothing is traded. */
  band: number
  /** Trade to the target, or to the edge of the band. */
  mode: PlanMode
  /** Smallest notional of an order, in quote currency. */
  minOrder: number
  /** Largest target on either side; null for none. */
  cap: number | null
  files?: PlanFiles
}

export const planModes = ['centre', 'edge'] as const
export type PlanMode = (typeof planModes)[number]

/** Why nothing is traded, in the order in which the reasons are tried. */
const planReasons = ['no-price', 'inside-band', 'below-lot', 'below-min-units', 'below-min-order'] as const
export type PlanReason = (typeof planReasons)[number]

/** A symbol of a plan; its keys in this order are the columns of the CSV. */
export interface PlanRow {
  ticker: string
  symbol: string
  /** Of one unit of the symbol. */
  price: number | null
  units: number
  /** The weight held now. */
  weight: number | null
  target: number
  /** The weight that the order aims at. */
  goal: number | null
  /** Units to buy (above 0) or sell. */
  order: number
  notional: number
  /** Weight after the order. */
  after: number | null
  /** Expected cost of the order; null if it is not known. */
  cost: number | null
  reason: PlanReason | null
}

export const planColumns = [
  'ticker',
  'symbol',
  'price',
  'units',
  'weight',
  'target',
  'goal',
  'order',
  'notional',
  'after',
  'cost',
  'reason',
] as const satisfies readonly (keyof PlanRow)[]

export interface PlanTotals {
  grossBefore: number
  netBefore: number
  grossTarget: number
  netTarget: number
  grossAfter: number
  netAfter: number
  /** Half of the traded notional over the capital. */
  turnover: number
  /** Null if the cost of an order is not known. */
  cost: number | null
  orders: number
  skipped: Partial<Record<PlanReason, number>>
}

interface PlannedTrades {
  rows: PlanRow[]
  totals: PlanTotals
}

/** Differences of weights up to this size are rounding. */
const WEIGHT_TOLERANCE = 1e-12

/** What is wanted and held of a symbol. */
interface Holding {
  ticker: string
  symbol: string
  multiplier: number
  target: number
  units: number
}

export function planTrades(input: PlanInput): PlannedTrades {
  const lotBySymbol = new Map(input.lots.map((lot) => [lot.symbol, lot]))
  const rows = holdingsOf(input).map((holding) => planRow(holding, input, lotBySymbol.get(holding.symbol)))
  return { rows: inOrder(rows, input.capital), totals: totalsOf(rows, input.capital) }
}

/** Tickers whose prices a plan needs. */
export const tickersOfPlan = (
  input: Pick<PlanInput, 'targets' | 'positions' | 'aliases' | 'cap' | 'files'>,
): string[] => [...new Set(holdingsOf(input).map(({ ticker }) => ticker))]

/** Joins targets and positions by symbol; a symbol with neither is left out. */
function holdingsOf({
  targets,
  positions,
  aliases,
  cap,
  files,
}: Pick<PlanInput, 'targets' | 'positions' | 'aliases' | 'cap' | 'files'>): Holding[] {
  const aliasByTicker = new Map(aliases.map((alias) => [alias.ticker, alias]))
  const aliasBySymbol = new Map(aliases.map((alias) => [alias.symbol, alias]))
  const bySymbol = new Map<string, Holding>()
  for (const { ticker, weight, line } of targets) {
    const alias = aliasByTicker.get(ticker)
    const { symbol, multiplier } = alias ?? { symbol: ticker, multiplier: 1 }
    const other = bySymbol.get(symbol)
    if (other) throw twoTickersError(other, { ticker, line }, symbol, aliasBySymbol.get(symbol), files)
    bySymbol.set(symbol, { ticker, symbol, multiplier, target: capped(weight, cap), units: 0 })
  }
  for (const { symbol, units } of positions) {
    const known = bySymbol.get(symbol)
    if (known) known.units = units
    else {
      const { ticker, multiplier } = aliasBySymbol.get(symbol) ?? { ticker: symbol, multiplier: 1 }
      bySymbol.set(symbol, { ticker, symbol, multiplier, target: 0, units })
    }
  }
  return [...bySymbol.values()].filter(({ target, units }) => target !== 0 || units !== 0)
}

const capped = (weight: number, cap: number | null) => (cap === null ? weight : Math.min(Math.max(weight, -cap), cap))

/** Names the line of the alias, because that is where the mistake is; else the line of the weight. */
function twoTickersError(
  { ticker }: Holding,
  other: Pick<Target, 'ticker' | 'line'>,
  symbol: string,
  alias: AliasLine | undefined,
  files: PlanFiles | undefined,
): BookError {
  const place =
    alias?.line !== undefined && files?.aliases
      ? `${files.aliases}, line ${alias.line}: `
      : files?.weights && other.line !== undefined
        ? `${files.weights}, line ${other.line}: `
        : ''
  return new BookError(`${place}${twoTickers(ticker, other.ticker, symbol)}.`)
}

function planRow(holding: Holding, input: PlanInput, lot: LotLine | undefined): PlanRow {
  const { ticker, symbol, multiplier, target, units } = holding
  const tickerPrice = input.priceOf(ticker)
  const price = tickerPrice ? multiplier * tickerPrice : null
  const row = { ticker, symbol, price, units, target, order: 0, notional: 0, cost: 0 }
  const isUsable = price !== null && price > 0 && Number.isFinite(price)
  if (!isUsable) {
    const weight = units === 0 ? 0 : null
    return { ...row, price: null, weight, goal: null, after: weight, reason: 'no-price' }
  }
  const { capital, band, mode, minOrder } = input
  const weight = (units * price) / capital
  const isWholeClosing = target === 0 && units !== 0
  if (!isWholeClosing && !(Math.abs(target - weight) > band + WEIGHT_TOLERANCE))
    return { ...row, weight, goal: null, after: weight, reason: 'inside-band' }
  const goal = mode === 'edge' && target !== 0 ? target - band * Math.sign(target - weight) : target
  const isClosing = goal === 0 && units !== 0
  const order = isClosing ? -units : inLots(((goal - weight) * capital) / price, lot?.lot)
  const notional = order * price
  const reason = isClosing
    ? null
    : reasonOf(order, notional, { minUnits: lot?.minUnits ?? 0, minOrder: Math.max(minOrder, lot?.minOrder ?? 0) })
  if (reason !== null) return { ...row, weight, goal, after: weight, reason }
  const costBps = input.costBpsOf(symbol, ticker)
  const cost = costBps === null ? null : (Math.abs(notional) * costBps) / 1e4
  return { ...row, weight, goal, order, notional, after: ((units + order) * price) / capital, cost, reason }
}

function reasonOf(
  order: number,
  notional: number,
  { minUnits, minOrder }: { minUnits: number; minOrder: number },
): PlanReason | null {
  if (order === 0) return 'below-lot'
  if (Math.abs(order) < minUnits) return 'below-min-units'
  return Math.abs(notional) < minOrder * (1 - WEIGHT_TOLERANCE) ? 'below-min-order' : null
}

/** A number of lots this close to a whole one is whole. */
const LOT_TOLERANCE = 1e-9

/** Rounds units toward 0 to a whole number of lots. */
export function inLots(units: number, lot: number | undefined): number {
  if (lot === undefined) return units
  const lots = units / lot
  if (!Number.isFinite(lots)) return units
  const nearest = Math.round(lots)
  return timesInDecimals(Math.abs(lots - nearest) <= LOT_TOLERANCE ? nearest : Math.trunc(lots), lot)
}

/** Multiplies a whole number by a decimal as a person would: 3 × 0.1 is 0.3. */
function timesInDecimals(whole: number, decimal: number): number {
  if (whole === 0) return 0
  const [digits, power = '0'] = String(decimal).split('e')
  const [before, after = ''] = digits.split('.')
  return Number(`${BigInt(whole) * BigInt(before + after)}e${Number(power) - after.length}`)
}

/** Notionals that differ by at most this share of the capital count as equal. */
const NOTIONAL_TOLERANCE = 1e-9

/** Sorts rows by the size of their notional, the largest first; rows of equal size by symbol. */
function inOrder(rows: readonly PlanRow[], capital: number): PlanRow[] {
  const sizeOf = ({ notional }: PlanRow) => Math.abs(notional)
  const bySize = rows.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  const sorted: PlanRow[] = []
  for (let from = 0; from < bySize.length;) {
    let to = from + 1
    while (to < bySize.length && sizeOf(bySize[to - 1]) - sizeOf(bySize[to]) <= NOTIONAL_TOLERANCE * capital) to++
    sorted.push(...bySize.slice(from, to).sort((one, other) => (one.symbol < other.symbol ? -1 : 1)))
    from = to
  }
  return sorted
}

function totalsOf(rows: readonly PlanRow[], capital: number): PlanTotals {
  const sum = (pick: (row: PlanRow) => number | null) => rows.reduce((total, row) => total + (pick(row) ?? 0), 0)
  const sizeOf = (pick: (row: PlanRow) => number | null) => sum((row) => Math.abs(pick(row) ?? 0))
  const skipped: PlanTotals['skipped'] = {}
  for (const { reason } of rows) if (reason !== null) skipped[reason] = (skipped[reason] ?? 0) + 1
  return {
    grossBefore: sizeOf(({ weight }) => weight),
    netBefore: sum(({ weight }) => weight),
    grossTarget: sizeOf(({ target }) => target),
    netTarget: sum(({ target }) => target),
    grossAfter: sizeOf(({ after }) => after),
    netAfter: sum(({ after }) => after),
    turnover: sizeOf(({ notional }) => notional) / (2 * capital),
    cost: rows.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost),
    orders: rows.filter(({ order }) => order !== 0).length,
    skipped,
  }
}
