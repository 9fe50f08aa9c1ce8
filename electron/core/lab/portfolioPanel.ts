import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { LabDocument, PortfolioSubject } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { membershipTest, type UniverseRows } from '#shared/lab/universe.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { fileNameWithEnding } from '#shared/units/fileNames.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber } from '#shared/time/periods.ts'
import { finiteOrNull } from '#shared/statistics/finiteOrNull.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import { makeFolders } from '#core/store/makeFolders.ts'
import { type PanelRows, writePanelRows } from './panelRows.ts'

export interface PortfolioPanelDeps {
  dataDir: string
  openPortfolio: OpenPortfolio
  clock: Clock
}

/** Histories of the portfolio service to build a panel from. */
export interface PortfolioPanelQuery {
  connectionId: string
  subject: PortfolioSubject
  /** Universe whose members are marked by date; null for all tickers. */
  universe: { size: '20' | '30' | '40'; exchange: NonNullable<PortfolioSubject['exchange']> } | null
}

/** Writes panels from histories of the portfolio service, each with a provenance file. */
export interface PortfolioPanels {
  /**
   * Writes a panel with the price, the factor or weight, and whether the ticker is a member, by date and ticker.
   * @returns the path of the panel
   */
  write(query: PortfolioPanelQuery, signal: AbortSignal): Promise<string>
}

/** Returns the name of the panel's column with the values of a subject. */
const columnOf = ({ kind }: PortfolioSubject) => (kind === 'weights' ? 'weight' : 'factor')

export function createPortfolioPanels({ dataDir, openPortfolio, clock }: PortfolioPanelDeps): PortfolioPanels {
  return {
    async write({ connectionId, subject, universe }, signal) {
      const portfolio = openPortfolio(connectionId)
      const allDays = { start: null, end: null }
      const history = (request: HistoryRequest) => portfolio.history(request, allDays, {}, signal)
      const valuesRequest = requestOf(subject)
      const values = await history(valuesRequest)
      const tickers = values.value.columns
      if (tickers.length === 0) throw new AppError('not-found', 'There are no values to write to a panel.')
      const pricesRequest = { endpoint: 'prices' as const, ticker: tickers }
      const prices = await history(pricesRequest)
      const universeRequest = universe && { endpoint: 'universe' as const, ...universe }
      const members = universeRequest && (await history(universeRequest))
      const rows = panelRows(values.value, prices.value, members && universeOf(members.value))
      const parts = { [columnOf(subject)]: { request: valuesRequest, ...values.freshness } }
      const provenance = {
        ...parts,
        close: { request: pricesRequest, ...prices.freshness },
        ...(members && { member: { request: universeRequest, ...members.freshness } }),
        connectionId: portfolio.connectionId,
        written: new Date(clock.nowMs()).toISOString(),
      }
      return save(join(dataDir, 'panels'), subject, rows, provenance)
    },
  }
}

const requestOf = (subject: PortfolioSubject): HistoryRequest => {
  const { id, smoothing, exchange } = subject
  return subject.kind === 'weights'
    ? { endpoint: 'history', portfolio: id, ...(smoothing && { smoothing }), ...(exchange && { exchange }) }
    : { endpoint: 'factors', id, tickers: subject.tickers, ...(smoothing && { smoothing }) }
}

const universeOf = ({ days, columns, values }: HistoryMatrix): UniverseRows => ({
  days,
  tickers: columns,
  members: Uint8Array.from(values, (value) => (value === 1 ? 1 : 0)),
})

/**
 * Joins values and prices by day and ticker. The members of a universe on one day apply from the next day on, because
 * they are known only then.
 */
export function panelRows(values: HistoryMatrix, prices: HistoryMatrix, universe: UniverseRows | null): PanelRows {
  const times: number[] = []
  const symbols: string[] = []
  const [close, subjectValues]: (number | null)[][] = [[], []]
  const member: boolean[] | null = universe && []
  const priceRowByDay = new Map(Array.from(prices.days, (day, row) => [day, row]))
  const priceColumnByTicker = new Map(prices.columns.map((ticker, index) => [ticker, index]))
  const membershipTests = values.columns.map((ticker) => universe && membershipTest(universe, ticker))
  values.days.forEach((day, row) => {
    const priceRow = priceRowByDay.get(day)
    values.columns.forEach((ticker, index) => {
      const priceColumn = priceColumnByTicker.get(ticker)
      const price =
        priceRow === undefined || priceColumn === undefined
          ? null
          : finiteOrNull(prices.values[priceRow * prices.columns.length + priceColumn])
      const value = finiteOrNull(values.values[row * values.columns.length + index])
      if (price === null && value === null) return
      times.push(day * MS_PER_DAY)
      symbols.push(ticker)
      close.push(price)
      subjectValues.push(value)
      member?.push(membershipTests[index]?.(day * MS_PER_DAY) === 1)
    })
  })
  return { times, symbols, columns: [close, subjectValues], member }
}

/**
 * Writes a panel under a name derived from its content, so that a panel behind an earlier result is never overwritten.
 */
async function save(folder: string, subject: PortfolioSubject, rows: PanelRows, provenance: object): Promise<string> {
  makeFolders(folder)
  const shape = { columns: ['close', columnOf(subject)], hasMember: rows.member !== null }
  const content = createHash('sha256')
    .update(JSON.stringify([shape, rows]))
    .digest('hex')
    .slice(0, 12)
  const lastMs = rows.times.at(-1)
  const untilSuffix = lastMs === undefined ? '' : `-${dayFromNumber(lastMs / MS_PER_DAY)}`
  const path = join(
    folder,
    fileNameWithEnding(`${subject.id}-${columnOf(subject)}${untilSuffix}`, `-${content}.parquet`),
  )
  await writePanelRows(shape, [rows], path)
  writeFileSync(`${path}.provenance.json`, `${JSON.stringify(provenance, null, 2)}\n`, { mode: 0o600 })
  return path
}

/**
 * Builds the document that studies a panel. Weights are held from the close at which they were computed, so that a test
 * reproduces the figures of Explain; a factor is traded one bar later.
 */
export function documentOnPanel(subject: PortfolioSubject, kind: 'signal' | 'portfolio', path: string): LabDocument {
  const column = columnOf(subject)
  const commonFields = { version: 1, kind, interval: '1d', signal: column, price: 'close' }
  const weightFields = subject.kind === 'weights' ? { weights: { rule: 'direct' }, delayBars: 0 } : {}
  const study =
    kind === 'portfolio'
      ? { ...commonFields, ...weightFields, funding: 'none' }
      : { ...commonFields, horizons: [1, 5, 20] }
  return { version: 1, study, panel: { path, against: null } }
}
