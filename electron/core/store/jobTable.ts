/** Reads and writes the jobs of the download queue in the index. */
import { AppError, errorCodes, type ErrorShape, type ServiceReply } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Database } from './database.ts'
import { type OwnedSeries, SERIES_COLUMNS, type SeriesIndex, seriesOfRow, type SeriesRow } from './seriesIndex.ts'
import { storedJsonOr } from './storedJson.ts'

export type JobState = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'cancelled'

/** A job that downloads one file of a series. */
export interface Job {
  id: number
  series: OwnedSeries
  period: Period
  /** True to download again even if a final file is cached, and to report a difference. */
  refresh: boolean
  /** True to copy the file only from the connection's shared store. */
  storeOnly: boolean
  state: JobState
  /** Jobs with a higher priority run first; `position` orders jobs of the same priority. */
  priority: number
  position: number
  /** Reason why the job waits or failed. */
  error: ErrorShape | null
  /** Earliest time of the next attempt while the job waits; null otherwise. */
  notBeforeMs: number | null
  attempts: number
  doneBytes: number
  /** Size of the file; null until the service has stated it. */
  totalBytes: number | null
  createdAtMs: number
  endedAtMs: number | null
  outcome: JobOutcome | null
  /** Shared store that the file was copied from; null if it was downloaded. */
  store: string | null
  /** Sentence about a shared store that failed before the service was used; null if none did. */
  storeProblem: string | null
}

/**
 * Outcome of a job; `listed otherwise` means that the service has the data in other files (a month as days, or days as
 * a month), for which jobs were added.
 */
export type JobOutcome =
  | 'downloaded'
  | 'copied'
  | 'unchanged'
  | 'changed upstream'
  | 'absent'
  | 'already here'
  | 'listed otherwise'

export interface JobRow extends SeriesRow {
  id: number
  period: Period
  refresh: number
  store_only: number
  state: JobState
  priority: number
  position: number
  error: string | null
  outcome: Job['outcome']
  store: string | null
  store_problem: string | null
  not_before_ms: number | null
  attempts: number
  done_bytes: number
  total_bytes: number | null
  created_at_ms: number
  ended_at_ms: number | null
}

export const SELECT_JOBS = `SELECT ${SERIES_COLUMNS}, jobs.id, jobs.period, jobs.refresh, jobs.store_only, jobs.store, jobs.store_problem, jobs.state, jobs.priority,
  jobs.position, jobs.error, jobs.outcome, jobs.not_before_ms, jobs.attempts, jobs.done_bytes, jobs.total_bytes,
  jobs.created_at_ms, jobs.ended_at_ms FROM jobs JOIN series ON series.id = jobs.series_id`

export const jobOf = (row: JobRow): Job => ({
  id: row.id,
  series: seriesOfRow(row),
  period: row.period,
  refresh: row.refresh === 1,
  storeOnly: row.store_only === 1,
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
  store: row.store,
  storeProblem: row.store_problem,
})

/**
 * A service's reply as the database stores it, with the message under the key `words`, which version 0.1.0 introduced.
 */
type StoredReply = Omit<ServiceReply, 'message'> & { words: string | null }

/** Writes an error as text for the database. */
export function errorToText(error: ErrorShape): string {
  if (error.service === null) return JSON.stringify(error)
  const { message, ...reply } = error.service
  return JSON.stringify({ ...error, service: { words: message, ...reply } satisfies StoredReply })
}

type StoredError = Omit<ErrorShape, 'service'> & { service: StoredReply | null }

/** Tells whether a stored error has all texts that a page needs. */
const isStoredError = (value: unknown): value is StoredError | null =>
  isRecord(value) &&
  errorCodes.some((code) => code === value.code) &&
  typeof value.sentence === 'string' &&
  typeof value.remedy === 'string' &&
  (value.detail === null || typeof value.detail === 'string') &&
  (value.service === null || isRecord(value.service))

/** Parses an error written by `errorToText`. */
export function errorFromText(text: string): ErrorShape {
  const stored = storedJsonOr(text, isStoredError, null)
  if (stored === null) return new AppError('corrupt-file', 'The stored reason of this failure is damaged.').toShape()
  if (stored.service === null) return { ...stored, service: null }
  const { words, ...reply } = stored.service
  return { ...stored, service: { message: words, ...reply } }
}

export interface NewJob {
  series: OwnedSeries
  period: Period
  refresh: boolean
  storeOnly?: boolean
}

/** Adds jobs to the queue in batches, one per request. */
export interface JobQueueing {
  newBatch(label: string, nowMs: number): number
  /**
   * Adds jobs in one transaction; callers add a few thousand at a time so that other work can run in between. If
   * another batch has an open job for a file, that job then belongs to this batch too. Batches of one connection and
   * priority take turns: each starts where the queue is now, so a small one need not wait for the end of a large one.
   * @returns number of new jobs
   */
  add(batchId: number, jobs: readonly NewJob[], options: { priority: number; nowMs: number }): number
}

export function createJobQueueing({ writes }: Database, seriesIndex: SeriesIndex): JobQueueing {
  const rowOf = ({ series, period, refresh, storeOnly = false }: NewJob) => [
    seriesIndex.idOf(series),
    series.connectionId,
    period,
    refresh ? 1 : 0,
    storeOnly ? 1 : 0,
  ]

  /** The batch that grew last, and the position that follows its last job. */
  let grown: { batchId: number; nextPosition: number } | null = null

  /**
   * Returns the position of the next job of a batch: after the jobs that were added to it before, or else beside the
   * first queued job of its connection.
   */
  function firstPosition(batchId: number, connectionId: string, lastId: number, priority: number): number {
    if (grown?.batchId === batchId) return grown.nextPosition
    const first = writes.first<{ position: number }>(
      `SELECT position FROM jobs INDEXED BY jobs_runnable WHERE state IN ('queued', 'waiting') AND state = 'queued'
         AND connection_id = ? AND priority = ? ORDER BY position LIMIT 1`,
      connectionId,
      priority,
    )
    return first?.position ?? lastId + 1
  }

  /** Adds all jobs with two statements, because one statement per job would take far longer. */
  function addAll(batchId: number, jobs: readonly NewJob[], position: number, priority: number, nowMs: number): void {
    const rows = JSON.stringify(jobs.map(rowOf))
    writes.run(
      `INSERT INTO jobs (series_id, connection_id, period, refresh, store_only, state, priority, position, created_at_ms)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, 'queued', ?, ? + key, ?
       FROM json_each(?) WHERE true
       ON CONFLICT (series_id, period) WHERE ended_at_ms IS NULL
       DO UPDATE SET
         position = CASE WHEN excluded.priority < priority THEN position
           WHEN excluded.priority > priority THEN excluded.position ELSE min(position, excluded.position) END,
         priority = max(priority, excluded.priority), refresh = max(refresh, excluded.refresh),
         store_only = min(store_only, excluded.store_only)`,
      priority,
      position,
      nowMs,
      rows,
    )
    writes.run(
      `INSERT OR IGNORE INTO batch_jobs (batch_id, job_id)
       SELECT ?, jobs.id FROM json_each(?) AS wanted CROSS JOIN jobs INDEXED BY open_jobs
       WHERE jobs.series_id = wanted.value ->> 0 AND jobs.period = wanted.value ->> 2 AND jobs.ended_at_ms IS NULL`,
      batchId,
      rows,
    )
  }

  return {
    newBatch: (label, nowMs) =>
      writes.inTransaction(() => {
        writes.run('INSERT INTO batches (label, created_at_ms) VALUES (?, ?)', label, nowMs)
        return writes.first<{ id: number }>('SELECT last_insert_rowid() AS id')?.id ?? 0
      }),
    add(batchId, jobs, { priority, nowMs }) {
      if (jobs.length === 0) return 0
      seriesIndex.ensure(jobs.map(({ series }) => series))
      return writes.inTransaction(() => {
        const last = writes.first<{ id: number | null }>('SELECT max(id) AS id FROM jobs')?.id ?? 0
        const position = firstPosition(batchId, jobs[0].series.connectionId, last, priority)
        addAll(batchId, jobs, position, priority, nowMs)
        grown = { batchId, nextPosition: position + jobs.length }
        return writes.first<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE id > ?', last)?.n ?? 0
      })
    },
  }
}

type WriteAccess = Pick<Database, 'writes'>

/**
 * Changes the jobs that are in one of these states, except those whose file another open job downloads.
 * @returns number of changed jobs
 */
function changeStates(
  { writes }: WriteAccess,
  ids: readonly number[],
  from: readonly JobState[],
  assignments: string,
  assignedValues: number[] = [],
): number {
  return writes.run(
    `UPDATE OR IGNORE jobs SET ${assignments} WHERE id IN (SELECT value FROM json_each(?))
       AND state IN (SELECT value FROM json_each(?))`,
    ...assignedValues,
    JSON.stringify(ids),
    JSON.stringify(from),
  )
}

/** Returns a time later than the end of every stored job, so that clients that follow the ended jobs miss none. */
function nextEndMs({ writes }: WriteAccess, nowMs: number): number {
  const last = writes.first<{ at: number }>(
    'SELECT ended_at_ms AS at FROM jobs WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms DESC LIMIT 1',
  )
  return Math.max(Math.ceil(nowMs), (last?.at ?? 0) + 1)
}

/** Changes that the user makes to jobs; the first four return the number of changed jobs. */
export interface JobActions {
  pause(ids: readonly number[]): number
  /** Queues paused and waiting jobs, to run as soon as possible. */
  resume(ids: readonly number[]): number
  cancel(ids: readonly number[], nowMs: number): number
  /** Queues failed and cancelled jobs again, unless another job downloads the same file. */
  retry(ids: readonly number[], nowMs: number): number
  prioritise(ids: readonly number[], priority: number): void
  /** Moves jobs directly before another one; for null, behind all others of the lowest priority. */
  reorder(ids: readonly number[], beforeId: number | null): void
}

export function createJobActions(database: Database): JobActions {
  const { writes } = database
  return {
    pause: (ids) =>
      changeStates(database, ids, ['queued', 'running', 'waiting'], "state = 'paused', not_before_ms = NULL"),
    resume: (ids) =>
      changeStates(database, ids, ['paused', 'waiting'], "state = 'queued', not_before_ms = NULL, error = NULL"),
    cancel: (ids, nowMs) =>
      writes.inTransaction(() =>
        changeStates(
          database,
          ids,
          ['queued', 'running', 'waiting', 'paused'],
          "state = 'cancelled', not_before_ms = NULL, ended_at_ms = ?",
          [nextEndMs(database, nowMs)],
        ),
      ),
    retry: (ids, nowMs) =>
      changeStates(
        database,
        ids,
        ['failed', 'cancelled'],
        "state = 'queued', ended_at_ms = NULL, error = NULL, outcome = NULL, attempts = 0, done_bytes = 0, created_at_ms = ?",
        [nowMs],
      ),
    prioritise: (ids, priority) =>
      void writes.run(
        'UPDATE jobs SET priority = ? WHERE id IN (SELECT value FROM json_each(?)) AND ended_at_ms IS NULL',
        priority,
        JSON.stringify(ids),
      ),
    reorder: (ids, beforeId) => writes.inTransaction(() => reorder(database, ids, beforeId)),
  }
}

/**
 * Gives the jobs the priority of the job they are moved before, and positions between that job and the one above it.
 */
function reorder({ writes }: WriteAccess, ids: readonly number[], beforeId: number | null): void {
  const placeOf = (id: number) =>
    writes.first<{ priority: number; position: number }>(
      'SELECT priority, position FROM jobs WHERE id = ? AND ended_at_ms IS NULL',
      id,
    )
  const movedJson = JSON.stringify(ids)
  const otherJobsSql = 'ended_at_ms IS NULL AND id NOT IN (SELECT value FROM json_each(?))'
  const target = beforeId === null ? undefined : placeOf(beforeId)
  const priority =
    target?.priority ??
    writes.first<{ p: number | null }>(`SELECT min(priority) AS p FROM jobs WHERE ${otherJobsSql}`, movedJson)?.p ??
    0
  const edgePosition = (which: string, condition: string, ...values: number[]) =>
    writes.first<{ at: number | null }>(
      `SELECT ${which}(position) AS at FROM jobs WHERE ${otherJobsSql} AND priority = ?${condition}`,
      movedJson,
      priority,
      ...values,
    )?.at
  const positionAbove = target ? edgePosition('max', ' AND position < ?', target.position) : edgePosition('max', '')
  const low = positionAbove ?? (target?.position ?? 1) - 1
  const high = target?.position ?? low + 1
  ids.forEach((id, index) => {
    const position = low + ((high - low) * (index + 1)) / (ids.length + 1)
    writes.run(
      'UPDATE jobs SET priority = ?, position = ? WHERE id = ? AND ended_at_ms IS NULL',
      priority,
      position,
      id,
    )
  })
}

export interface EndedJob {
  id: number
  state: 'done' | 'failed'
  outcome: Job['outcome']
  error: ErrorShape | null
  /** Size of the downloaded file. */
  sizeBytes?: number
  store?: string | undefined
  storeProblem?: string | null | undefined
}

/** Records the progress of jobs, for the process that runs the queue. */
export interface JobProgress {
  /** Marks jobs as running, except those that are no longer queued or waiting because they were paused or cancelled. */
  markRunning(ids: readonly number[]): void
  /** Puts running jobs back into the queue. */
  release(ids: readonly number[]): void
  markProgress(progress: readonly { id: number; doneBytes: number; totalBytes: number | null }[]): void
  /** @param storeProblem sentence about a shared store that has no usable copy of the file */
  markWaiting(id: number, error: ErrorShape, notBeforeMs: number, storeProblem?: string | null): void
  /**
   * Marks running jobs as ended. A success also counts if its job was paused or cancelled meanwhile, because the file
   * is in the cache.
   */
  markEnded(ended: readonly EndedJob[], nowMs: number): void
  /**
   * Requeues the running jobs of a process that has ended; called when the program starts and after taking over a
   * lease.
   * @returns number of requeued jobs
   */
  requeueRunning(): number
  /**
   * Deletes at most `limit` jobs that ended before this time, oldest first.
   * @returns number of deleted jobs
   */
  trimHistory(beforeMs: number, limit: number): number
}

export function createJobProgress(database: Database): JobProgress {
  const { writes } = database

  function markOneEnded(
    { id, state, outcome, error, sizeBytes, store, storeProblem }: EndedJob,
    endedAtMs: number,
  ): void {
    writes.run(
      `UPDATE jobs SET state = ?, outcome = ?, error = ?, store = ?, store_problem = ?, ended_at_ms = ?,
         done_bytes = coalesce(?, done_bytes), total_bytes = coalesce(?, total_bytes)
       WHERE id = ? AND (state = 'running' OR (? AND state NOT IN ('done', 'failed')))`,
      state,
      outcome,
      error && errorToText(error),
      store ?? null,
      storeProblem ?? null,
      endedAtMs,
      sizeBytes ?? null,
      sizeBytes ?? null,
      id,
      state === 'done' && outcome !== 'listed otherwise' ? 1 : 0,
    )
  }

  return {
    markRunning: (ids) =>
      void changeStates(
        database,
        ids,
        ['queued', 'waiting'],
        "state = 'running', attempts = attempts + 1, not_before_ms = NULL, error = NULL",
      ),
    release: (ids) => void changeStates(database, ids, ['running'], "state = 'queued'"),
    markProgress: (progress) =>
      writes.inTransaction(() => {
        const sql = "UPDATE jobs SET done_bytes = ?, total_bytes = ? WHERE id = ? AND state = 'running'"
        for (const { id, doneBytes, totalBytes } of progress) writes.run(sql, doneBytes, totalBytes, id)
      }),
    markWaiting: (id, error, notBeforeMs, storeProblem = null) =>
      void writes.run(
        `UPDATE jobs SET state = 'waiting', error = ?, not_before_ms = ?, store_problem = ?
         WHERE id = ? AND state = 'running'`,
        errorToText(error),
        Math.ceil(notBeforeMs),
        storeProblem,
        id,
      ),
    markEnded: (ended, nowMs) =>
      writes.inTransaction(() => {
        const endedAtMs = nextEndMs(database, nowMs)
        for (const each of ended) markOneEnded(each, endedAtMs)
      }),
    requeueRunning: () =>
      writes.run("UPDATE jobs SET state = 'queued' WHERE state = 'running' AND ended_at_ms IS NULL"),
    trimHistory: (beforeMs, limit) =>
      writes.inTransaction(() => {
        const oldJobsSql = 'SELECT id FROM jobs WHERE ended_at_ms < ? ORDER BY ended_at_ms, id LIMIT ?'
        writes.run(`DELETE FROM batch_jobs WHERE job_id IN (${oldJobsSql})`, beforeMs, limit)
        return writes.run(`DELETE FROM jobs WHERE id IN (${oldJobsSql})`, beforeMs, limit)
      }),
  }
}
