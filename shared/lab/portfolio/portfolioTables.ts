import type { FundingRow } from '#shared/funding/fundingRows.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { csvOf, finiteCell, type TableRow } from '../studyTables.ts'
import type { PortfolioResult } from './testResult.ts'

/** Builds a CSV for every table of a tested portfolio. */
export const portfolioTables = (result: PortfolioResult): { name: string; csv: string }[] =>
  portfolioTableRows(result).map(({ name, rows }) => ({ name, csv: csvOf(rows) }))

/** Lists the tables of a tested portfolio that have rows, from its days to its warnings. */
function portfolioTableRows(result: PortfolioResult): { name: string; rows: TableRow[] }[] {
  const { walkForward, capacity, worstDays, symbols, warnings, bars, data } = result
  const tables: [string, TableRow[]][] = [
    ['days', dayRows(result)],
    ['symbols', symbols],
    [
      'worstDays',
      worstDays.flatMap(({ day, net, weights }) => weights.map(({ symbol, weight }) => ({ day, net, symbol, weight }))),
    ],
    ['folds', (walkForward?.folds ?? []).map(({ chosen, ...fold }) => ({ ...fold, ...chosen }))],
    ['grid', (walkForward?.grid ?? []).map(({ parameters, ...row }) => ({ ...parameters, ...row }))],
    ['capacity', (capacity ?? []).map(({ ruined, ...level }) => ({ ...level, ruined: String(ruined) }))],
    ['bars', (bars ?? []).map(({ units: _units, ...bar }) => bar)],
    ['funding', fundingTableRows(data.funding ?? [])],
    ['warnings', warnings.map(({ code, message }) => ({ code, message }))],
  ]
  return tables.filter(([, rows]) => rows.length > 0).map(([name, rows]) => ({ name, rows }))
}

/** Lists the funding periods of the symbols; a period that is unknown is empty. */
const fundingTableRows = (rows: readonly FundingRow[]): TableRow[] =>
  rows.map(({ symbol, from, to, every, basis }) => ({ symbol, from, to, every, basis }))

/** Daily table of a tested portfolio with named numeric columns. */
export interface DayTable {
  days: readonly string[]
  columns: { name: string; values: readonly (number | null)[] }[]
}

/** Lists returns, equity, amounts and exposure by day. */
export function dayTable({ days, net, gross, equity, amounts, exposure }: PortfolioResult): DayTable {
  const columns = {
    net,
    gross,
    equity,
    ...amounts,
    grossExposure: exposure.gross,
    netExposure: exposure.net,
    longExposure: exposure.long,
    shortExposure: exposure.short,
  }
  return {
    days,
    columns: Object.entries(columns).map(([name, values]) => ({
      name,
      values: values.map((value) => finiteCell(value)),
    })),
  }
}

/** Lists the weight of each symbol by day, in the form of the portfolio service; null if weights were not kept. */
export function weightTable({ dailyWeights }: PortfolioResult): DayTable | null {
  if (!dailyWeights) return null
  const { days, symbols, weights } = dailyWeights
  return { days, columns: symbols.map((name, at) => ({ name, values: weights.map((row) => finiteCell(row[at])) })) }
}

/** Writes a table as CSV. */
export const dayTableCsv = ({ days, columns }: DayTable): string =>
  [
    csvLine(['day', ...columns.map(({ name }) => name)]),
    ...days.map((day, at) => csvLine([day, ...columns.map(({ values }) => values[at])])),
  ].join('')

const dayRows = (result: PortfolioResult): TableRow[] => {
  const { days, columns } = dayTable(result)
  return days.map((day, at) => ({ day, ...Object.fromEntries(columns.map(({ name, values }) => [name, values[at]])) }))
}
