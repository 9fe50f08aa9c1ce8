import type { ErrorShape } from '#shared/contract/errors.ts'
import type { Period } from '#shared/time/periods.ts'
import { fold } from './coverageStore.ts'
import type { Database } from './database.ts'
import { jobCondition, type JobFilter, type JobState } from './jobFilter.ts'
import { SERIES_COLUMNS, seriesOf, type OwnedSeries, type SeriesIndex, type SeriesRow } from './seriesIndex.ts'

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

export interface EndedJob {
  id: number
  state: 'done' | 'failed'
  outcome: Job['outcome']
  error: ErrorShape | null
}

export interface NewJob {
  series: OwnedSeries
  period: Period
  refresh: boolean
}

export type JobCounts = Record<JobState, number> & { doneBytes: number; totalBytes: number }

/**
 * The queue on disk. Jobs that end keep their row as history. A period of a series has at most one job that has not ended;
 * adding it again raises that one's priority instead.
 */
export interface JobStore {
  newBatch(label: string, nowMs: number): number
  /** One transaction: callers hand over a few thousand at a time, so that nothing else waits. @returns how many were new */
  add(batchId: number, jobs: readonly NewJob[], options: { priority: number; nowMs: number }): number
  /** The next jobs that may run, best first, over all connections that are not paused. */
  nextRunnable(nowMs: number, limit: number, exceptConnectionIds: readonly string[]): Job[]
  /** The earliest instant at which a waiting job may run; null where none waits. */
  nextWakeMs(): number | null
  find(id: number): Job | undefined
  /** In the order they would run; ended ones newest first. */
  page(filter: JobFilter, offset: number, limit: number): Job[]
  count(filter: JobFilter): number
  counts(batchId?: number): JobCounts
  /** For changes to all that a filter finds: ids in rising order, a slice at a time, so that nothing else waits. */
  ids(filter: JobFilter, afterId: number, limit: number): number[]
  /** These four say how many jobs they concerned. */
  pause(ids: readonly number[]): number
  /** Paused and waiting ones may run again at once. */
  resume(ids: readonly number[]): number
  cancel(ids: readonly number[], nowMs: number): number
  /** Failed and cancelled ones, unless another job fetches the same file. */
  retry(ids: readonly number[]): number
  prioritise(ids: readonly number[], priority: number): void
  /** Puts jobs directly before another in the order of their priority. */
  reorder(ids: readonly number[], beforeId: number | null): void
  markRunning(id: number): void
  /** Of these, the ones that still run: the others were paused or cancelled, perhaps by another process. */
  stillRunning(ids: readonly number[]): Set<number>
  markProgress(progress: readonly { id: number; doneBytes: number; totalBytes: number | null }[]): void
  markWaiting(id: number, error: ErrorShape, notBeforeMs: number): void
  markEnded(ended: readonly EndedJob[], nowMs: number): void
  /** At start, and after a lease was taken over: what ran in a process that is gone is queued again. @returns how many */
  requeueRunning(): number
  /** Forgets ended jobs older than this. */
  trimHistory(beforeMs: number): number
}

interface JobRow extends SeriesRow {
  id: number
  batch_id: number
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

const SELECT = `SELECT ${SERIES_COLUMNS}, jobs.id, jobs.batch_id, jobs.period, jobs.refresh, jobs.state, jobs.priority,
  jobs.position, jobs.error, jobs.outcome, jobs.not_before_ms, jobs.attempts, jobs.done_bytes, jobs.total_bytes,
  jobs.created_at_ms, jobs.ended_at_ms FROM jobs JOIN series ON series.id = jobs.series_id`

const IN_ORDER = 'ORDER BY jobs.priority DESC, jobs.position, jobs.id'
const NEWEST_FIRST = 'ORDER BY jobs.ended_at_ms DESC, jobs.id DESC'

const jobOf = (row: JobRow): Job => ({
  id: row.id,
  batchId: row.batch_id,
  series: seriesOf(row),
  period: row.period,
  refresh: row.refresh === 1,
  state: row.state,
  priority: row.priority,
  position: row.position,
  error: row.error === null ? null : (JSON.parse(row.error) as ErrorShape),
  notBeforeMs: row.not_before_ms,
  attempts: row.attempts,
  doneBytes: row.done_bytes,
  totalBytes: row.total_bytes,
  createdAtMs: row.created_at_ms,
  endedAtMs: row.ended_at_ms,
  outcome: row.outcome,
})

const noCounts: JobCounts = {
  queued: 0,
  running: 0,
  waiting: 0,
  paused: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
  doneBytes: 0,
  totalBytes: 0,
}

export function createJobStore(database: Database, seriesIndex: SeriesIndex): JobStore {
  const { reads, writes } = database

  function addOne(batchId: number, job: NewJob, position: number, priority: number, nowMs: number): void {
    const { dataset, exchange, symbol, interval, connectionId } = job.series
    writes.run(
      `INSERT INTO jobs (batch_id, series_id, connection_id, period, refresh, state, priority, position, created_at_ms, search)
       VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)
       ON CONFLICT (series_id, period) WHERE ended_at_ms IS NULL
       DO UPDATE SET priority = max(priority, excluded.priority), refresh = max(refresh, excluded.refresh)`,
      batchId,
      seriesIndex.idOf(job.series),
      connectionId,
      job.period,
      job.refresh ? 1 : 0,
      priority,
      position,
      nowMs,
      fold(`${dataset} ${exchange} ${symbol} ${interval} ${job.period}`),
    )
  }

  /** Two lists end to end, each along its own index: those still open in order, then those that ended. */
  function page(filter: JobFilter, offset: number, limit: number): Job[] {
    const open = jobCondition(filter, 'open')
    const ended = jobCondition(filter, 'ended')
    const rows = (part: { sql: string; values: (string | number)[] }, order: string, skip: number, most: number) =>
      reads.all<JobRow>(`${SELECT} WHERE ${part.sql} ${order} LIMIT ? OFFSET ?`, ...part.values, most, skip)
    const first = rows(open, IN_ORDER, offset, limit)
    if (first.length === limit) return first.map(jobOf)
    const openCount = first.length > 0 ? offset + first.length : countWhere(open)
    const second = rows(ended, NEWEST_FIRST, Math.max(0, offset - openCount), limit - first.length)
    return [...first, ...second].map(jobOf)
  }

  /** As the writer sees it, inside its transaction too. */
  function openCount(): number {
    return writes.first<{ n: number }>('SELECT count(*) AS n FROM jobs WHERE ended_at_ms IS NULL')?.n ?? 0
  }

  function countWhere({ sql, values }: { sql: string; values: (string | number)[] }): number {
    return reads.first<{ n: number }>(`SELECT count(*) AS n FROM jobs WHERE ${sql}`, ...values)?.n ?? 0
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
        const before = openCount()
        const last = writes.first<{ id: number | null }>('SELECT max(id) AS id FROM jobs')?.id ?? 0
        jobs.forEach((job, index) => addOne(batchId, job, last + index + 1, priority, nowMs))
        return openCount() - before
      })
    },
    nextRunnable: (nowMs, limit, exceptConnectionIds) =>
      reads
        .all<JobRow>(
          // Along the order, not through the states: the first few are found at once.
          `${SELECT.replace('FROM jobs', 'FROM jobs INDEXED BY jobs_in_order')} WHERE jobs.ended_at_ms IS NULL
             AND (jobs.state = 'queued' OR (jobs.state = 'waiting' AND jobs.not_before_ms <= ?))
             AND jobs.connection_id NOT IN (SELECT value FROM json_each(?)) ${IN_ORDER} LIMIT ?`,
          nowMs,
          JSON.stringify(exceptConnectionIds),
          limit,
        )
        .map(jobOf),
    nextWakeMs: () =>
      reads.first<{ at: number | null }>(
        "SELECT min(not_before_ms) AS at FROM jobs WHERE state = 'waiting' AND ended_at_ms IS NULL",
      )?.at ?? null,
    find(id) {
      const row = reads.first<JobRow>(`${SELECT} WHERE jobs.id = ?`, id)
      return row && jobOf(row)
    },
    page,
    count: (filter) => countWhere(jobCondition(filter, 'open')) + countWhere(jobCondition(filter, 'ended')),
    counts(batchId) {
      const rows = reads.all<{ state: JobState; n: number; done: number; total: number }>(
        `SELECT state, count(*) AS n, total(done_bytes) AS done, total(coalesce(total_bytes, 0)) AS total
         FROM jobs ${batchId === undefined ? '' : 'WHERE batch_id = ?'} GROUP BY state`,
        ...(batchId === undefined ? [] : [batchId]),
      )
      const counts = { ...noCounts }
      for (const { state, n, done, total } of rows) {
        counts[state] = n
        counts.doneBytes += done
        counts.totalBytes += total
      }
      return counts
    },
    ids(filter, afterId, limit) {
      const { sql, values } = jobCondition(filter, 'all')
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
      change(
        ids,
        ['queued', 'running', 'waiting', 'paused'],
        "state = 'cancelled', not_before_ms = NULL, ended_at_ms = ?",
        [nowMs],
      ),
    retry: (ids) =>
      change(
        ids,
        ['failed', 'cancelled'],
        "state = 'queued', ended_at_ms = NULL, error = NULL, outcome = NULL, attempts = 0, done_bytes = 0",
      ),
    prioritise: (ids, priority) =>
      void writes.run(
        'UPDATE jobs SET priority = ? WHERE id IN (SELECT value FROM json_each(?)) AND ended_at_ms IS NULL',
        priority,
        JSON.stringify(ids),
      ),
    reorder: (ids, beforeId) => writes.inTransaction(() => reorder(database, ids, beforeId)),
    markRunning: (id) =>
      void writes.run(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, not_before_ms = NULL, error = NULL WHERE id = ?",
        id,
      ),
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
        JSON.stringify(error),
        Math.ceil(notBeforeMs),
        id,
      ),
    markEnded: (ended, nowMs) =>
      writes.inTransaction(() => {
        for (const { id, state, outcome, error } of ended) {
          writes.run(
            "UPDATE jobs SET state = ?, outcome = ?, error = ?, ended_at_ms = ? WHERE id = ? AND state = 'running'",
            state,
            outcome,
            error && JSON.stringify(error),
            nowMs,
            id,
          )
        }
      }),
    requeueRunning: () =>
      writes.run("UPDATE jobs SET state = 'queued' WHERE state = 'running' AND ended_at_ms IS NULL"),
    trimHistory: (beforeMs) => writes.run('DELETE FROM jobs WHERE ended_at_ms < ?', beforeMs),
  }
}

/** Gives the jobs positions between the one they go before and its neighbour, and that one's priority. */
function reorder({ writes }: Database, ids: readonly number[], beforeId: number | null): void {
  const place = (id: number) =>
    writes.first<{ priority: number; position: number }>(
      'SELECT priority, position FROM jobs WHERE id = ? AND ended_at_ms IS NULL',
      id,
    )
  const moved = JSON.stringify(ids)
  const others = 'ended_at_ms IS NULL AND id NOT IN (SELECT value FROM json_each(?))'
  const target = beforeId === null ? undefined : place(beforeId)
  const priority =
    target?.priority ??
    writes.first<{ p: number | null }>(`SELECT min(priority) AS p FROM jobs WHERE ${others}`, moved)?.p ??
    0
  const edge = (which: string, condition: string, ...values: number[]) =>
    writes.first<{ at: number | null }>(
      `SELECT ${which}(position) AS at FROM jobs WHERE ${others} AND priority = ?${condition}`,
      moved,
      priority,
      ...values,
    )?.at
  const above = target ? edge('max', ' AND position < ?', target.position) : edge('max', '')
  const low = above ?? (target?.position ?? 1) - 1
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
