import * as z from '../schemas/lazySchemas.ts'
import { timestampSources } from '../catalog/intervals.ts'
import { metricDatasets } from '../catalog/metricDatasets.ts'
import { addSeries, changeSeries } from './edit.ts'
import { origins, type Transform } from './chartStyle.ts'
import { comparedTransform } from './compareSeries.ts'
import { defaultColumn, defaultStyle } from './defaultColumn.ts'
import { emptyDocument } from './workspace.ts'
import { MOST_PANES, MOST_SERIES } from './workspaceLimits.ts'
import type { ColumnSource, WorkspaceDocument } from './workspaceSchema.ts'

const name = z.string().min(1).max(300)
const linkedSeries = z
  .array(
    z.object({
      dataset: name,
      column: name.optional(),
      exchange: name,
      symbol: name,
      interval: z.string().min(1).max(20),
      timestamp: z.enum(timestampSources),
      origin: z.enum(origins).default('service'),
    }),
  )
  .min(1)
  .max(MOST_SERIES)

/**
 * Parses the series (JSON) in the address of a workbench link; null if there is none to show.
 * @param columnOf returns the column of a dataset that a link shows if it names none
 */
export function shownSeries(
  text: string,
  columnOf: (dataset: string) => string | null = defaultColumn,
): ColumnSource[] | null {
  try {
    const sources = linkedSeries.parse(JSON.parse(text)).flatMap(({ column, ...rest }): ColumnSource[] => {
      const columnName = column ?? columnOf(rest.dataset)
      return columnName === null ? [] : [{ kind: 'column', column: columnName, resampleTo: '', ...rest }]
    })
    return sources.length > 0 ? sources : null
  } catch {
    return null
  }
}

/** Values of several symbols are compared as elsewhere: prices indexed, because the lowest would be a flat line. */
function transformOf(sameColumn: readonly ColumnSource[]): Transform {
  const [{ dataset, column }] = sameColumn
  if (new Set(sameColumn.map(({ symbol }) => symbol)).size < 2) return 'none'
  const known = metricDatasets.find(({ id }) => id === dataset)?.columns.find((each) => each.name === column)
  return known ? comparedTransform(known.kind, []) : 'none'
}

/**
 * Builds a document with a pane for each column; the same column of several instruments shares one pane, and once the
 * document has its maximum number of panes, all further columns share the last one.
 */
export function documentOf(sources: readonly ColumnSource[]): WorkspaceDocument {
  let document = emptyDocument()
  const paneIdByKey = new Map<string, string>()
  for (const source of sources) {
    const key = `${source.dataset} ${source.column}`
    const sameColumn = sources.filter(({ dataset, column }) => `${dataset} ${column}` === key)
    const style = sameColumn.length === 1 ? defaultStyle(source.dataset, source.column) : 'line'
    const last = document.panes.length < MOST_PANES ? null : document.panes[MOST_PANES - 1].id
    const added = addSeries(document, paneIdByKey.get(key) ?? last, { source, style })
    paneIdByKey.set(key, added.paneId)
    document = changeSeries(added.document, added.entry.id, { transform: transformOf(sameColumn) })
  }
  return document
}
