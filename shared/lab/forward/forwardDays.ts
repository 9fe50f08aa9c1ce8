/** Which UTC days are forward for a recorded run: they had not begun, and nothing of them was here, when it was recorded. */
import { MS_PER_DAY } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'

/** Time after its end until which a day’s file may still come. */
const PATIENCE_MS = 7 * MS_PER_DAY

/** The files of one day that a test reads. */
export interface DayArrival {
  /** Earliest time at which the first version of any of the files came; null if that is not known of one of them. */
  arrivedMs: number | null
  /** Earliest time at which a version that is read was fetched; null if no file is here. */
  readMs: number | null
  /** True if every file is here, or is known not to exist. */
  isWhole: boolean
}

/** When a run was recorded, and how far its data went. */
export interface RunTimes {
  recordedAtMs: number
  /** Time at which the entry came from another machine’s ledger; null for an own one. */
  mergedAtMs: number | null
  /** Day of the last row that was used. */
  dataTo: DayNumber
  /** Last day of which a file of any series was here when the run was recorded; null if it was not recorded. */
  seenTo: DayNumber | null
  /** First sealed day; null if nothing is sealed. */
  sealedFrom: DayNumber | null
}

/**
 * Lists the forward days that can be scored now and were not before, in order.
 * @param arrivalOf arrivals of a day’s files; undefined if there are none
 * @param lastScored last day that was scored before; days up to it are never scored later
 */
export function newForwardDays(
  run: RunTimes,
  arrivalOf: (day: DayNumber) => DayArrival | undefined,
  lastScored: DayNumber | null,
  nowMs: number,
): DayNumber[] {
  const recordedMs = Math.max(run.recordedAtMs, run.mergedAtMs ?? -Infinity)
  const firstDay = Math.max(Math.ceil(recordedMs / MS_PER_DAY), run.dataTo + 1, (run.seenTo ?? -Infinity) + 1)
  const found: DayNumber[] = []
  for (let day = run.dataTo + 1; (day + 1) * MS_PER_DAY <= nowMs; day++) {
    const arrival = arrivalOf(day)
    const mayStillCome = nowMs < (day + 1) * MS_PER_DAY + PATIENCE_MS
    if (!arrival?.isWhole && mayStillCome) break
    if (day < firstDay || day <= (lastScored ?? -Infinity) || day >= (run.sealedFrom ?? Infinity)) continue
    if (arrival && isForward(day, arrival, recordedMs, nowMs)) found.push(day)
  }
  return found
}

/** A clock that ran ahead when a file came proves nothing: such a time counts as now. */
function isForward(day: DayNumber, { arrivedMs, readMs }: DayArrival, recordedMs: number, nowMs: number): boolean {
  if (arrivedMs === null || readMs === null) return false
  const isOver = Math.min(readMs, nowMs) > (day + 1) * MS_PER_DAY
  return isOver && Math.min(arrivedMs, nowMs) > recordedMs
}
