import { TESTED_VENUE, type TestedDatasetId, testedDatasetIds } from '#shared/catalog/testedDatasets.ts'
import type { TestedSeries } from '#shared/contract/areas/lab.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type DayTable, dayTable, weightTable } from '#shared/lab/portfolio/portfolioTables.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { dayFromNumber, periodDays } from '#shared/time/periods.ts'
import type { ValidationPool } from '#core/downloads/validationPool.ts'
import type { Clock } from '#core/ports.ts'
import { removeFile } from '#core/store/fileRemoval.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import { dayTableParquet } from './writeTestTable.ts'

export interface TestedSeriesDeps {
  store: Store
  commit: ValidationPool['commit']
  clock: Clock
}

/** A test of the Lab, as its document is stored. */
interface NamedTest {
  id: string
  name: string
}

/**
 * Stores results of tested portfolios in the cache as daily series, beside those computed here. They are pinned, because
 * nothing but another run of the test could make them again.
 */
export interface TestedSeriesStore {
  write(test: NamedTest, result: PortfolioResult): Promise<TestedSeries>
  /** Replaces the series of a test that has some. */
  refresh(test: NamedTest, result: PortfolioResult): Promise<void>
  /** Lets the cache remove the series of a test that is gone; charts show them as long as they are there. */
  release(id: string): void
}

const FIRST_DAY = -200_000
const LAST_DAY = 200_000
const LONGEST_NAME = 40

/** Names of columns that differ from those of the table of days, because formulas and files write them in small letters. */
const columnNames: Record<string, string> = {
  grossExposure: 'gross_exposure',
  netExposure: 'net_exposure',
  longExposure: 'long_exposure',
  shortExposure: 'short_exposure',
}

export function createTestedSeriesStore(deps: TestedSeriesDeps): TestedSeriesStore {
  const { store } = deps
  const owner = () => computedOwner(store.connections.active().id)
  const markOf = (id: string) => `-${id.replace(/[^a-z0-9]/gi, '').slice(0, 6)}`

  /** Finds the name under which the series of a test are stored; a test that is renamed keeps its series. */
  function storedName(id: string): string | undefined {
    const known = store.cacheIndex.series(owner()).find(({ series }) => isOf(series, id))
    return known?.series.symbol
  }
  const isOf = ({ exchange, symbol }: OwnedSeries, id: string) =>
    exchange === TESTED_VENUE && symbol.endsWith(markOf(id))

  const seriesOf = (symbol: string, dataset: TestedDatasetId): OwnedSeries => ({
    connectionId: owner(),
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
    const symbol = storedName(id) ?? readableName(name) + markOf(id)
    const { documentHash } = result
    await writeTable(deps, seriesOf(symbol, 'tested_portfolio'), snakeCased(dayTable(result)), documentHash)
    const weights = weightTable(result)
    await writeTable(deps, seriesOf(symbol, 'tested_weights'), weights && withoutTime(weights), documentHash)
    return { exchange: TESTED_VENUE, symbol, interval: '1d', timestamp: 'exchange', weights: largestFirst(weights) }
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
        for (const { period } of store.files.ofSeries(series, FIRST_DAY, LAST_DAY))
          store.files.setPinned(series, period, false)
    },
  }
}

/** Shortens the name of a test to what a folder and an address can hold. */
const readableName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, LONGEST_NAME) || 'test'

const snakeCased = ({ days, columns }: DayTable): DayTable => ({
  days,
  columns: columns.map(({ name, values }) => ({ name: columnNames[name] ?? name, values })),
})

/** Leaves out a symbol of a panel that is called like the column of times. */
const withoutTime = ({ days, columns }: DayTable): DayTable => ({
  days,
  columns: columns.filter(({ name }) => name !== 'time'),
})

function largestFirst(weights: DayTable | null): string[] {
  const sizes = (weights?.columns ?? []).map(({ name, values }) => ({
    name,
    size: values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0),
  }))
  return sizes.sort((a, b) => b.size - a.size).map(({ name }) => name)
}

/** Writes a file for each month of a table and removes the months that an earlier result had beyond it. */
async function writeTable(
  { store, commit, clock }: TestedSeriesDeps,
  series: OwnedSeries,
  table: DayTable | null,
  documentHash: string,
): Promise<void> {
  const { root } = store.folder
  const months = new Map<string, number[]>()
  for (const [at, day] of (table?.days ?? []).entries()) {
    const month = day.slice(0, 7)
    months.set(month, [...(months.get(month) ?? []), at])
  }
  const written = await Promise.all(
    [...months].map(async ([period, rows]) => {
      const path = store.folder.pathOf(series, period)
      const { sizeBytes, sha256, facts } = await commit({ path, root, bytes: [dayTableParquet(rowsOf(table!, rows))] })
      const { start, end } = periodDays(period)!
      const nowMs = clock.nowMs()
      const file: CachedFile = {
        series,
        period,
        startDay: start,
        endDay: end,
        state: table!.days[rows.at(-1)!] === dayFromNumber(end - 1) ? 'final' : 'partial',
        origin: 'computed',
        sizeBytes,
        sha256,
        etag: documentHash,
        fetchedAtMs: nowMs,
        usedAtMs: nowMs,
        pinned: true,
        changedUpstreamAtMs: null,
      }
      return { file, facts }
    }),
  )
  store.files.record(written)
  const gone = store.files.ofSeries(series, FIRST_DAY, LAST_DAY).filter(({ period }) => !months.has(period))
  store.files.forget(gone)
  await Promise.all(gone.map(({ period }) => removeFile(store.folder.pathOf(series, period))))
}

const rowsOf = ({ days, columns }: DayTable, rows: readonly number[]): DayTable => ({
  days: rows.map((at) => days[at]),
  columns: columns.map(({ name, values }) => ({ name, values: rows.map((at) => values[at]) })),
})
