import { type HistoryRequest, queryTextOf } from '#shared/catalog/portfolioRequest.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Portfolio } from '#core/portfolio/portfolio.ts'
import { historySource } from '#core/store/rowArrivals.ts'

/** Reads whole histories of the portfolio service. */
export interface ServedTables {
  /** @param name what is asked for, for the message if the service has no such thing */
  history(request: HistoryRequest, name: string): Promise<HistoryMatrix>
  factor(id: string, name: string): Promise<HistoryMatrix>
  /** Prices of tickers; one that the service does not know has no column. */
  prices(tickers: readonly string[]): Promise<HistoryMatrix>
  /** Last day of each history that was read, by the name of its source; null if it has no day. */
  lastDays: ReadonlyMap<string, DayNumber | null>
}

/** Number of tickers per request; they are part of the address, whose length is limited. */
const TICKERS_PER_REQUEST = 50
const allDays = { start: null, end: null }

/** Tells whether the service answered that it does not have what was asked for. */
export const isUnknown = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.service !== null && (thrown.code === 'rejected' || thrown.code === 'not-found')

export function createServedTables(portfolio: () => Portfolio, signal: AbortSignal): ServedTables {
  const lastDays = new Map<string, DayNumber | null>()
  async function ask(request: HistoryRequest): Promise<HistoryMatrix> {
    const { value } = await portfolio().history(request, allDays, {}, signal)
    const source = historySource({ endpoint: request.endpoint, query: queryTextOf(request) })
    lastDays.set(source, value.days.at(-1) ?? null)
    return value
  }

  async function named<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work()
    } catch (thrown) {
      if (!isUnknown(thrown)) throw thrown
      const { service } = thrown
      throw new AppError('not-found', `${name}: the service does not have it.`, {
        ...(service && { service }),
        cause: thrown,
      })
    }
  }

  async function inBatches(tickers: readonly string[], load: (batch: string[]) => Promise<HistoryMatrix[]>) {
    const batches: string[][] = []
    for (let from = 0; from < tickers.length; from += TICKERS_PER_REQUEST)
      batches.push(tickers.slice(from, from + TICKERS_PER_REQUEST))
    return joined((await Promise.all(batches.map(load))).flat())
  }

  return {
    lastDays,
    history: (request, name) => named(name, () => ask(request)),
    factor: (id, name) =>
      named(name, async () => {
        const request = { endpoint: 'tickers', id, universeSize: 'full' } as const
        const tickers = (await portfolio().tickers(request, false, signal)).value
        return inBatches(tickers, async (batch) => [await ask({ endpoint: 'factors', id, tickers: batch })])
      }),
    prices(tickers) {
      const load = async (batch: string[]): Promise<HistoryMatrix[]> => {
        try {
          const answer = await ask({ endpoint: 'prices', ticker: batch })
          // A history of one ticker may name its column differently.
          return [batch.length === 1 && answer.columns.length === 1 ? { ...answer, columns: batch } : answer]
        } catch (thrown) {
          if (!isUnknown(thrown)) throw thrown
          if (batch.length === 1) return []
          return (await Promise.all(batch.map((ticker) => load([ticker])))).flat()
        }
      }
      return inBatches([...new Set(tickers)].sort(), load)
    },
  }
}

/** Joins matrices with different columns on the days of any of them. */
function joined(parts: readonly HistoryMatrix[]): HistoryMatrix {
  if (parts.length === 1) return parts[0]
  const columns = parts.flatMap((part) => part.columns)
  const days = Int32Array.from(new Set(parts.flatMap((part) => [...part.days]))).sort()
  const rowOf = new Map(Array.from(days, (day, row) => [day, row]))
  const values = new Float64Array(days.length * columns.length).fill(NaN)
  let offset = 0
  for (const part of parts) {
    const width = part.columns.length
    for (const [row, day] of part.days.entries())
      values.set(part.values.subarray(row * width, (row + 1) * width), (rowOf.get(day) ?? 0) * columns.length + offset)
    offset += width
  }
  return { days, columns, values }
}
