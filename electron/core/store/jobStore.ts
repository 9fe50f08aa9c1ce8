import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { errorToText } from './storedError.ts'
import { jobOf, SELECT_JOBS, type Job, type JobRow } from './job.ts'
import { jobWhere, type JobFilter, type JobState } from './jobFilter.ts'
import { createJobList, IN_ORDER, type JobList } from './jobList.ts'
import { reorder } from './jobOrder.ts'
import type { OwnedSeries, SeriesIndex } from './seriesIndex.ts'

export interface EndedJob {
  id: number
  state: 'done' | 'failed'
  outcome: Job['outcome']
  error: ErrorShape | null
  /** Size of the downloaded file. */
  sizeBytes?: number
}

export interface NewJob {
  series: OwnedSeries
  period: Period
  refresh: boolean
}

export interface JobCounts {
  now: Record<JobState, number>
  /** Number of jobs that ever reached each state, forgotten ones included. */
  ever: Record<JobState, number>
  /** Number of bytes of the finished jobs. */
  doneBytes: number
}

/**
 * The queue on disk. Jobs that end keep their row as history. A period of a series has at most one job that has not ended;
 * adding it again raises that one's priority instead.
 */
export interface JobStore {
  newBatch(label: string, nowMs: number): number
  /**
   * One transaction: callers hand over a few thousand at a time, so that nothing else waits. Files that are asked for
   * already belong to this batch too. @returns how many were new
   */
  add(batchId: number, jobs: readonly NewJob[], options: { priority: number; nowMs: number }): number
  /** Connections with jobs that may run, now or later. */
  runnableConnections(): string[]
  /** A connection's next jobs that may run now, best first. */
  nextRunnable(connectionId: string, nowMs: number, limit: number): Job[]
  /** Periods of a series that jobs wait to fetch, in order: from this one on, and where those are few the ones before. */
  queuedPeriods(series: OwnedSeries, from: Period, limit: number): Period[]
  /** The earliest instant at which a waiting job may run; null where none waits. */
  nextWakeMs(): number | null
  find(id: number): Job | undefined
  list(filter: JobFilter, offset: number, limit: number): JobList
  /** Kept beside the jobs, so that asking costs nothing however many there are. */
  counts(): JobCounts
  /** Counts the jobs of a batch, finished or not. */
  batchSize(batchId: number): number
  batchesOf(id: number): number[]
  /** Jobs of a batch that ended after this one, in the order of their ending. */
  endedOf(batchId: number, after: { endedAtMs: number; id: number }, limit: number): Job[]
  /**
   * Lists the ids that a filter finds, ascending and a slice at a time, so that a change to all of them blocks nothing
   * else.
   */
  ids(filter: JobFilter, afterId: number, limit: number): number[]
  /** These four say how many jobs they concerned. */
  pause(ids: readonly number[]): number
  /** Paused and waiting ones may run again at once. */
  resume(ids: readonly number[]): number
  cancel(ids: readonly number[], nowMs: number): number
  /** Failed and cancelled ones, unless another job fetches the same file. */
  retry(ids: readonly number[], nowMs: number): number
  prioritise(ids: readonly number[], priority: number): void
  /** Puts jobs directly before another in the order of their priority. */
  reorder(ids: readonly number[], beforeId: number | null): void
  /** Those that may still run; what was paused or cancelled in the meantime stays so. */
  markRunning(ids: readonly number[]): void
  /** Running ones wait for their turn again. */
  release(ids: readonly number[]): void
  /** Selects the jobs that still run; the others were paused or cancelled, perhaps by another process. */
  stillRunning(ids: readonly number[]): Set<number>
  markProgress(progress: readonly { id: number; doneBytes: number; totalBytes: number | null }[]): void
  markWaiting(id: number, error: ErrorShape, notBeforeMs: number): void
  markEnded(ended: readonly EndedJob[], nowMs: number): void
  /** At start, and after a lease was taken over: what ran in a process that is gone is queued again. @returns how many */
  requeueRunning(): number
  /** Forgets ended jobs older than this, the oldest first, a slice at a time. @returns how many */
  trimHistory(beforeMs: number, limit: number): number
}

/** Longer than any service is waited for. */
const LONGEST_WAIT_MS = 20 * 60_000

/** Condition of runnable jobs, spelled as their index spells it. */
const RUNNABLE = "state IN ('queued', 'waiting')"

interface CountRow {
  state: JobState
  jobs: number
  came: number
  done_bytes: number
}

const none = { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }

export function createJobStore(database: Database, seriesIndex: SeriesIndex): JobStore {
  const { reads, writes } = database

  /** All in two statements: one for each job would cost more than the jobs. */
  function addAll(batchId: number, jobs: readonly NewJob[], lastId: number, priority: number, nowMs: number): void {
    const rows = JSON.stringify(
      jobs.map(({ series, period, refresh }) => [
        seriesIndex.idOf(series),
        series.connectionId,
        period,
        refresh ? 1 : 0,
      ]),
    )
    writes.run(
      `INSERT INTO jobs (series_id, connection_id, period, refresh, state, priority, position, created_at_ms)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, 'queued', ?, ? + key, ?
       FROM json_each(?) WHERE true
       ON CONFLICT (series_id, period) WHERE ended_at_ms IS NULL
       DO UPDATE SET priority = max(priority, excluded.priority), refresh = max(refresh, excluded.refresh)`,
      priority,
      lastId + 1,
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

  /** Later than all that ended before, so that whoever follows the endings misses none. */
  function nextEnd(nowMs: number): number {
    const last = writes.first<{ at: number }>(
      'SELECT ended_at_ms AS at FROM jobs WHERE ended_at_ms IS NOT NULL ORDER BY ended_at_ms DESC LIMIT 1',
    )
    return Math.max(Math.ceil(nowMs), (last?.at ?? 0) + 1)
  }

  /** Changes those of the jobs that are in one of these states; leaves out ones that would fetch a file twice. */
  function change(ids: readonly number[], from: readonly JobState[], set: string, setValues: number[] = []): number {
    return writes.run(
      `UPDATE OR IGNORE jobs SET ${set} WHERE id IN (SELECT value FROM json_each(?))
         AND state IN (SELECT value FROM json_each(?))`,
      ...setValues,
      JSON.stringify(ids),
      JSON.stringify(from),
    )
  }

  return {
    newBatch: (label, nowMs) =>
      writes.inTransaction(() => {
        writes.run('INSERT INTO batches (label, created_at_ms) VALUES (?, ?)', label, nowMs)
        return writes.first<{ id: number }>('SELECT last_insert_rowid() AS id')?.id ?? 0
      }),
    add(batchId, jobs, { priority, nowMs }) {
      seriesIndex.ensure(jobs.map(({ series }) => series))
      return writes.inTransaction(() => {
        const last = writes.first<{ id: number | null }>('SELECT max(id) AS id FROM jobs')?.id ?? 0
        addAll(batchId, jobs, last, priority, nowMs)
        return writes.first<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE id > ?', last)?.n ?? 0
      })
    },
    runnableConnections: () =>
      reads
        .all<{ id: string }>(
          // The query walks the index from one connection to the next instead of reading all jobs.
          `WITH RECURSIVE ids (id) AS (
             SELECT min(connection_id) FROM jobs INDEXED BY jobs_runnable WHERE ${RUNNABLE}
             UNION ALL
             SELECT (SELECT min(connection_id) FROM jobs INDEXED BY jobs_runnable
                     WHERE ${RUNNABLE} AND connection_id > ids.id) FROM ids WHERE ids.id IS NOT NULL)
           SELECT id FROM ids WHERE id IS NOT NULL`,
        )
        .map(({ id }) => id),
    nextRunnable: (connectionId, nowMs, limit) =>
      reads
        .all<JobRow>(
          `${SELECT_JOBS.replace('FROM jobs', 'FROM jobs INDEXED BY jobs_runnable')}
           WHERE jobs.${RUNNABLE} AND jobs.connection_id = ?
             AND (jobs.state = 'queued' OR jobs.not_before_ms NOT BETWEEN ? + 1 AND ?) ${IN_ORDER} LIMIT ?`,
          connectionId,
          nowMs,
          // Nothing waits longer than this: the clock was set back since.
          nowMs + LONGEST_WAIT_MS,
          limit,
        )
        .map(jobOf),
    queuedPeriods(series, from, limit) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      const some = (side: string, order: string, most: number) =>
        reads
          .all<{ period: Period }>(
            `SELECT period FROM jobs INDEXED BY open_jobs WHERE series_id = ? AND period ${side} ? AND ended_at_ms IS NULL
               AND state IN ('queued', 'waiting', 'running') ORDER BY period ${order} LIMIT ?`,
            id,
            from,
            most,
          )
          .map(({ period }) => period)
      const after = some('>=', 'ASC', limit)
      return [...some('<', 'DESC', limit - after.length).reverse(), ...after]
    },
    nextWakeMs: () =>
      reads.first<{ at: number | null }>(
        "SELECT min(not_before_ms) AS at FROM jobs WHERE state = 'waiting' AND ended_at_ms IS NULL",
      )?.at ?? null,
    find(id) {
      const row = reads.first<JobRow>(`${SELECT_JOBS} WHERE jobs.id = ?`, id)
      return row && jobOf(row)
    },
    list: createJobList(reads),
    counts() {
      const counts: JobCounts = { now: { ...none }, ever: { ...none }, doneBytes: 0 }
      for (const { state, jobs, came, done_bytes: doneBytes } of reads.all<CountRow>('SELECT * FROM job_counts')) {
        counts.now[state] = jobs
        counts.ever[state] = came
        if (state === 'done') counts.doneBytes = doneBytes
      }
      return counts
    },
    batchSize: (batchId) =>
      reads.first<{ n: number }>('SELECT count(*) AS n FROM batch_jobs WHERE batch_id = ?', batchId)?.n ?? 0,
    batchesOf: (id) =>
      reads
        .all<{ batch_id: number }>('SELECT batch_id FROM batch_jobs WHERE job_id = ?', id)
        .map((row) => row.batch_id),
    endedOf: (batchId, after, limit) =>
      reads
        .all<JobRow>(
          `${SELECT_JOBS} WHERE jobs.ended_at_ms IS NOT NULL AND (jobs.ended_at_ms, jobs.id) > (?, ?)
             AND EXISTS (SELECT 1 FROM batch_jobs WHERE batch_id = ? AND job_id = jobs.id)
           ORDER BY jobs.ended_at_ms, jobs.id LIMIT ?`,
          after.endedAtMs,
          after.id,
          batchId,
          limit,
        )
        .map(jobOf),
    ids(filter, afterId, limit) {
      const { sql, values } = jobWhere(filter)
      return reads
        .all<{ id: number }>(
          `SELECT jobs.id FROM jobs WHERE ${sql} AND jobs.id > ? ORDER BY jobs.id LIMIT ?`,
          ...values,
          afterId,
          limit,
        )
        .map(({ id }) => id)
    },
    pause: (ids) => change(ids, ['queued', 'running', 'waiting'], "state = 'paused', not_before_ms = NULL"),
    resume: (ids) => change(ids, ['paused', 'waiting'], "state = 'queued', not_before_ms = NULL, error = NULL"),
    cancel: (ids, nowMs) =>
      writes.inTransaction(() =>
        change(
          ids,
          ['queued', 'running', 'waiting', 'paused'],
          "state = 'cancelled', not_before_ms = NULL, ended_at_ms = ?",
          [nextEnd(nowMs)],
        ),
      ),
    retry: (ids, nowMs) =>
      change(
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
    markRunning: (ids) =>
      void change(
        ids,
        ['queued', 'waiting'],
        "state = 'running', attempts = attempts + 1, not_before_ms = NULL, error = NULL",
      ),
    release: (ids) => void change(ids, ['running'], "state = 'queued'"),
    stillRunning(ids) {
      const rows = reads.all<{ id: number }>(
        "SELECT id FROM jobs WHERE state = 'running' AND id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      )
      return new Set(rows.map(({ id }) => id))
    },
    markProgress: (progress) =>
      writes.inTransaction(() => {
        for (const { id, doneBytes, totalBytes } of progress) {
          writes.run(
            "UPDATE jobs SET done_bytes = ?, total_bytes = ? WHERE id = ? AND state = 'running'",
            doneBytes,
            totalBytes,
            id,
          )
        }
      }),
    markWaiting: (id, error, notBeforeMs) =>
      void writes.run(
        "UPDATE jobs SET state = 'waiting', error = ?, not_before_ms = ? WHERE id = ? AND state = 'running'",
        errorToText(error),
        Math.ceil(notBeforeMs),
        id,
      ),
    markEnded: (ended, nowMs) =>
      writes.inTransaction(() => {
        const endedAtMs = nextEnd(nowMs)
        for (const { id, state, outcome, error, sizeBytes = null } of ended) {
          writes.run(
            `UPDATE jobs SET state = ?, outcome = ?, error = ?, ended_at_ms = ?,
               done_bytes = coalesce(?, done_bytes), total_bytes = coalesce(?, total_bytes)
             WHERE id = ? AND state = 'running'`,
            state,
            outcome,
            error && errorToText(error),
            endedAtMs,
            sizeBytes,
            sizeBytes,
            id,
          )
        }
      }),
    requeueRunning: () =>
      writes.run("UPDATE jobs SET state = 'queued' WHERE state = 'running' AND ended_at_ms IS NULL"),
    trimHistory: (beforeMs, limit) =>
      writes.inTransaction(() => {
        const old = 'SELECT id FROM jobs WHERE ended_at_ms < ? ORDER BY ended_at_ms, id LIMIT ?'
        writes.run(`DELETE FROM batch_jobs WHERE job_id IN (${old})`, beforeMs, limit)
        return writes.run(`DELETE FROM jobs WHERE id IN (${old})`, beforeMs, limit)
      }),
  }
}
