import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import type { OwnedSeries } from './fileStore.ts'

export type JobState = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'cancelled'

/** One file to bring in. */
export interface Job {
  id: number
  batchId: number
  series: OwnedSeries
  period: Period
  /** Fetch although a final file is here, and report a difference. */
  refresh: boolean
  state: JobState
  /** Higher goes first; within one priority by `position`. */
  priority: number
  position: number
  /** Why it waits or failed. */
  error: ErrorShape | null
  /** While waiting: not before this instant. */
  notBeforeMs: number | null
  attempts: number
  doneBytes: number
  /** Null until a service told it. */
  totalBytes: number | null
  createdAtMs: number
  endedAtMs: number | null
  /** What a finished one came to. */
  outcome: 'downloaded' | 'unchanged' | 'changed upstream' | 'absent' | 'already here' | null
}

export interface NewJob {
  series: OwnedSeries
  period: Period
  refresh: boolean
}

export interface JobFilter {
  states?: readonly JobState[]
  batchId?: number
  /** Words that all occur in dataset, venue, symbol, interval, period or error. */
  text?: string
}

export type JobCounts = Record<JobState, number> & { doneBytes: number; totalBytes: number }

/**
 * The queue on disk. Jobs that end keep their row as history. A period of a series has at most one job that has not ended;
 * adding it again raises that one's priority instead.
 */
export interface JobStore {
  /** One transaction however many. @returns the batch and how many were new */
  add(
    jobs: readonly NewJob[],
    options: { label: string; priority: number; nowMs: number },
  ): { batchId: number; added: number }
  /** The next jobs that may run, best first, over all connections that are not paused. */
  nextRunnable(nowMs: number, limit: number, exceptConnectionIds: readonly string[]): Job[]
  /** The earliest instant at which a waiting job may run; null where none waits. */
  nextWakeMs(): number | null
  find(id: number): Job | undefined
  /** In the order they would run; ended ones newest first. */
  page(filter: JobFilter, offset: number, limit: number): Job[]
  count(filter: JobFilter): number
  counts(batchId?: number): JobCounts
  /** Moves jobs to a state; ended ones stay as they are unless `retry`. One transaction. @returns how many moved */
  move(ids: readonly number[] | JobFilter, to: 'queued' | 'paused' | 'cancelled', nowMs: number): number
  prioritise(ids: readonly number[], priority: number): void
  /** Puts jobs directly before another in the order of their priority. */
  reorder(ids: readonly number[], beforeId: number | null): void
  markRunning(id: number, nowMs: number): void
  markProgress(progress: readonly { id: number; doneBytes: number; totalBytes: number | null }[]): void
  markWaiting(id: number, error: ErrorShape, notBeforeMs: number): void
  markEnded(
    ended: readonly {
      id: number
      state: 'done' | 'failed' | 'cancelled'
      outcome: Job['outcome']
      error: ErrorShape | null
    }[],
    nowMs: number,
  ): void
  /** At start, and after a lease was taken over: what ran in a process that is gone is queued again. @returns how many */
  requeueRunning(): number
  /** Forgets ended jobs older than this. */
  trimHistory(beforeMs: number): number
}
