import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import { createJobList, jobWhere, QUEUE_ORDER, type JobFilter, type JobList, type JobSort } from './jobList.ts'
import {
  createJobActions,
  createJobProgress,
  createJobQueueing,
  errorFromText,
  jobOf,
  SELECT_JOBS,
  type Job,
  type JobActions,
  type JobProgress,
  type JobQueueing,
  type JobRow,
  type JobState,
} from './jobTable.ts'
import { type OwnedSeries, SERIES_COLUMNS, type SeriesIndex, seriesOfRow, type SeriesRow } from './seriesIndex.ts'

/**
 * Keeps the download queue on disk. Ended jobs keep their row as history. A period of a series has at most one open
 * job; adding it again may raise the priority of that job instead.
 */
export interface JobStore extends JobQueueing, JobActions, JobProgress, RunnableJobs, JobQueries, LabelQueries {}

export const createJobStore = (database: Database, seriesIndex: SeriesIndex): JobStore => ({
  ...createJobQueueing(database, seriesIndex),
  ...createJobActions(database),
  ...createJobProgress(database),
  ...createRunnableJobs(database, seriesIndex),
  ...createJobQueries(database),
  ...createLabelQueries(database, seriesIndex),
})

/** Finds the jobs that the scheduler starts next. */
interface RunnableJobs {
  /** Lists the connections with jobs that may run, now or later. */
  runnableConnections(): string[]
  /** Returns a connection's jobs that may run now, in queue order; if `storeOnly`, only those that use no service. */
  nextRunnable(connectionId: string, nowMs: number, limit: number, storeOnly?: boolean): Job[]
  /**
   * Returns the periods of a series that are queued, waiting or running, in order: those from this period on, and if
   * these are fewer than the limit, earlier ones too.
   */
  activePeriods(series: OwnedSeries, from: Period, limit: number): Period[]
  /** Returns the earliest time at which a waiting job may run; null if no job waits. */
  nextWakeMs(): number | null
  /** Selects the jobs that are still running; the others were paused or cancelled, perhaps by another process. */
  stillRunning(ids: readonly number[]): Set<number>
}

/** Longest time until the next attempt of a waiting job. */
const LONGEST_WAIT_MS = 20 * 60_000

/** Condition of runnable jobs, written exactly as in their partial index, which SQLite does not use otherwise. */
const RUNNABLE = "state IN ('queued', 'waiting')"

/** Jumps from one connection to the next in the index instead of reading all jobs. */
const SELECT_RUNNABLE_CONNECTIONS = `WITH RECURSIVE ids (id) AS (
    SELECT min(connection_id) FROM jobs INDEXED BY jobs_runnable WHERE ${RUNNABLE}
    UNION ALL
    SELECT (SELECT min(connection_id) FROM jobs INDEXED BY jobs_runnable
            WHERE ${RUNNABLE} AND connection_id > ids.id) FROM ids WHERE ids.id IS NOT NULL)
  SELECT id FROM ids WHERE id IS NOT NULL`

function createRunnableJobs({ reads }: Database, seriesIndex: SeriesIndex): RunnableJobs {
  function selectPeriods(seriesId: number, operator: '>=' | '<', order: 'ASC' | 'DESC', from: Period, limit: number) {
    return reads
      .all<{ period: Period }>(
        `SELECT period FROM jobs INDEXED BY open_jobs WHERE series_id = ? AND period ${operator} ? AND ended_at_ms IS NULL
           AND state IN ('queued', 'waiting', 'running') ORDER BY period ${order} LIMIT ?`,
        seriesId,
        from,
        limit,
      )
      .map(({ period }) => period)
  }

  return {
    runnableConnections: () => reads.all<{ id: string }>(SELECT_RUNNABLE_CONNECTIONS).map(({ id }) => id),
    nextRunnable: (connectionId, nowMs, limit, storeOnly = false) =>
      reads
        .all<JobRow>(
          `${SELECT_JOBS.replace('FROM jobs', 'FROM jobs INDEXED BY jobs_runnable')}
           WHERE jobs.${RUNNABLE} AND jobs.connection_id = ?
             AND (jobs.state = 'queued' OR jobs.not_before_ms NOT BETWEEN ? + 1 AND ?)
             ${storeOnly ? 'AND jobs.store_only = 1' : ''} ${QUEUE_ORDER} LIMIT ?`,
          connectionId,
          nowMs,
          // A job that would wait longer than the longest wait may run now, because the clock was set back.
          nowMs + LONGEST_WAIT_MS,
          limit,
        )
        .map(jobOf),
    activePeriods(series, from, limit) {
      const id = seriesIndex.find(series)
      if (id === undefined) return []
      const after = selectPeriods(id, '>=', 'ASC', from, limit)
      return [...selectPeriods(id, '<', 'DESC', from, limit - after.length).reverse(), ...after]
    },
    nextWakeMs: () =>
      reads.first<{ at: number | null }>(
        "SELECT min(not_before_ms) AS at FROM jobs WHERE state = 'waiting' AND ended_at_ms IS NULL",
      )?.at ?? null,
    stillRunning(ids) {
      const rows = reads.all<{ id: number }>(
        "SELECT id FROM jobs WHERE state = 'running' AND id IN (SELECT value FROM json_each(?))",
        JSON.stringify(ids),
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}

export interface JobCounts {
  now: Record<JobState, number>
  /** Total of arrivals in each state, by deleted jobs too; a job may arrive in a state several times. */
  ever: Record<JobState, number>
  /** Bytes of the finished jobs. */
  doneBytes: number
}

/** Reads jobs for screens and for commands that follow a batch. */
interface JobQueries {
  find(id: number): Job | undefined
  list(filter: JobFilter, offset: number, limit: number, sort?: JobSort | null): JobList
  /** Reads the stored counts, so that the time does not grow with the number of jobs. */
  counts(): JobCounts
  /** Counts the jobs of a batch, finished or not. */
  batchSize(batchId: number): number
  batchesOf(id: number): number[]
  /** Lists the latest batches, newest first. */
  latestBatches(limit: number): { id: number; label: string; createdAtMs: number }[]
  /**
   * Sums up at most `limit` jobs of a batch after the id `afterId`, by state; `lastId` is the id of the last of these
   * jobs, null if there are none.
   */
  batchSlice(batchId: number, afterId: number, limit: number): { sums: BatchSum[]; lastId: number | null }
  /** Counts the failed jobs by error code; `error` is the error of one job with that code. */
  failureReasons(): { error: ErrorShape; jobs: number }[]
  /** Lists the jobs of a batch that ended after the job `after`, in the order in which they ended. */
  endedOf(batchId: number, after: { endedAtMs: number; id: number }, limit: number): Job[]
  /**
   * Lists at most `limit` matching ids after `afterId`, ascending, so that a change to all jobs can be made in slices
   * with other work in between.
   */
  ids(filter: JobFilter, afterId: number, limit: number): number[]
}

/** Jobs of a batch in one state. */
interface BatchSum {
  state: JobState
  jobs: number
  doneBytes: number
  knownBytes: number
}

interface CountRow {
  state: JobState
  jobs: number
  /** Total of arrivals in this state; a job may arrive several times. */
  arrivals: number
  done_bytes: number
}

const zeroCounts = { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 }

function createJobQueries({ reads }: Database): JobQueries {
  return {
    find(id) {
      const row = reads.first<JobRow>(`${SELECT_JOBS} WHERE jobs.id = ?`, id)
      return row && jobOf(row)
    },
    list: createJobList(reads),
    counts() {
      const counts: JobCounts = { now: { ...zeroCounts }, ever: { ...zeroCounts }, doneBytes: 0 }
      for (const row of reads.all<CountRow>('SELECT state, jobs, came AS arrivals, done_bytes FROM job_counts')) {
        counts.now[row.state] = row.jobs
        counts.ever[row.state] = row.arrivals
        if (row.state === 'done') counts.doneBytes = row.done_bytes
      }
      return counts
    },
    batchSize: (batchId) =>
      reads.first<{ n: number }>('SELECT count(*) AS n FROM batch_jobs WHERE batch_id = ?', batchId)?.n ?? 0,
    latestBatches: (limit) =>
      reads.all('SELECT id, label, created_at_ms AS createdAtMs FROM batches ORDER BY id DESC LIMIT ?', limit),
    batchSlice(batchId, afterId, limit) {
      const slice = 'SELECT job_id FROM batch_jobs WHERE batch_id = ? AND job_id > ? ORDER BY job_id LIMIT ?'
      const last = reads.first<{ id: number | null }>(
        `SELECT max(job_id) AS id FROM (${slice})`,
        batchId,
        afterId,
        limit,
      )
      const sums = reads.all<BatchSum>(
        `SELECT state, count(*) AS jobs, sum(done_bytes) AS doneBytes, sum(coalesce(total_bytes, 0)) AS knownBytes
         FROM jobs WHERE id IN (${slice}) GROUP BY state`,
        batchId,
        afterId,
        limit,
      )
      return { sums, lastId: last?.id ?? null }
    },
    failureReasons: () =>
      reads
        .all<{ error: string; jobs: number }>(
          `SELECT error, count(*) AS jobs FROM jobs INDEXED BY jobs_with_error
           WHERE error IS NOT NULL AND state = 'failed' GROUP BY error ->> '$.code' ORDER BY jobs DESC`,
        )
        .map(({ error, jobs }) => ({ error: errorFromText(error), jobs })),
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
  }
}

/** Finds what the requests with one label asked for, and what others asked for too. */
interface LabelQueries {
  /** Lists the times of the batches with a label, which outlive the history of their jobs. */
  batchTimes(label: string): number[]
  /** Lists the open jobs that only batches with this label asked for. */
  openOnlyFor(label: string): { id: number; period: Period }[]
  /** Lists the files of these series that a batch with another label asked for, as far as the history reaches. */
  wantedBeside(label: string, seriesList: readonly OwnedSeries[]): { series: OwnedSeries; period: Period }[]
}

function createLabelQueries({ reads }: Database, seriesIndex: SeriesIndex): LabelQueries {
  return {
    batchTimes: (label) =>
      reads
        .all<{ at: number }>('SELECT created_at_ms AS at FROM batches WHERE label = ? ORDER BY id', label)
        .map(({ at }) => at),
    openOnlyFor: (label) =>
      reads.all(
        `SELECT jobs.id, jobs.period FROM jobs WHERE jobs.ended_at_ms IS NULL
           AND EXISTS (SELECT 1 FROM batch_jobs JOIN batches ON batches.id = batch_jobs.batch_id
             WHERE batch_jobs.job_id = jobs.id AND batches.label = ?)
           AND NOT EXISTS (SELECT 1 FROM batch_jobs JOIN batches ON batches.id = batch_jobs.batch_id
             WHERE batch_jobs.job_id = jobs.id AND batches.label <> ?)`,
        label,
        label,
      ),
    wantedBeside: (label, seriesList) =>
      reads
        .all<SeriesRow & { period: Period }>(
          `SELECT DISTINCT ${SERIES_COLUMNS}, jobs.period FROM jobs JOIN series ON series.id = jobs.series_id
             JOIN batch_jobs ON batch_jobs.job_id = jobs.id JOIN batches ON batches.id = batch_jobs.batch_id
           WHERE jobs.series_id IN (SELECT value FROM json_each(?)) AND batches.label <> ?`,
          JSON.stringify(seriesList.flatMap((series) => seriesIndex.find(series) ?? [])),
          label,
        )
        .map((row) => ({ series: seriesOfRow(row), period: row.period })),
  }
}
