import { computedOwner } from '#shared/contract/computedOwner.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { Clock } from '#core/ports.ts'
import type { CachedFile } from '#core/store/fileTable.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Store } from '#core/store/store.ts'
import type { TimestampSource } from '#shared/catalog/intervals.ts'
import type { MetricDatasetId } from '#shared/catalog/metricDatasets.ts'

type FileRecord = Parameters<Store['files']['record']>[0][number]

export interface ComputedFileDeps {
  store: Pick<Store, 'files' | 'folder'>
  commit(part: { path: string; root: string; bytes: null }): Promise<{
    sizeBytes: number
    sha256: string
    facts: FileRecord['facts']
  }>
  clock: Clock
}

export interface ComputedPlace {
  series: OwnedSeries
  path: string
}

/**
 * Prefix of the `etag` of a file that another engine computed. The sources of such a file are not in this cache, so
 * nothing here makes it outdated.
 */
const ENGINE_PREFIX = 'engine:'

export const engineEtag = (hash: string): string => ENGINE_PREFIX + hash
export const isEngineEtag = (etag: string | null): boolean => etag?.startsWith(ENGINE_PREFIX) ?? false

/** Returns where a computed day belongs in the cache, under the owner of computed files. */
export function computedPlace(
  { folder }: Pick<Store, 'folder'>,
  metric: {
    connectionId: string
    exchange: string
    symbol: string
    dataset: MetricDatasetId
    interval: string
    timestamp: TimestampSource
  },
  day: DayNumber,
): ComputedPlace {
  const series: OwnedSeries = { ...metric, connectionId: computedOwner(metric.connectionId), kind: 'metrics' }
  return { series, path: folder.pathOf(series, dayFromNumber(day)) }
}

/** Validates the part files of a computed day, one per dataset, and adds them to the index, all or none. */
export async function recordComputedDay(
  { store, commit, clock }: ComputedFileDeps,
  day: DayNumber,
  computed: readonly (ComputedPlace & { etag: string })[],
): Promise<void> {
  const { root } = store.folder
  const validated = await Promise.all(computed.map(({ path }) => commit({ path, root, bytes: null })))
  const nowMs = clock.nowMs()
  store.files.record(
    validated.map(({ sizeBytes, sha256, facts }, index) => {
      const file: CachedFile = {
        series: computed[index].series,
        period: dayFromNumber(day),
        startDay: day,
        endDay: day + 1,
        state: 'final',
        origin: 'computed',
        sizeBytes,
        sha256,
        etag: computed[index].etag,
        fetchedAtMs: nowMs,
        usedAtMs: nowMs,
        pinned: false,
        changedUpstreamAtMs: null,
      }
      return { file, facts }
    }),
  )
}
