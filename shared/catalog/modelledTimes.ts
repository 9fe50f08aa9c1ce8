import { metricDatasets } from './metricDatasets.ts'
import { hasModelledTime, isRawDatasetId, type RawDatasetId } from './rawDatasets.ts'
import type { Venues } from './venues.ts'

/** The parts of a series' identity that decide whether its times are modelled. */
export interface TimedSeries {
  dataset: string
  exchange: string
  /** Timestamp source, `exchange` or `true`; arrival times (`true`) do not depend on exchange times. */
  timestamp: string
  /** True for raw events; needed because open interest has the same id as a raw and as a metric dataset. */
  isRaw?: boolean
}

/**
 * Lists the raw datasets with modelled exchange times from which a series is computed; none if it is ordered by
 * arrival.
 */
export function modelledSources(
  { dataset, exchange, timestamp, isRaw = false }: TimedSeries,
  venues: Pick<Venues, 'find'>,
): RawDatasetId[] {
  if (timestamp !== 'exchange') return []
  const metric = isRaw ? undefined : metricDatasets.find(({ id }) => id === dataset)
  const sources: readonly string[] = metric ? [metric.drivingSource, ...metric.asOf] : [dataset]
  return sources.filter(isRawDatasetId).filter((source) => hasModelledTime(source, exchange, venues))
}

/** Returns a note that the times of a series are modelled, or null if none are. */
export function modelledTimeNote(series: TimedSeries, venues: Pick<Venues, 'find'>): string | null {
  const sources = modelledSources(series, venues)
  if (sources.length === 0) return null
  const sourcesText = sources.length === 1 && sources[0] === series.dataset ? '' : ` of ${sources.join(' and ')}`
  return `exchange times${sourcesText} are modelled on ${series.exchange}, because its feed carries none: not for latency research`
}

/** Columns that say whether each time is measured or modelled, by the name of the time column. */
const kindColumns: Readonly<Partial<Record<string, string>>> = {
  exchange_timestamp: 'exchange_timestamp_kind',
  local_timestamp: 'local_timestamp_kind',
}

/**
 * Adds, after each requested time column, the column that says which of its times are modelled, if the files have it.
 */
export function withKindColumns(columns: readonly string[], isInFiles: (name: string) => boolean): string[] {
  return columns.flatMap((name) => {
    const kind = kindColumns[name]
    return kind !== undefined && isInFiles(kind) && !columns.includes(kind) ? [name, kind] : [name]
  })
}
