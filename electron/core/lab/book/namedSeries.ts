import { AppError } from '#shared/contract/errors.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import type { NamedSeries } from '#shared/portfolio/book/dailyTable.ts'
import { readOwnReturns, readTickerFile } from '#shared/portfolio/book/ownFile.ts'
import { parseSeriesName, seriesKinds } from '#shared/portfolio/book/seriesName.ts'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import type { DailySeries, HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { returnsOfWeights } from '#shared/portfolio/weightsReturns.ts'
import type { KeptRuns } from './keptWeights.ts'
import type { OwnFiles } from './ownFiles.ts'
import type { ServedTables } from './servedTables.ts'

interface NamedSeriesDeps {
  served: ServedTables
  runs: KeptRuns
  own: OwnFiles
}

/** Finds daily series by their names; one that is not there is an error that names it. */
export async function namedSeries(names: readonly string[], deps: NamedSeriesDeps): Promise<NamedSeries[]> {
  const parsed = names.map((name) => {
    const found = parseSeriesName(name)
    if (found) return { name, ...found }
    throw new AppError('bad-input', `${name} is not a series: it begins with ${seriesKinds.join(':, ')}:.`)
  })
  const tickers = parsed.flatMap(({ kind, id }) => (kind === 'price' ? [id] : []))
  const prices = tickers.length === 0 ? null : await deps.served.prices(tickers)
  const series: NamedSeries[] = []
  for (const { name, kind, id } of parsed)
    series.push({
      name,
      series: kind === 'price' ? returnsOfTicker(prices, id) : await seriesOf(kind, id, name, deps),
    })
  return series
}

async function seriesOf(
  kind: 'portfolio' | 'test' | 'blend' | 'own',
  id: string,
  name: string,
  { served, runs, own }: NamedSeriesDeps,
): Promise<DailySeries> {
  if (kind === 'test') return netReturns(runs.test(id))
  if (kind === 'blend') return netReturns(runs.blend(id))
  if (kind === 'own') return ownSeries(id, own, served)
  return columnSeries(await served.history({ endpoint: 'returns', portfolio: id }, name), 0)
}

function columnSeries({ days, columns, values }: HistoryMatrix, column: number): DailySeries {
  const cells = Float64Array.from(days, (_, row) => values[row * columns.length + column])
  return { days, values: cells, valid: Uint8Array.from(cells, (value) => Number(Number.isFinite(value))) }
}

function returnsOfTicker(prices: HistoryMatrix | null, ticker: string): DailySeries {
  const column = prices?.columns.indexOf(ticker) ?? -1
  const series = prices && column >= 0 ? columnSeries(prices, column) : null
  if (!series?.valid?.includes(1))
    throw new AppError('not-found', `price:${ticker}: the service has no prices of this ticker.`)
  return returnsOfPrices(series)
}

/** Own weights earn the service's returns of their tickers, without costs. */
async function ownSeries(name: string, own: OwnFiles, served: ServedTables): Promise<DailySeries> {
  const { kind, text, unit } = own.find(name)
  const file = { file: name, text }
  if (kind === 'returns') return readOwnReturns(file, unit)
  if (kind === 'prices') throw new AppError('not-found', `The own file “${name}” has prices, not returns or weights.`)
  const { days, tickers, values } = readTickerFile(file, 'weight')
  const prices = await served.prices(tickers)
  const rowOf = new Map(Array.from(prices.days, (day, row) => [day, row]))
  const columnOf = new Map(prices.columns.map((ticker, column) => [ticker, column]))
  const rows = Array.from(days, (day, row) => ({
    day,
    cells: tickers.flatMap((ticker, column) => {
      const weight = values[row * tickers.length + column]
      return Number.isNaN(weight) ? [] : [{ line: 0, ticker, weight }]
    }),
  }))
  const priceOf = (ticker: string, day: number) => {
    const [row, column] = [rowOf.get(day), columnOf.get(ticker)]
    const price = row === undefined || column === undefined ? NaN : prices.values[row * prices.columns.length + column]
    return Number.isNaN(price) ? undefined : price
  }
  return returnsOfWeights({ kind: 'weights', days: rows, warnings: [] }, priceOf, 0).returns
}
