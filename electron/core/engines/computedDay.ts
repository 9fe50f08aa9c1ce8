import { rm, stat } from 'node:fs/promises'
import { type EngineOrigin, PROVENANCE_KEY } from '#shared/contract/engineOrigin.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import { type ComputedFileDeps, type ComputedPlace, recordComputedDay } from '#core/compute/computedFile.ts'
import { MetricFileWriter } from '#core/compute/metricFile.ts'
import { PART_SUFFIX } from '#core/store/cacheFolder.ts'

type EngineDay = ComputedPlace & { etag: string; origin: EngineOrigin }

/** Writes the rows of a day as a computed file with its provenance, completely or not at all. */
export async function writeDay(
  deps: ComputedFileDeps,
  day: DayNumber,
  { origin, ...place }: EngineDay,
  rows: MetricRows,
): Promise<void> {
  const part = place.path + PART_SUFFIX
  const file = new MetricFileWriter(part, rows.dataset, { [PROVENANCE_KEY]: JSON.stringify(origin) }, 0o600)
  try {
    await file.add(rows)
    await file.finish()
    await recordComputedDay(deps, day, [place])
  } catch (thrown) {
    await rm(part, { force: true }).catch(() => {})
    throw thrown
  } finally {
    file.discard()
  }
}

/** Tells whether a file exists with this size; a missing or truncated one is recomputed whatever the index says. */
export const hasSize = async (path: string, bytes: number): Promise<boolean> =>
  (await stat(path).catch(() => null))?.size === bytes
