import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { TableColumn } from '../../tables/columns.ts'
import { columnFacts } from './chartModel.ts'

/** Columns whose sign says most are coloured away from 0. */
function heatOf(dataset: string, column: string): TableColumn['heat'] {
  const large = metricDatasets.find(({ id }) => id === dataset)?.columns.find(({ name }) => name === column)?.large
  if (large === 'far from 0') return { scale: 'diverging', middle: 0 }
  if (large === 'far from 0.5') return { scale: 'diverging', middle: 0.5 }
  if (large === 'far from 1') return { scale: 'diverging', middle: 1 }
  return { scale: 'sequential' }
}

/** The columns of a file's rows as a table shows them. */
export function dataColumns(
  frame: Frame,
  dataset: string,
  datasets: readonly KnownDataset[],
  isHeated: boolean,
): TableColumn[] {
  return frame.columns.map(({ name, kind }): TableColumn => {
    if (kind === 'time') return { key: name, title: name, kind: 'time', hint: 'Start of the interval' }
    if (kind === 'text') return { key: name, title: name, kind: 'text' }
    const facts = columnFacts(datasets, dataset, name)
    const formula = datasets.find(({ id }) => id === dataset)?.columns.find((each) => each.name === name)?.formula
    return {
      key: name,
      title: facts.label,
      kind: facts.kind,
      unit: facts.unit,
      hint: formula ? `${name}: ${formula}` : name,
      ...(isHeated && { heat: heatOf(dataset, name) }),
    }
  })
}
