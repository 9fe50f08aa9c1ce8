import { declaredColumn, isTestedDataset, type TestedDatasetId } from '#shared/catalog/testedDatasets.ts'
import type { TestedSeries } from '#shared/contract/areas/lab.ts'
import type { SeriesStyle, Transform } from '#shared/workspace/chartStyle.ts'
import { addSeries, changePane, changeSeries } from '#shared/workspace/edit.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import { testText } from '../../text/labTests.ts'

/** Maximum number of positions to draw; only the largest are drawn, because more lines cannot be told apart. */
const MOST_POSITIONS = 8

interface TestPane {
  title: string
  dataset: TestedDatasetId
  columns: readonly string[]
  style: SeriesStyle
  transform: Transform
}

const { workbench: text } = testText
const testedLine = { dataset: 'tested_portfolio', style: 'line', transform: 'none' } as const

const panesOf = ({ weightSymbols }: TestedSeries): TestPane[] => [
  { ...testedLine, title: text.equity, columns: ['equity'] },
  { ...testedLine, title: text.exposure, columns: ['gross_exposure', 'net_exposure'], style: 'step' },
  { ...testedLine, title: text.costs, columns: ['funding', 'fee', 'spread', 'slippage'], transform: 'cumulative' },
  {
    title: text.positions,
    dataset: 'tested_weights',
    columns: weightSymbols.slice(0, MOST_POSITIONS),
    style: 'step',
    transform: 'none',
  },
]

/** Adds the panes of a tested portfolio to a workspace; a workspace that already shows the test stays as it is. */
export function withTestPanes(document: WorkspaceDocument, test: TestedSeries, name: string): WorkspaceDocument {
  const isShown = allSeries(document).some(
    ({ source }) => source.kind === 'column' && isTestedDataset(source.dataset) && source.symbol === test.symbol,
  )
  if (isShown) return document
  return panesOf(test)
    .filter(({ columns }) => columns.length > 0)
    .reduce((before, pane) => withPane(before, pane, test, name), document)
}

function withPane(
  before: WorkspaceDocument,
  { title, dataset, columns, style, transform }: TestPane,
  { exchange, symbol, interval, timestamp }: TestedSeries,
  name: string,
): WorkspaceDocument {
  let document = before
  let paneId: string | null = null
  for (const column of columns) {
    const source = {
      dataset,
      column,
      exchange,
      symbol,
      interval,
      timestamp,
      resampleTo: '',
      origin: 'computed',
    } as const
    // The label of a single series names the test. If there are several series, the title of the pane does.
    const columnLabel = declaredColumn(dataset, column)?.label ?? column
    const label = columns.length === 1 ? `${columnLabel} · ${name}` : columnLabel
    const added = addSeries(document, paneId, { source: { kind: 'column', ...source }, style, label })
    document = changeSeries(added.document, added.entry.id, { transform })
    paneId = added.paneId
  }
  return paneId === null ? document : changePane(document, paneId, { title: `${title} · ${name}` })
}
