import type { DayNumber } from '#shared/time/periods.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { CacheSourceDeps } from '../cacheSource.ts'
import { type DayFiles, dayFilesOf } from './dayFiles.ts'
import type { ForwardRun, ReadSource } from './forwardRuns.ts'

export interface ScoreDeps extends CacheSourceDeps {
  ledger: Ledger
  connectionId: string
  nowMs: number
}

/** Finds the files of each day of what runs read, each list of series once. */
export function createDayFiles({ store, connectionId, nowMs }: ScoreDeps, runs: readonly ForwardRun[]) {
  const firstBySource = new Map<string, DayNumber>()
  for (const { source, times } of runs) {
    if (source && times)
      firstBySource.set(source.key, Math.min(firstBySource.get(source.key) ?? Infinity, times.dataTo + 1))
  }
  const known = new Map<string, (day: DayNumber) => DayFiles | undefined>()
  return (source: ReadSource) => {
    const found =
      known.get(source.key) ?? dayFilesOf(store, connectionId, source, firstBySource.get(source.key) ?? Infinity, nowMs)
    known.set(source.key, found)
    return found
  }
}
