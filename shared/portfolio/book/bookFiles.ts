/** Reads the small CSV files of a plan: weights, positions, aliases, prices and lots, each with one row per key. */
import { namedCsvRows } from '../../units/csvRows.ts'
import { quoteText, readNumberCell } from '../returnsFile.ts'
import { BookError } from './bookError.ts'

/** A file as a person gave it. */
export interface GivenFile {
  /** Name of the file, for messages. */
  file: string
  text: string
}

/** A row of a plan's file, with its line; the header is line 1. */
interface KeyedLine {
  line: number
}

interface WeightLine extends KeyedLine {
  ticker: string
  weight: number
}

export interface PositionLine extends KeyedLine {
  symbol: string
  units: number
}

/** One unit of the symbol is `multiplier` units of the ticker. */
export interface AliasLine extends Partial<KeyedLine> {
  ticker: string
  symbol: string
  multiplier: number
}

export interface LotLine extends Partial<KeyedLine> {
  symbol: string
  /** Without one every number of units may be ordered. */
  lot: number | undefined
  minUnits: number
  /** Smallest notional of an order of this symbol, beside that of the plan. */
  minOrder?: number
}

interface PriceLine extends KeyedLine {
  ticker: string
  /** Null for an empty cell. */
  price: number | null
}

/** Reads a cell as a number; an empty one is `empty`. Returns the problem of any other text. */
function numberIn<Empty>(name: string, text: string, empty: Empty): number | Empty | { problem: string } {
  if (text === '') return empty
  const number = readNumberCell(text)
  if (!number) return { problem: `${quoteText(text)} in the column ${name} is not a number` }
  return number.hasPercent ? number.value / 100 : number.value
}

const isProblem = (value: unknown): value is { problem: string } =>
  typeof value === 'object' && value !== null && 'problem' in value

const MOST_PROBLEMS = 20

const refusal = (file: string, problems: readonly string[]) => {
  const more = problems.length - MOST_PROBLEMS
  const shown = [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])]
  return new BookError(`${file}, ${shown.join('; ')}.`)
}

interface FileShape<Row extends KeyedLine> {
  needed: readonly string[]
  optional?: readonly string[]
  /** Column whose text is unique. */
  key: string
  /** Columns that must not be empty. */
  named: readonly string[]
  read(cell: (name: string) => string, line: number): Row | { problem: string }
}

/** Reads the rows of a file; throws a `BookError` that names the file and each bad line. */
function readKeyed<Row extends KeyedLine>({ file, text }: GivenFile, shape: FileShape<Row>): Row[] {
  const lineByKey = new Map<string, number>()
  const { needed, optional = [], key, named } = shape
  const read = namedCsvRows(text, { needed, optional }, ({ line, cell }) => {
    const empty = named.find((name) => cell(name) === '')
    if (empty !== undefined) return { problem: `the column ${empty} is empty` }
    const before = lineByKey.get(cell(key))
    if (before !== undefined) return { problem: `${quoteText(cell(key))} is also on line ${before}` }
    lineByKey.set(cell(key), line)
    return shape.read(cell, line)
  })
  if ('problems' in read) throw refusal(file, read.problems)
  return read.values
}

export const readWeights = (given: GivenFile): WeightLine[] => {
  const lines = readKeyed<WeightLine>(given, {
    needed: ['ticker', 'weight'],
    key: 'ticker',
    named: ['ticker'],
    read(cell, line) {
      const weight = numberIn('weight', cell('weight'), 0)
      return isProblem(weight) ? weight : { line, ticker: cell('ticker'), weight }
    },
  })
  if (lines.length === 0) throw new BookError(`${given.file} has no weights.`)
  return lines
}

export const readPositions = (given: GivenFile): PositionLine[] =>
  readKeyed<PositionLine>(given, {
    needed: ['symbol', 'units'],
    key: 'symbol',
    named: ['symbol'],
    read(cell, line) {
      const units = numberIn('units', cell('units'), 0)
      return isProblem(units) ? units : { line, symbol: cell('symbol'), units }
    },
  })

/** Reads aliases; two tickers of one symbol are refused, because the symbol would have two targets. */
export const readAliases = (given: GivenFile): AliasLine[] => {
  const firstBySymbol = new Map<string, AliasLine>()
  return readKeyed<AliasLine & KeyedLine>(given, {
    needed: ['ticker', 'symbol'],
    optional: ['multiplier'],
    key: 'ticker',
    named: ['ticker', 'symbol'],
    read(cell, line) {
      const multiplier = numberIn('multiplier', cell('multiplier'), 1)
      if (isProblem(multiplier)) return multiplier
      if (!(multiplier > 0)) return { problem: `the multiplier ${quoteText(cell('multiplier'))} is not above 0` }
      const alias = { line, ticker: cell('ticker'), symbol: cell('symbol'), multiplier }
      const first = firstBySymbol.get(alias.symbol)
      if (first) return { problem: twoTickers(first.ticker, alias.ticker, alias.symbol) }
      firstBySymbol.set(alias.symbol, alias)
      return alias
    },
  })
}

export const twoTickers = (one: string, other: string, symbol: string): string =>
  `${one} and ${other} are both the symbol ${symbol}; a symbol has one ticker`

export const readPrices = (given: GivenFile): PriceLine[] =>
  readKeyed<PriceLine>(given, {
    needed: ['ticker', 'price'],
    key: 'ticker',
    named: ['ticker'],
    read(cell, line) {
      const price = numberIn('price', cell('price'), null)
      return isProblem(price) ? price : { line, ticker: cell('ticker'), price }
    },
  })

export const readLots = (given: GivenFile): LotLine[] =>
  readKeyed<LotLine & KeyedLine>(given, {
    needed: ['symbol', 'lot'],
    optional: ['min_units'],
    key: 'symbol',
    named: ['symbol', 'lot'],
    read(cell, line) {
      const lot = numberIn('lot', cell('lot'), 0)
      if (isProblem(lot)) return lot
      if (!(lot > 0)) return { problem: `the lot ${quoteText(cell('lot'))} is not above 0` }
      const minUnits = numberIn('min_units', cell('min_units'), 0)
      return isProblem(minUnits) ? minUnits : { line, symbol: cell('symbol'), lot, minUnits }
    },
  })
