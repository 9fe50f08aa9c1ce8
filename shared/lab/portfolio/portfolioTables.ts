import { csvLine } from '#shared/units/csvCell.ts'
import type { PortfolioResult } from './testResult.ts'

type Cell = string | number | null
type TableRow = Record<string, Cell>

/** Builds one CSV for every table of a tested portfolio: its days, symbols, worst days, folds, grid and capacity. */
export function portfolioTables(result: PortfolioResult): { name: string; csv: string }[] {
  const { walkForward, capacity, worstDays, symbols, warnings, bars } = result
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
    ['warnings', warnings.map(({ code, message }) => ({ code, message }))],
  ]
  return tables.filter(([, rows]) => rows.length > 0).map(([name, rows]) => ({ name, csv: csvOf(rows) }))
}

function dayRows({ days, net, gross, equity, amounts, exposure }: PortfolioResult): TableRow[] {
  return days.map((day, at) => ({
    day,
    net: net[at],
    gross: gross[at],
    equity: equity[at],
    price: amounts.price[at],
    funding: amounts.funding[at],
    fee: amounts.fee[at],
    spread: amounts.spread[at],
    slippage: amounts.slippage[at],
    traded: amounts.traded[at],
    grossExposure: exposure.gross[at],
    netExposure: exposure.net[at],
    longExposure: exposure.long[at],
    shortExposure: exposure.short[at],
  }))
}

function csvOf(rows: readonly TableRow[]): string {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return csvLine(header) + rows.map((row) => csvLine(header.map((key) => row[key] ?? null))).join('')
}
