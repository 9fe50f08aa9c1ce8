import { parseSymbol } from '#shared/catalog/symbols.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { BlendResult } from '#shared/lab/kinds/blend/run.ts'
import type { TickerTable } from '#shared/lab/kinds/blend/blendWeights.ts'
import type { DailyWeights } from '#shared/lab/portfolio/portfolioResult.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import type { StudyRunStore } from '#core/store/studyStore.ts'

/** Ticker of a symbol of a test: the base of `venue/BASE…`, or the symbol itself. */
const tickerOfSymbol = (symbol: string): string => {
  const name = symbol.slice(symbol.lastIndexOf('/') + 1)
  return parseSymbol(name)?.base ?? (symbol.includes('/') ? name.split('-')[0] : symbol)
}

/** Weights of a test by ticker, at the end of each day: of every symbol held so far, two of one base added up. */
function tickerWeights({ symbols, days, weights }: DailyWeights): TickerTable {
  const tickers = [...new Set(symbols.map(tickerOfSymbol))].sort()
  const placeOf = new Map(tickers.map((ticker, place) => [ticker, place]))
  const places = symbols.map((symbol) => placeOf.get(tickerOfSymbol(symbol)) ?? 0)
  const isKnown = symbols.map(() => false)
  const values = new Float64Array(days.length * tickers.length).fill(NaN)
  weights.forEach((row, day) => {
    row.forEach((weight, symbol) => {
      isKnown[symbol] ||= weight !== 0
      if (!isKnown[symbol]) return
      const cell = day * tickers.length + places[symbol]
      values[cell] = Number.isNaN(values[cell]) ? weight : values[cell] + weight
    })
  })
  return { days: Int32Array.from(days, dayNumberOf), tickers, values }
}

export function blendTable({ days, tickers, weights }: BlendResult): TickerTable {
  return {
    days: Int32Array.from(days, dayNumberOf),
    tickers,
    values: Float64Array.from(weights.flat(), (weight) => weight ?? NaN),
  }
}

/** Reads runs by their id; an id of another kind is not found. */
export interface KeptRuns {
  test(id: string): PortfolioResult
  blend(id: string): BlendResult
  testWeights(id: string): TickerTable
}

export function createKeptRuns(runs: StudyRunStore): KeptRuns {
  function read<Kind extends 'portfolio' | 'blend'>(id: string, kind: Kind) {
    const { result } = runs.read(id)
    if (result.kind === kind) return result
    const name = kind === 'portfolio' ? 'tested portfolio' : 'blend'
    throw new AppError('not-found', `${id} is not a ${name}, but a study of kind ${result.kind}.`)
  }
  return {
    test: (id) => read(id, 'portfolio') as PortfolioResult,
    blend: (id) => read(id, 'blend') as BlendResult,
    testWeights(id) {
      read(id, 'portfolio')
      const weights = runs.weights(id)
      if (weights) return tickerWeights(weights)
      throw new AppError('not-found', `The weights of test ${id} were not kept: run the test again.`)
    },
  }
}
