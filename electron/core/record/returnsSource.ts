import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import {
  type DailySeries,
  dailySeriesOf,
  returnsWarnings,
  rowOfDay,
  dailyMatrixOf,
} from '#shared/portfolio/dailySeries.ts'
import type { FileWarning } from '#shared/contract/areas/returns.ts'
import { type WeightsContent, readReturnsFile } from '#shared/portfolio/returnsFile.ts'
import { type PriceOf, returnsOfWeights } from '#shared/portfolio/weightsReturns.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import type { TearSheetRequest } from '#shared/portfolio/tearSheetDocument.ts'

/** The returns from which a tear sheet is computed, and their origin. */
interface ReturnsSource {
  returns: DailySeries
  benchmark: DailySeries | null
  request: Omit<TearSheetRequest, 'riskFree'>
  warnings: (string | FileWarning)[]
  /** Age of the service's data from which the returns come; null if they come from a file alone. */
  freshness: PortfolioFreshness | null
}

export type LoadHistory = (request: HistoryRequest) => Promise<{ rows: Frame; freshness: PortfolioFreshness | null }>

async function benchmarkOf(ticker: string | undefined, loadHistory: LoadHistory): Promise<DailySeries | null> {
  if (ticker === undefined) return null
  const { rows } = await loadHistory({ endpoint: 'prices', ticker: [ticker] })
  return returnsOfPrices(dailySeriesOf(rows).series)
}

/** A file of returns or weights as the user gave it. */
export interface LoadedReturnsFile {
  /** File name without folders. */
  file: string
  text: string
  unit: 'percent' | 'fraction' | null
  /** Trading cost in basis points, as typed by the user. */
  cost: string | null
  benchmark: string | undefined
}

/** Reason why no tear sheet can be made from a file; callers turn it into a message. */
export type ReturnsTrouble =
  | { kind: 'unreadable'; file: string; problems: readonly string[] }
  | { kind: 'unit-needed'; file: string }
  | { kind: 'cost-of-returns' }
  | { kind: 'not-cost'; typed: string }

export class ReturnsError extends AppError {
  readonly trouble: ReturnsTrouble

  constructor(trouble: ReturnsTrouble) {
    super('bad-input', `These returns cannot be used (${trouble.kind}).`)
    this.trouble = trouble
  }
}

/** Reads a file of returns or weights; weights are turned into returns with the prices of the service. */
export async function ownSource(own: LoadedReturnsFile, loadHistory: LoadHistory): Promise<ReturnsSource> {
  const { file, benchmark } = own
  const costBps = costOf(own.cost)
  const returnsFile = readReturnsFile(own.text, own.unit)
  if (returnsFile.kind === 'unreadable')
    throw new ReturnsError({ kind: 'unreadable', file, problems: returnsFile.problems })
  if (returnsFile.kind === 'unit-needed') throw new ReturnsError({ kind: 'unit-needed', file })
  const servedBenchmark = await benchmarkOf(benchmark, loadHistory)
  if (returnsFile.kind === 'returns') {
    if (own.cost !== null) throw new ReturnsError({ kind: 'cost-of-returns' })
    const facts = { file, coverage: null, costBps: null }
    const benchmarkName = servedBenchmark ? benchmark : returnsFile.benchmark ? 'benchmark' : undefined
    return {
      returns: returnsFile.returns,
      benchmark: servedBenchmark ?? returnsFile.benchmark,
      request: { portfolio: file, benchmark: benchmarkName, own: facts },
      warnings: returnsFile.warnings,
      freshness: null,
    }
  }
  const { priceOf, freshness } = await loadPrices(returnsFile, loadHistory)
  const { returns, coverage, warnings } = returnsOfWeights(returnsFile, priceOf, costBps)
  return {
    returns,
    benchmark: servedBenchmark,
    request: { portfolio: file, benchmark, own: { file, coverage, costBps } },
    warnings: [...returnsFile.warnings, ...warnings],
    freshness,
  }
}

/** Number of tickers per request; they are part of the address, whose length is limited. */
const TICKERS_PER_REQUEST = 50

/** Requests the prices of every ticker that has a weight; a ticker unknown to the service has none. */
async function loadPrices(
  { days }: WeightsContent,
  loadHistory: LoadHistory,
): Promise<{ priceOf: PriceOf; freshness: PortfolioFreshness | null }> {
  const tickers = [...new Set(days.flatMap(({ cells }) => cells.map(({ ticker }) => ticker)))].sort()
  const loadedPrices: { matrix: ReturnType<typeof dailyMatrixOf>['matrix']; indexByTicker: Map<string, number> }[] = []
  let freshness: PortfolioFreshness | null = null
  const loadBatch = async (batch: string[]): Promise<void> => {
    try {
      const answer = await loadHistory({ endpoint: 'prices', ticker: batch })
      freshness ??= answer.freshness
      const { matrix } = dailyMatrixOf(answer.rows)
      // A history of one ticker names its column differently.
      const names = batch.length === 1 && matrix.tickers.length === 1 ? batch : matrix.tickers
      loadedPrices.push({ matrix, indexByTicker: new Map(names.map((ticker, at) => [ticker, at])) })
    } catch (thrown) {
      if (!isUnknownTicker(thrown)) throw thrown
      if (batch.length > 1) for (const ticker of batch) await loadBatch([ticker])
    }
  }
  for (let from = 0; from < tickers.length; from += TICKERS_PER_REQUEST)
    await loadBatch(tickers.slice(from, from + TICKERS_PER_REQUEST))
  const priceOf: PriceOf = (ticker, day) => {
    const source = loadedPrices.find(({ indexByTicker }) => indexByTicker.has(ticker))
    const row = source ? rowOfDay(source.matrix.days, day) : -1
    if (!source || row < 0) return undefined
    const at = row * source.matrix.tickers.length + (source.indexByTicker.get(ticker) ?? 0)
    return source.matrix.valid[at] ? source.matrix.values[at] : undefined
  }
  return { priceOf, freshness }
}

const isUnknownTicker = (thrown: unknown): boolean =>
  thrown instanceof AppError && (thrown.code === 'rejected' || thrown.code === 'not-found')

function costOf(typed: string | null): number {
  const cost = typed === null ? 0 : parseNumber(typed)
  if (cost === null || cost < 0 || cost > 10_000) throw new ReturnsError({ kind: 'not-cost', typed: typed ?? '' })
  return cost
}

/** Takes the net returns of a test or a blend. */
export const runSource = async (
  name: string,
  returns: DailySeries,
  benchmark: string | undefined,
  loadHistory: LoadHistory,
): Promise<ReturnsSource> => ({
  returns,
  benchmark: await benchmarkOf(benchmark, loadHistory),
  request: { portfolio: name, ...(benchmark !== undefined && { benchmark }) },
  warnings: [],
  freshness: null,
})

/** Requests the returns of a portfolio from the service. */
export async function servedSource(
  {
    portfolio,
    smoothing,
    exchange,
    benchmark,
  }: {
    portfolio: string
    smoothing?: string | undefined
    exchange?: string | undefined
    benchmark?: string | undefined
  },
  loadHistory: LoadHistory,
): Promise<ReturnsSource> {
  const { rows, freshness } = await loadHistory({
    endpoint: 'returns',
    portfolio,
    ...(smoothing !== undefined && { smoothing }),
    ...(exchange !== undefined && { exchange }),
  } as HistoryRequest)
  const { series, problems } = dailySeriesOf(rows)
  return {
    returns: series,
    benchmark: await benchmarkOf(benchmark, loadHistory),
    request: {
      portfolio,
      ...(smoothing !== undefined && { smoothing }),
      ...(exchange !== undefined && { exchange }),
      ...(benchmark !== undefined && { benchmark }),
    },
    warnings: returnsWarnings(series, problems),
    freshness,
  }
}
