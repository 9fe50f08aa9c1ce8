import { isMetricDatasetId, metricDataset, metricDatasets } from '#shared/catalog/metricDatasets.ts'

/** A dataset that the documentation lacks, for the fault `unknownDataset`; it has the columns of `vtwap`. */
export const unknownDataset = { id: 'trade_pulse', columnsOf: 'vtwap' } as const

/** Tiers of the datasets for which the documentation of the metrics service specifies none. */
const undocumentedTiers: Record<string, number> = { ohlcv: 0, basis: 2, funding: 1, open_interest: 1 }

/** Least tier of the keys that may read raw events at `/data/raw`. */
export const RAW_EVENTS_TIER = 1

export const isDataset = (id: string, withUndocumented: boolean) =>
  isMetricDatasetId(id) || (withUndocumented && id === unknownDataset.id)

export function datasetTier(id: string): number {
  return (isMetricDatasetId(id) ? metricDataset(id).minTier : null) ?? undocumentedTiers[id] ?? 0
}

/** Lists the entries of the catalog. */
export function metricEntries(withUndocumented: boolean) {
  const entries = metricDatasets.map(({ id, name, description, category, columns }) => ({
    id: id as string,
    name,
    description,
    category: category as string,
    fields: columns.map((column) => ({ name: column.name, label: column.label, description: column.formula })),
  }))
  if (!withUndocumented) return entries
  const { fields } = entries.find(({ id }) => id === unknownDataset.columnsOf) ?? { fields: [] }
  const description = 'A dataset newer than this document'
  return [
    ...entries,
    { id: unknownDataset.id as string, name: 'Trade pulse', description, category: 'Experimental', fields },
  ]
}
