import { column, last, type MetricColumn, sum } from './column.ts'
import type { KnownDataset } from './knownDatasets.ts'
import { metricDatasets } from './metricDatasets.ts'
import { isPortfolioDataset, portfolioColumn } from './portfolioSeries.ts'
import { isSqlDataset } from './sqlSeries.ts'

/** Venue under which the results of tested portfolios are stored as series; no service has it. */
export const TESTED_VENUE = 'lab'

/**
 * Datasets of tested portfolios by UTC day: figures of the day, and weights at the end of the day with a column per
 * symbol.
 */
export const testedDatasetIds = ['tested_portfolio', 'tested_weights'] as const
export type TestedDatasetId = (typeof testedDatasetIds)[number]

export const isTestedDataset = (id: string): id is TestedDatasetId => testedDatasetIds.some((each) => each === id)

/** Tells whether a dataset exists only as stored series: results of tests and queries, and histories of portfolios. */
export const isStoredDataset = (id: string): boolean =>
  isTestedDataset(id) || isSqlDataset(id) || isPortfolioDataset(id)

const NEVER_NULL = 'Never null while the test runs'
const NULL_AFTER_RUIN = 'Null after ruin'

const quoteSum = (name: string, label: string, formula: string) =>
  column(name, label, 'notional', 'quote', formula, { nullRule: NEVER_NULL, resample: sum })
const exposure = (name: string, label: string, formula: string) =>
  column(name, label, 'ratio', 'none', formula, { nullRule: NULL_AFTER_RUIN, resample: last, large: 'far from 0' })
const dailyReturn = (name: string, label: string, formula: string) =>
  column(name, label, 'return', 'return', formula, { nullRule: NEVER_NULL })

/** Columns of a tested portfolio per day, besides `time`, the start of the day. */
const testedColumns: readonly MetricColumn[] = [
  column('equity', 'Equity', 'notional', 'quote', 'Equity at the end of the day', {
    nullRule: NEVER_NULL,
    resample: last,
  }),
  dailyReturn('net', 'Net return', 'Return of the day after funding and costs'),
  dailyReturn('gross', 'Gross return', 'Return of the day by price alone, on the same positions and equity'),
  exposure('gross_exposure', 'Gross exposure', 'Σ |position| / equity after the last trade of the day'),
  exposure('net_exposure', 'Net exposure', 'Σ position / equity after the last trade of the day'),
  exposure('long_exposure', 'Long exposure', 'Σ long positions / equity after the last trade of the day'),
  exposure('short_exposure', 'Short exposure', 'Σ short positions / equity after the last trade of the day'),
  quoteSum('price', 'Gain by price', 'Σ units · change of price over the day'),
  quoteSum('funding', 'Funding', 'Σ funding of the day; negative if paid'),
  quoteSum('fee', 'Fees', 'Σ fees of the day; negative if paid'),
  quoteSum('spread', 'Spread paid', 'Σ half spreads of the day; negative if paid'),
  quoteSum('slippage', 'Slippage paid', 'Σ slippage of the day; negative if paid'),
  quoteSum('traded', 'Traded', 'Σ |trade| of the day, settlements included'),
]

/** Describes the daily figures of tested portfolios as a dataset, for the series picker. */
export const testedDataset: KnownDataset = {
  id: 'tested_portfolio',
  name: 'Tested portfolio',
  category: 'Lab',
  description: 'Equity, exposure and costs of a tested portfolio by UTC day',
  minTier: null,
  events: null,
  columns: testedColumns.map(({ name, label, formula, ...meaning }) => ({
    name,
    label,
    formula,
    meaning,
    serviceTexts: null,
  })),
  isListed: true,
  serviceTexts: null,
}

/** Finds a column of a tested portfolio; every column of weights is named after a symbol. */
function testedColumn(dataset: string, name: string): MetricColumn | undefined {
  if (dataset === 'tested_portfolio') return testedColumns.find((each) => each.name === name)
  if (dataset !== 'tested_weights') return undefined
  const base = /(?:^|\/)\w+-([^-]+)-[^-]+$/.exec(name)?.[1] ?? name
  return exposure(name, `Weight of ${base}`, `Position in ${name} / equity at the end of the day`)
}

/** Finds a column of a metric dataset, a tested portfolio or a portfolio of the service; undefined if none has it. */
export const declaredColumn = (dataset: string, name: string): MetricColumn | undefined =>
  metricDatasets.find(({ id }) => id === dataset)?.columns.find((each) => each.name === name) ??
  testedColumn(dataset, name) ??
  portfolioColumn(dataset, name)
