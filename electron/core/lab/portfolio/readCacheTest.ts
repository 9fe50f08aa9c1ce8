import { deserialize } from 'node:v8'
import { type FundingRow, periodsOfRows } from '#shared/funding/fundingRows.ts'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { cacheRules } from '#shared/lab/cacheRules.ts'
import { documentedColumn } from '#shared/lab/cacheColumns.ts'
import { type Panel, type PanelColumn, PanelError, symbolSeries } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import { exposureFactors } from '#shared/lab/portfolio/exposureFactors.ts'
import { ratesDue, type RateSeries } from '#shared/funding/ratesDue.ts'
import { formulasOf } from '#shared/lab/kinds.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import type { PortfolioInput } from '#shared/lab/portfolio/runPortfolio.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import { DatasetCache, readCachePanel } from '../cachePanel.ts'
import type { CachePlan } from '../cachePlan.ts'
import { ownUnits, withOwnColumns } from '../ownPanel.ts'
import { cacheFormulas, type CacheTestContent, FUNDING, namesFunding, SHORTER_INTERVAL_RATES } from './cacheTest.ts'

/** Decoded columns of this thread, kept for the next test on the same files. */
const datasetCache = new DatasetCache()

/** Reads the rows of a test from the cache; throws a `PanelError` if a file cannot be used. */
export function readCacheTest(
  study: PortfolioStudy,
  sharedBytes: SharedArrayBuffer,
): { input: Omit<PortfolioInput, 'study'>; sealedRows: number } {
  const content = deserialize(Buffer.from(new Uint8Array(sharedBytes))) as CacheTestContent
  const { plan, universe, exposure, funding } = content
  const cachePanel = readCachePanel(plan, universe, datasetCache, () => undefined)
  const { notDownloaded } = cachePanel
  const completePanel = withEmptyColumns(study, withOwnColumns(cachePanel.panel, plan))
  const funded = funding && namesFunding(study) ? withFunding(completePanel, funding) : null
  const panel = funded?.panel ?? completePanel
  const isMissing = notDownloaded.files > 0
  const scale = study.source?.exposureBy?.scale
  return {
    input: {
      panel,
      rules: cacheRules(memoryPanel(panel), plan.symbols, ownUnits(plan)),
      warnings: [...content.warnings, ...(isMissing ? [warning('not-downloaded')] : [])],
      ...(isMissing && { notDownloaded }),
      ...(funding && { funding: { rows: funding, due: funded?.due ?? null } }),
      ...(exposure && scale && { exposure: exposureFactors(panel, exposure, scale) }),
    },
    sealedRows: content.sealed ? countSealed(content.sealed) : 0,
  }
}

/** Counts the rows of a plan; 0 if the files have none in the plan's range. */
function countSealed(plan: CachePlan): number {
  try {
    return readCachePanel(plan, null, new DatasetCache(), () => undefined).panel.rows
  } catch (error) {
    if (error instanceof PanelError) return 0
    throw error
  }
}

/**
 * Adds documented columns that no file has, with all values missing, so that the values of formulas that name them
 * count as unknown and the test is not refused.
 */
function withEmptyColumns(study: PortfolioStudy, panel: Panel): Panel {
  const optionalColumns = columnsNamed(
    [...cacheFormulas(study), ...formulasOf(study)].flatMap(({ field, formula }) =>
      ['signal', 'price'].includes(field) ? [] : [formula],
    ),
  )
  const absentColumns = optionalColumns.filter(
    (name) => !panel.columns.has(name) && !panel.otherColumns.includes(name) && documentedColumn(name) !== null,
  )
  return absentColumns.length === 0
    ? panel
    : {
        ...panel,
        columns: new Map([...panel.columns, ...absentColumns.map((name) => [name, emptyColumn(panel)] as const)]),
      }
}

const emptyColumn = ({ timeCount, symbols }: Panel): PanelColumn => ({
  values: new Float64Array(timeCount * symbols.length),
  valid: new Uint8Array(timeCount * symbols.length),
})

/** Adds the column `funding`: the rates due in each bar, and counts the funding times by cell. */
function withFunding(panel: Panel, rows: readonly FundingRow[]) {
  const { symbols, timeCount } = panel
  const column = emptyColumn(panel)
  const due = { times: new Uint16Array(column.values.length), assumedTimes: new Uint16Array(column.values.length) }
  const periodsByName = periodsOfRows(rows)
  for (const [symbol, name] of symbols.entries()) {
    const periods = periodsByName.get(name) ?? []
    const rates = ratesDue(panel, periods, ratesOf(panel, symbol, false), ratesOf(panel, symbol, true))
    const from = symbol * timeCount
    column.values.set(rates.values, from)
    column.valid.set(rates.valid, from)
    due.times.set(rates.times, from)
    due.assumedTimes.set(rates.assumedTimes, from)
  }
  return { panel: { ...panel, columns: new Map([...panel.columns, [FUNDING, column]]) }, due }
}

/** Finds the cached rates of a symbol: those of the test's interval, or of a shorter one. */
function ratesOf(panel: Panel, symbol: number, isShorterInterval: boolean): RateSeries {
  const { dataset, column, alias } = SHORTER_INTERVAL_RATES
  const rates = panel.columns.get(`${isShorterInterval ? alias : dataset}.${column}`)
  if (!rates) return { ...panel, values: new Float64Array(0), valid: null }
  const series = symbolSeries(panel, rates, symbol)
  // The rate of a longer interval is known only at its end, as in all formulas.
  return isShorterInterval ? series : alignSeries(series, { ...panel, rows: panel.timeCount })
}
