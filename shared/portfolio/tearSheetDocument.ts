import type { FileWarning } from '#shared/contract/areas/returns.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import type { NumberColumn } from '#shared/contract/frame.ts'
import { benchmarkFigures } from '#shared/portfolio/benchmark.ts'
import type { PeriodReturn } from '#shared/portfolio/calendarReturns.ts'
import { figures } from '#shared/portfolio/figures.ts'
import { type TearSheet, rollingFigures } from '#shared/portfolio/tearSheet.ts'
import { lastRollingValues } from '#shared/portfolio/tearSheetSections.ts'
import type { NumberKind } from '#shared/units/numberKinds.ts'
import { dayFromNumber } from '#shared/time/periods.ts'

/** Portfolio and parameters of the request. */
export interface TearSheetRequest {
  portfolio: string
  smoothing?: string
  exchange?: string
  benchmark?: string
  /** Annual risk-free rate, as a fraction. */
  riskFree: number
  /** Facts about the user's own file; absent for a portfolio of the service. */
  own?: OwnSource
}

/** User's file that the returns come from. */
interface OwnSource {
  file: string
  /** Fraction of gross weight that has prices; null for a file of returns. */
  coverage: number | null
  /** Trading cost in basis points; null for a file of returns. */
  costBps: number | null
}

/** The tear sheet as a JSON document: days as text, null for undefined values. */
export type TearSheetDocument = ReturnType<typeof tearSheetDocument>

const cells = ({ values, valid }: NumberColumn): (number | null)[] =>
  Array.from(values, (value, row) => (valid?.[row] === 0 ? null : value))

const datedReturns = (periods: readonly PeriodReturn[]) =>
  periods.map(({ startDay, return: value, dayCount }) => ({ start: dayFromNumber(startDay), return: value, dayCount }))

const extremesOf = ({ best, worst }: TearSheet['extremeDays']) => ({
  best: datedReturns(best),
  worst: datedReturns(worst),
})

interface Definition {
  id: string
  name: string
  unit: NumberKind
  counted?: string
  formula: string
}

const definition = ({ id, name, unit, counted, formula }: Definition): Definition => ({
  id,
  name,
  unit,
  ...(counted && { counted }),
  formula,
})

export function tearSheetDocument(
  request: TearSheetRequest,
  sheet: TearSheet,
  warnings: readonly (string | FileWarning)[],
  freshness: PortfolioFreshness | null,
) {
  const { days, rolling, benchmark } = sheet
  const index = Array.from(days, dayFromNumber)
  return {
    portfolio: request.portfolio,
    smoothing: request.smoothing ?? null,
    exchange: request.own ? null : (request.exchange ?? 'unconstrained'),
    ...request.own,
    start: index.at(0) ?? null,
    end: index.at(-1) ?? null,
    conventions: sheet.conventions,
    riskFree: request.riskFree,
    /** Warnings about corrected rows and implausible returns. */
    warnings,
    figures: sheet.figures,
    benchmark: benchmark && { ticker: request.benchmark ?? '', figures: benchmark.figures },
    /** Rolling statistics on the last day. */
    rolling: {
      windowDays: rolling.window,
      figures: lastRollingValues(sheet),
    },
    windows: sheet.windows.map(({ id, name, startDay, figures: values }) => ({
      id,
      name,
      start: startDay === null ? null : dayFromNumber(startDay),
      figures: values,
    })),
    years: sheet.years,
    drawdowns: sheet.episodes.map(({ startDay, troughDay, endDay, recoveryDay, depth, lengthDays }) => ({
      start: dayFromNumber(startDay),
      trough: dayFromNumber(troughDay),
      end: dayFromNumber(endDay),
      recovery: recoveryDay === null ? null : dayFromNumber(recoveryDay),
      depth,
      lengthDays,
    })),
    extremes: {
      days: extremesOf(sheet.extremeDays),
      weeks: extremesOf(sheet.extremeWeeks),
      months: extremesOf(sheet.extremeMonths),
    },
    /** Number of daily returns per bin; `firstBin · width` is the lower edge of the first. */
    distribution: sheet.distribution && { ...sheet.distribution, counts: [...sheet.distribution.counts] },
    definitions: [...figures, ...(benchmark ? benchmarkFigures : []), ...rollingFigures].map(definition),
    daily: {
      index,
      returns: [...sheet.returns],
      equity: cells(sheet.equity),
      drawdown: cells(sheet.drawdowns),
      rollingSharpe: cells(rolling.sharpe),
      rollingVolatility: cells(rolling.volatility),
    },
    learned: freshness,
  }
}

/** Writes a warning in one line. */
export const warningText = (warning: string | FileWarning): string =>
  typeof warning === 'string' ? warning : `line ${warning.line}: ${warning.detail}`
