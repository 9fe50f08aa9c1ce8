import { TESTED_VENUE, type TestedDatasetId, testedDatasetIds } from '#shared/catalog/testedDatasets.ts'
import type { TestedSeries } from '#shared/contract/areas/lab.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type DayTable, dayTable, weightTable } from '#shared/lab/portfolio/portfolioTables.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { resultFiles, type StoredResultDeps, storeResult } from '#core/series/storedResults.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { timeTable } from './writeTestTable.ts'

/** A test of the Lab, as its document is stored. */
interface NamedTest {
  id: string
  name: string
}

/**
 * Stores results of tested portfolios in the cache as daily series, next to the metrics that Perpscope computes. The
 * series are pinned, because only another run of the test could recompute them.
 */
export interface TestedSeriesStore {
  write(test: NamedTest, result: PortfolioResult): Promise<TestedSeries>
  /** Replaces the stored series of a test; does nothing if it has none. */
  refresh(test: NamedTest, result: PortfolioResult): Promise<void>
  /** Unpins the series of a deleted test, so that the cache may remove them; charts show them until then. */
  release(id: string): void
}

const LONGEST_NAME = 40

/** Column names that differ from those of the table of days, because formulas and files use lower case. */
const columnNames: Record<string, string> = {
  grossExposure: 'gross_exposure',
  netExposure: 'net_exposure',
  longExposure: 'long_exposure',
  shortExposure: 'short_exposure',
}

export function createTestedSeriesStore(deps: StoredResultDeps): TestedSeriesStore {
  const { store } = deps
  const ownerId = () => computedOwner(store.connections.active().id)
  const idSuffixOf = (id: string) => `-${id.replace(/[^a-z0-9]/gi, '').slice(0, 6)}`

  /** Finds the name under which the series of a test are stored; they keep it when the test is renamed. */
  function storedName(id: string): string | undefined {
    const stored = store.cacheIndex.series(ownerId()).find(({ series }) => isOfTest(series, id))
    return stored?.series.symbol
  }
  const isOfTest = ({ exchange, symbol }: OwnedSeries, id: string) =>
    exchange === TESTED_VENUE && symbol.endsWith(idSuffixOf(id))

  const seriesOf = (symbol: string, dataset: TestedDatasetId): OwnedSeries => ({
    connectionId: ownerId(),
    kind: 'metrics',
    dataset,
    exchange: TESTED_VENUE,
    symbol,
    interval: '1d',
    timestamp: 'exchange',
  })

  async function write({ id, name }: NamedTest, result: PortfolioResult): Promise<TestedSeries> {
    if (result.days.length === 0)
      throw new AppError('not-found', 'This test has no days, so there is nothing to chart.')
    const symbol = storedName(id) ?? slugOf(name) + idSuffixOf(id)
    const facts = { etag: result.documentHash }
    await storeResult(deps, seriesOf(symbol, 'tested_portfolio'), timeTable(snakeCased(dayTable(result))), facts)
    const weights = weightTable(result)
    await storeResult(deps, seriesOf(symbol, 'tested_weights'), weights && timeTable(withoutTime(weights)), facts)
    return {
      exchange: TESTED_VENUE,
      symbol,
      interval: '1d',
      timestamp: 'exchange',
      weightSymbols: tickersHeaviestFirst(weights),
    }
  }

  return {
    write,
    async refresh(test, result) {
      if (result.days.length > 0 && storedName(test.id) !== undefined) await write(test, result)
    },
    release(id) {
      const symbol = storedName(id)
      if (symbol === undefined) return
      for (const series of testedDatasetIds.map((dataset) => seriesOf(symbol, dataset)))
        for (const { period } of resultFiles(store, series)) store.files.setPinned(series, period, false)
    },
  }
}

/** Converts the name of a test to one that fits into folder names and addresses. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST_NAME) || 'test'

const snakeCased = ({ days, columns }: DayTable): DayTable => ({
  days,
  columns: columns.map(({ name, values }) => ({ name: columnNames[name] ?? name, values })),
})

/** Leaves out the weights of a symbol named `time`, because the time column of the file has that name. */
const withoutTime = ({ days, columns }: DayTable): DayTable => ({
  days,
  columns: columns.filter(({ name }) => name !== 'time'),
})

function tickersHeaviestFirst(weights: DayTable | null): string[] {
  const totals = (weights?.columns ?? []).map(({ name, values }) => ({
    name,
    total: values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0),
  }))
  return totals.sort((a, b) => b.total - a.total).map(({ name }) => name)
}
