import { metricDatasets } from './metricDatasets.ts'
import { hasModelledTime, isRawDatasetId, type RawDatasetId } from './rawDatasets.ts'

/** Series whose rows have times of events. */
export interface TimedSeries {
  dataset: string
  exchange: string
  /** Clock of the rows; the arrival of an event (`true`) does not depend on its exchange time. */
  timestamp: string
  /** True for raw events, because those of open interest share their name with a metric. */
  isRaw?: boolean
}

/** Lists the raw datasets with modelled exchange times that rows by the exchange clock rest on. */
export function modelledSources({ dataset, exchange, timestamp, isRaw = false }: TimedSeries): RawDatasetId[] {
  if (timestamp !== 'exchange') return []
  const metric = isRaw ? undefined : metricDatasets.find(({ id }) => id === dataset)
  const sources: readonly string[] = metric ? [metric.driving, ...metric.asOf] : [dataset]
  return sources.filter(isRawDatasetId).filter((source) => hasModelledTime(source, exchange))
}

/** Reports that times of a series are modelled; null where none is. */
export function modelledTimeNote(series: TimedSeries): string | null {
  const sources = modelledSources(series)
  if (sources.length === 0) return null
  const whose = sources.length === 1 && sources[0] === series.dataset ? '' : ` of ${sources.join(' and ')}`
  return `exchange times${whose} are modelled on ${series.exchange}, because its feed carries none: not for latency research`
}

/** Columns that say which times of a column are modelled, by that column. */
export const kindColumns: Readonly<Partial<Record<string, string>>> = {
  exchange_timestamp: 'exchange_timestamp_kind',
  local_timestamp: 'local_timestamp_kind',
}

/** Adds to columns that were requested the ones that say which of their times are modelled, as far as the files have them. */
export function withKindColumns(columns: readonly string[], inFiles: (name: string) => boolean): string[] {
  return columns.flatMap((name) => {
    const kind = kindColumns[name]
    return kind !== undefined && inFiles(kind) && !columns.includes(kind) ? [name, kind] : [name]
  })
}
