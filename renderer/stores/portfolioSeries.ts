import { defineStore } from 'pinia'
import type { PortfolioSeries } from '#shared/contract/areas/portfolio.ts'
import {
  portfolioColumn,
  type PortfolioDatasetId,
  PORTFOLIO_VENUE,
  portfolioSymbol,
} from '#shared/catalog/portfolioSeries.ts'
import type { PortfolioSubject } from '#shared/contract/areas/lab.ts'
import { addSeries, changePane } from '#shared/workspace/edit.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { useHost } from './host.ts'
import { useWorkspaces } from './workspaces.ts'

/** Columns of a portfolio or factor to chart in the workbench; `name` becomes the title of their pane. */
export interface ChartedHistory {
  name: string
  subject: PortfolioSubject
  dataset: PortfolioDatasetId
  columns: readonly string[]
}

/** Histories of the portfolio service as series for the workbench. */
export const usePortfolioSeries = defineStore('portfolioSeries', () => {
  const host = useHost()
  const workspaces = useWorkspaces()

  const refresh = (series: readonly PortfolioSeries[]) =>
    host.call('portfolio.refreshSeries', { connectionId: '', series: [...series] })

  return {
    list: () => host.call('portfolio.listSeries', { connectionId: '' }),
    refresh,
    /** Adds a pane with these columns to the open workspace, except the columns that the workspace already shows. */
    async chart({ name, subject, dataset, columns }: ChartedHistory): Promise<void> {
      const { id, smoothing } = subject
      const exchange = subject.kind === 'weights' ? subject.exchange : undefined
      const symbol = portfolioSymbol({ id, ...(smoothing && { smoothing }), ...(exchange && { exchange }) })
      const series = { dataset, symbol, columns: [...columns] }
      await refresh([series])
      await workspaces.start()
      await workspaces.edit((before) => withPortfolioPane(before, series, name))
    },
  }
})

const portfolioSource = ({ dataset, symbol }: Omit<PortfolioSeries, 'columns'>, column: string): ColumnSource => ({
  ...({ kind: 'column', dataset, column, exchange: PORTFOLIO_VENUE, symbol } as const),
  ...({ interval: '1d', timestamp: 'exchange', resampleTo: '', origin: 'computed' } as const),
})

function withPortfolioPane(before: WorkspaceDocument, series: PortfolioSeries, title: string): WorkspaceDocument {
  const isShown = (column: string) =>
    allSeries(before).some(
      ({ source }) =>
        source.kind === 'column' &&
        source.dataset === series.dataset &&
        source.symbol === series.symbol &&
        source.column === column,
    )
  let document = before
  let paneId: string | null = null
  for (const column of series.columns.filter((each) => !isShown(each))) {
    // With several columns, the labels need only name the column, because the pane's title names the portfolio.
    const label = series.columns.length > 1 ? (portfolioColumn(series.dataset, column)?.label ?? '') : ''
    const result = addSeries(document, paneId, { source: portfolioSource(series, column), label })
    document = result.document
    paneId = result.paneId
  }
  return paneId === null ? document : changePane(document, paneId, { title })
}
