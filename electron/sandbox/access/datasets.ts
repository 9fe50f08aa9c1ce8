import type { MetricColumn } from '#shared/catalog/column.ts'
import {
  type EventSource,
  isMetricDatasetId,
  metricDataset,
  metricDatasets,
  servedColumns,
} from '#shared/catalog/metricDatasets.ts'

/** What files and the listing say of a column. */
export type SandboxColumn = Pick<MetricColumn, 'name' | 'label' | 'formula' | 'kind'>

interface ServedDataset {
  id: string
  name: string
  description: string
  category: string
  columns: readonly SandboxColumn[]
}

const prices = [
  ['last_price', 'Last price', 'last trade price'],
  ['index_price', 'Index price', 'last index price'],
  ['mark_price', 'Mark price', 'last mark price'],
] as const

/** A dataset that real services have and the documentation lacks. */
export const derivativePrice: ServedDataset = {
  id: 'derivative_price',
  name: 'Derivative price',
  description: 'Last trade, index and mark prices, and their changes',
  category: 'Derivatives',
  columns: [
    ...prices.map(([name, label, price]) => ({
      name,
      label,
      formula: `The ${price} of the interval`,
      kind: 'price' as const,
    })),
    ...prices.map(([name, label, price]) => ({
      name: `${name}_pct_change`,
      label: `${label} change`,
      formula: `The ${price} minus the first, over the first, times 100`,
      kind: 'percent' as const,
    })),
  ],
}

/** A dataset that the documentation lacks, for the fault `unknownDataset`; it has the columns of `vtwap`. */
export const unknownDataset = { id: 'trade_pulse', columnsOf: 'vtwap' } as const

/** Tiers of the datasets for which the documentation of the metrics service specifies none. */
const undocumentedTiers: Record<string, number> = {
  ohlcv: 0,
  basis: 2,
  funding: 1,
  open_interest: 1,
  [derivativePrice.id]: 1,
}

/** Least tier of the keys that may read raw events at `/data/raw`. */
export const RAW_EVENTS_TIER = 1

export const isDataset = (id: string, withUndocumented: boolean) =>
  isMetricDatasetId(id) || id === derivativePrice.id || (withUndocumented && id === unknownDataset.id)

export function datasetTier(id: string): number {
  return (isMetricDatasetId(id) ? metricDataset(id).minTier : null) ?? undocumentedTiers[id] ?? 0
}

/** Returns the source without which a dataset has no files. */
export function drivingSourceOf(id: string): EventSource {
  if (id === derivativePrice.id) return 'mark_price'
  return metricDataset(isMetricDatasetId(id) ? id : unknownDataset.columnsOf).drivingSource
}

/** Returns the columns of the files of a dataset besides `time`. */
export function servedColumnsOf(id: string): readonly SandboxColumn[] {
  if (id === derivativePrice.id) return derivativePrice.columns
  return servedColumns(metricDataset(isMetricDatasetId(id) ? id : unknownDataset.columnsOf))
}

/** Lists the entries of the catalog. */
export function metricEntries(withUndocumented: boolean) {
  const undocumented = {
    id: unknownDataset.id,
    name: 'Trade pulse',
    description: 'A dataset newer than this document',
    category: 'Experimental',
    columns: servedColumnsOf(unknownDataset.id),
  }
  const served: ServedDataset[] = [
    ...metricDatasets.map((dataset) => ({ ...dataset, columns: servedColumns(dataset) })),
    derivativePrice,
    ...(withUndocumented ? [undocumented] : []),
  ]
  return served.map(({ id, name, description, category, columns }) => ({
    id,
    name,
    description,
    category,
    fields: columns.map((column) => ({ name: column.name, label: column.label, description: column.formula })),
  }))
}
