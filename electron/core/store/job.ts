import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import type { JobState } from './jobFilter.ts'
import { errorFromText } from './storedError.ts'
import { SERIES_COLUMNS, seriesOf, type OwnedSeries, type SeriesRow } from './seriesIndex.ts'

/** One file to bring in. */
export interface Job {
  id: number
  series: OwnedSeries
  period: Period
  /** Fetch although a final file is here, and report a difference. */
  refresh: boolean
  state: JobState
  /** Higher goes first; within one priority by `position`. */
  priority: number
  position: number
  /** Reason why the job waits or failed. */
  error: ErrorShape | null
  /** While waiting: not before this instant. */
  notBeforeMs: number | null
  attempts: number
  doneBytes: number
  /** Null until a service told it. */
  totalBytes: number | null
  createdAtMs: number
  endedAtMs: number | null
  /** Outcome of a finished job. */
  outcome: JobOutcome | null
}

/** `listed otherwise`: the service has it as other files (a month by days, or days as a month); jobs for these were added. */
export type JobOutcome =
  | 'downloaded'
  | 'unchanged'
  | 'changed upstream'
  | 'absent'
  | 'already here'
  | 'listed otherwise'

export interface JobRow extends SeriesRow {
  id: number
  period: Period
  refresh: number
  state: JobState
  priority: number
  position: number
  error: string | null
  outcome: Job['outcome']
  not_before_ms: number | null
  attempts: number
  done_bytes: number
  total_bytes: number | null
  created_at_ms: number
  ended_at_ms: number | null
}

export const SELECT_JOBS = `SELECT ${SERIES_COLUMNS}, jobs.id, jobs.period, jobs.refresh, jobs.state, jobs.priority,
  jobs.position, jobs.error, jobs.outcome, jobs.not_before_ms, jobs.attempts, jobs.done_bytes, jobs.total_bytes,
  jobs.created_at_ms, jobs.ended_at_ms FROM jobs JOIN series ON series.id = jobs.series_id`

export const jobOf = (row: JobRow): Job => ({
  id: row.id,
  series: seriesOf(row),
  period: row.period,
  refresh: row.refresh === 1,
  state: row.state,
  priority: row.priority,
  position: row.position,
  error: row.error === null ? null : errorFromText(row.error),
  notBeforeMs: row.not_before_ms,
  attempts: row.attempts,
  doneBytes: row.done_bytes,
  totalBytes: row.total_bytes,
  createdAtMs: row.created_at_ms,
  endedAtMs: row.ended_at_ms,
  outcome: row.outcome,
})
