import { sqlColumnLabel, sqlColumnUnit } from '#shared/catalog/sqlSeries.ts'
import type { SqlSeries } from '#shared/contract/areas/sql.ts'
import { addSeries, changePane } from '#shared/workspace/edit.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'

/**
 * Adds panes with a result's columns to a workspace, one per unit; a workspace that already shows the result is
 * unchanged.
 */
export function withQueryPanes(document: WorkspaceDocument, series: SqlSeries, name: string): WorkspaceDocument {
  const { symbol } = series
  const isShown = allSeries(document).some(({ source }) => source.kind === 'column' && source.symbol === symbol)
  if (isShown) return document
  const byUnit = Map.groupBy(series.columns, (column) => sqlColumnUnit(column) ?? '')
  const withPanes = [...byUnit.values()].reduce((before, columns) => withPane(before, columns, series, name), document)
  // A workspace with other series keeps its range, because the result is compared with them.
  return allSeries(document).length === 0 ? { ...withPanes, range: series.range } : withPanes
}

function withPane(
  before: WorkspaceDocument,
  columns: readonly string[],
  { dataset, exchange, symbol, interval, isSparse }: SqlSeries,
  name: string,
): WorkspaceDocument {
  let document = before
  let paneId: string | null = null
  for (const column of columns) {
    const source = {
      ...({ kind: 'column', dataset, column, exchange, symbol, interval } as const),
      ...({ timestamp: 'exchange', resampleTo: '', origin: 'computed' } as const),
    }
    const label = `${sqlColumnLabel(column)} · ${name}`
    const added = addSeries(document, paneId, { source, style: isSparse ? 'points' : 'line', label })
    document = added.document
    paneId = added.paneId
  }
  return paneId === null ? document : changePane(document, paneId, { title: name })
}
