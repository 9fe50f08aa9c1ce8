import { isMetricDatasetId, metricDataset } from '#shared/catalog/metricDatasets.ts'
import { parseInterval } from '#shared/time.ts'
import type { FileStore } from '#core/store/fileStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'

/** What a cell of a metric file takes, compressed, by experience. */
const BYTES_PER_CELL = 4.4
const BYTES_PER_COLUMN = 250

/** @returns bytes that a file of so many days has: as earlier ones had, else by its rows and columns; null where unknown */
export type UsualSize = (series: OwnedSeries, days: number) => number | null

export function createUsualSize(files: FileStore): UsualSize {
  const known = new Map<string, number | null>()
  return ({ dataset, interval }, days) => {
    const key = `${dataset}\n${interval}\n${days > 1}`
    if (!known.has(key)) known.set(key, files.usualBytes(dataset, interval, days))
    return known.get(key) ?? estimate(dataset, interval, days)
  }
}

function estimate(dataset: string, interval: string, days: number): number | null {
  const seconds = parseInterval(interval)
  if (!isMetricDatasetId(dataset) || seconds === null) return null
  const columns = metricDataset(dataset).columns.length + 1
  return Math.round(((days * 86_400) / seconds) * columns * BYTES_PER_CELL + columns * BYTES_PER_COLUMN)
}
