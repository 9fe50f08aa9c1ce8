import { isMetricDatasetId, metricDataset, type MetricCategory } from '#shared/catalog/metricDatasets.ts'
import type { StoredFileName } from './storagePath.ts'

/** Families of datasets of the metrics service; each has its own host. */
export const storageHosts = ['candles', 'trades', 'l1', 'l2', 'derivatives'] as const
export type StorageHost = (typeof storageHosts)[number]

const hostByCategory: Record<MetricCategory, StorageHost> = {
  'Market data': 'candles',
  Trades: 'trades',
  'L1 top of book': 'l1',
  'L2 order book': 'l2',
  Derivatives: 'derivatives',
}

/** Returns the host of a file; raw events and undocumented datasets are on the host of the candles. */
export function storageHostOf(name: StoredFileName): StorageHost {
  if (name.kind === 'raw' || !isMetricDatasetId(name.dataset)) return 'candles'
  return hostByCategory[metricDataset(name.dataset).category]
}
