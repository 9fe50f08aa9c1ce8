import { deserialize } from 'node:v8'
import { openValidated } from '#core/series/readSeries.ts'
import { readTimesMs } from '#core/series/rowSelection.ts'
import { alignSeries } from '#shared/formula/alignSeries.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { cacheRules } from '#shared/lab/cacheRules.ts'
import { documentedColumn } from '#shared/lab/cacheColumns.ts'
import { type Panel, type PanelColumn, PanelError, symbolSeries } from '#shared/lab/panel.ts'
import { columnsNamed } from '#shared/lab/panelFormula.ts'
import { exposureFactors } from '#shared/lab/portfolio/exposureFactors.ts'
import {
  announcedTimes,
  combineTimes,
  type FundingTimes,
  periodicTimes,
  ratesDue,
  type RateSeries,
} from '#shared/lab/portfolio/fundingTimes.ts'
import { portfolioFormulas, type PortfolioStudy } from '#shared/lab/portfolio/portfolioStudy.ts'
import type { PortfolioInput } from '#shared/lab/portfolio/runPortfolio.ts'
import { warning } from '#shared/lab/studyWarnings.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { DatasetCache, readCachePanel } from '../cachePanel.ts'
import type { CachePlan } from '../cachePlan.ts'
import { withFileName } from '../panelFile.ts'
import {
  cacheFormulas,
  type CacheTestContent,
  FUNDING,
  type FundingPlan,
  type RawFundingFile,
  SHORTER_INTERVAL_RATES,
} from './cacheTest.ts'

/** Decoded columns of this thread, kept for the next test on the same files. */
const datasetCache = new DatasetCache()

/** Reads the rows of a test from the cache; throws a `PanelError` if a file cannot be used. */
export async function readCacheTest(
  study: PortfolioStudy,
  sharedBytes: SharedArrayBuffer,
): Promise<{ input: Omit<PortfolioInput, 'study'>; sealedRows: number }> {
  const content = deserialize(Buffer.from(new Uint8Array(sharedBytes))) as CacheTestContent
  const { plan, universe, exposure, funding } = content
  const cachePanel = readCachePanel(plan, universe, datasetCache, () => undefined)
  const { notDownloaded } = cachePanel
  const completePanel = withEmptyColumns(study, cachePanel.panel)
  const panel = funding ? await withFunding(completePanel, plan, funding, study) : completePanel
  const isMissing = notDownloaded.files > 0
  const scale = study.source?.exposureBy?.scale
  return {
    input: {
      panel,
      rules: cacheRules(memoryPanel(panel), plan.symbols),
      warnings: [...content.warnings, ...(isMissing ? [warning('not-downloaded')] : [])],
      ...(isMissing && { notDownloaded }),
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
    [...cacheFormulas(study), ...portfolioFormulas(study)].flatMap(({ field, formula }) =>
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

/** Adds the column `funding`: the rates due in each bar. */
async function withFunding(panel: Panel, plan: CachePlan, funding: FundingPlan, study: PortfolioStudy): Promise<Panel> {
  const { symbols, timeCount } = panel
  const column = emptyColumn(panel)
  const indexByName = new Map(plan.symbols.map(({ name }, index) => [name, index]))
  for (const [symbol, name] of symbols.entries()) {
    const files = funding.announcements[indexByName.get(name) ?? -1] ?? []
    const dueTimes = await fundingTimes(panel, files, funding.everyMs, study.source?.timestamp ?? 'exchange')
    const shorterIntervalRates = ratesOf(panel, symbol, true)
    const dueRates = panel.intervalMs > funding.everyMs ? shorterIntervalRates : ratesOf(panel, symbol, false)
    const { values, valid } = ratesDue(panel, dueTimes, dueRates, shorterIntervalRates)
    column.values.set(values, symbol * timeCount)
    column.valid.set(valid, symbol * timeCount)
  }
  return { ...panel, columns: new Map([...panel.columns, [FUNDING, column]]) }
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

/**
 * Finds the funding times of a symbol: those that its raw events announce and, where there are no announcements, those
 * of the regular period.
 */
async function fundingTimes(
  { firstSlot, intervalMs, timeCount }: Panel,
  files: readonly RawFundingFile[],
  everyMs: number,
  clock: 'exchange' | 'true',
): Promise<FundingTimes> {
  const startMs = firstSlot * intervalMs
  const endMs = startMs + timeCount * intervalMs
  const periodicFundingTimes = periodicTimes(startMs - everyMs, endMs, everyMs)
  if (files.length === 0) return periodicFundingTimes
  const parts = await Promise.all(files.map((file) => withFileName(file.path, () => readAnnouncements(file, clock))))
  const joinTimes = (timesIn: (part: (typeof parts)[number]) => Float64Array) =>
    Float64Array.from(parts.flatMap((part) => [...timesIn(part)]))
  const announcedFundingTimes = announcedTimes({
    publishedMs: joinTimes(({ publishedMs }) => publishedMs),
    nextMs: joinTimes(({ nextMs }) => nextMs),
  })
  const days = files.map((file) => ({ startMs: file.startDay * MS_PER_DAY, endMs: file.endDay * MS_PER_DAY }))
  return combineTimes(announcedFundingTimes, days, periodicFundingTimes)
}

/** Reads the funding times that raw funding events announce, and when each announcement was published. */
function readAnnouncements(source: RawFundingFile, clock: 'exchange' | 'true') {
  using file = openValidated(source)
  const timesOf = (name: string) => {
    const column = file.columns.find((one) => one.name === name)
    if (!column) throw new PanelError(`the column ${name} is missing.`)
    return readTimesMs(file, column, { from: 0, to: file.rows })
  }
  return {
    publishedMs: timesOf(clock === 'exchange' ? 'exchange_timestamp' : 'local_timestamp'),
    nextMs: timesOf('next_funding_timestamp'),
  }
}
