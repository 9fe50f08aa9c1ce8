/** What a person typed of the orders of a symbol, and how it stands beside the files of a plan. */
import type { AliasLine, LotLine } from './bookFiles.ts'

/** Null is what was not typed. */
export interface OrderRule {
  /** As positions and orders name it. */
  symbol: string
  /** What weights and prices call it; the symbol itself if null. */
  ticker: string | null
  /** Units of the ticker in one unit of the symbol; 1 if null. */
  multiplier: number | null
  /** Orders are whole multiples of it. */
  lot: number | null
  /** Least units of an order. */
  minUnits: number | null
  /** Least notional of an order, in quote currency. */
  minOrder: number | null
}

export const orderRuleNumbers = ['multiplier', 'lot', 'minUnits', 'minOrder'] as const

export const twoSymbols = (ticker: string, one: string, other: string): string =>
  `${one} and ${other} are both of the ticker ${ticker}; a ticker has one symbol`

type GivenLines = Record<'aliases', AliasLine[]> & Record<'lots', LotLine[]>

/**
 * Adds typed rules to the lines of a plan's files. A line of a file wins: one of lots over the typed lot and least
 * units of its symbol, one of aliases over a typed ticker of its symbol or its ticker. The least notional of a symbol
 * counts beside that of the plan.
 */
export function withOrderRules({ aliases, lots }: GivenLines, rules: readonly OrderRule[]): GivenLines {
  const aliased = new Set(aliases.flatMap(({ ticker, symbol }) => [`ticker ${ticker}`, `symbol ${symbol}`]))
  const lotBySymbol = new Map(lots.map((lot) => [lot.symbol, lot]))
  const ruled = rules.map(({ symbol, lot, minUnits, minOrder }): LotLine => {
    const given = lotBySymbol.get(symbol) ?? { symbol, lot: lot ?? undefined, minUnits: minUnits ?? 0 }
    return { ...given, minOrder: minOrder ?? 0 }
  })
  return {
    aliases: [
      ...aliases,
      ...rules.flatMap(({ symbol, ticker, multiplier }): AliasLine[] => {
        const alias = { symbol, ticker: ticker ?? symbol, multiplier: multiplier ?? 1 }
        const isGiven = aliased.has(`ticker ${alias.ticker}`) || aliased.has(`symbol ${symbol}`)
        return isGiven || (ticker === null && multiplier === null) ? [] : [alias]
      }),
    ],
    lots: [...lots, ...ruled],
  }
}

/** Leaves the rules that a plan of these tickers and symbols goes by. */
export const rulesOf = (rules: readonly OrderRule[], names: ReadonlySet<string>): OrderRule[] =>
  rules.filter(({ symbol, ticker }) => names.has(symbol) || (ticker !== null && names.has(ticker)))
