import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { columnFacts } from './chartModel.ts'
import type { RowsBehind } from './rowsBehind.ts'
import { workbenchText } from '../../text/workbench.ts'

/** Chooses the colour scale of a column, which diverges from the value at which the column is neutral. */
function heatOf(dataset: string, column: string): TableColumn['heat'] {
  const large = metricDatasets.find(({ id }) => id === dataset)?.columns.find(({ name }) => name === column)?.large
  if (large === 'far from 0') return { scale: 'diverging', middle: 0 }
  if (large === 'far from 0.5') return { scale: 'diverging', middle: 0.5 }
  if (large === 'far from 1') return { scale: 'diverging', middle: 1 }
  return { scale: 'sequential' }
}

/** Builds the table columns of the rows of a frame. */
export function dataColumns(
  { frame, columns }: Pick<RowsBehind, 'frame' | 'columns'>,
  datasets: readonly KnownDataset[],
  isHeated: boolean,
): TableColumn[] {
  return frame.columns.map(({ name, kind }): TableColumn => {
    if (kind === 'time') return { key: name, title: name, kind: 'time', hint: workbenchText.data.startOfInterval }
    const source = columns.get(name) ?? { dataset: '', exchange: '', column: name, prefix: '' }
    const { dataset, column, prefix } = source
    const titled = (title: string) => (prefix ? `${prefix} ${title}` : title)
    if (kind === 'text') return { key: name, title: titled(column), kind: 'text' }
    const facts = columnFacts(datasets, source)
    const formula = datasets.find(({ id }) => id === dataset)?.columns.find((each) => each.name === column)?.formula
    return {
      key: name,
      title: titled(facts.label),
      kind: facts.kind,
      unit: source.unit ?? facts.unit,
      hint: formula ? `${column}: ${formula}` : column,
      ...(isHeated && { heat: heatOf(dataset, column) }),
    }
  })
}
