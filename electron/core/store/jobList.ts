import { jobOf, SELECT_JOBS, type Job, type JobRow } from './job.ts'
import {
  both,
  eitherWay,
  jobCondition,
  statesOf,
  type Condition,
  type JobCondition,
  type JobFilter,
  type JobPart,
  type TextCondition,
} from './jobFilter.ts'
import type { Reads } from './sql.ts'

export interface JobList {
  /** Number of jobs in the whole list. */
  total: number
  /** In the order they would run; ended ones newest first. */
  jobs: Job[]
}

export const IN_ORDER = 'ORDER BY jobs.priority DESC, jobs.position, jobs.id'
const orderOf: Record<JobPart, string> = { open: IN_ORDER, ended: 'ORDER BY jobs.ended_at_ms DESC, jobs.id DESC' }
const seriesIndexOf: Record<JobPart, string> = { open: 'open_jobs', ended: 'ended_jobs' }

/** Up to so many are sooner sorted than found along the order. */
const FEW = 5000

const asksOnlyStates = ({ batchId, connectionId }: JobFilter) => batchId === undefined && connectionId === undefined

/** Creates the list of jobs, which reads pages and counts and never scans all jobs for a text. */
export function createJobList(reads: Reads) {
  function countWhere(condition: Condition, index = ''): number {
    const sql = `SELECT count(*) AS n FROM jobs ${index} WHERE ${condition.sql}`
    return reads.first<{ n: number }>(sql, ...condition.values)?.n ?? 0
  }

  function countOf(filter: JobFilter, { rest, terms }: JobCondition, part: JobPart): number {
    if (!terms) return asksOnlyStates(filter) ? countOfStates(filter, part) : countWhere(rest)
    const named = countWhere(both(rest, terms.inNames, 'AND'), `INDEXED BY ${seriesIndexOf[part]}`)
    return named + countWhere(both(rest, both(terms.inErrors, terms.inNames, 'AND NOT'), 'AND'))
  }

  /** Kept beside the jobs, so it costs nothing however many there are. */
  function countOfStates({ states }: JobFilter, part: JobPart): number {
    const wanted = statesOf[part].filter((state) => states?.includes(state) ?? true)
    const sql = 'SELECT sum(jobs) AS n FROM job_counts WHERE state IN (SELECT value FROM json_each(?))'
    return reads.first<{ n: number | null }>(sql, JSON.stringify(wanted))?.n ?? 0
  }

  /** The ids of them all, where there are few. */
  function idsOfFew(rest: Condition, terms: TextCondition, part: JobPart): Condition {
    const named = both(rest, terms.inNames, 'AND')
    const failing = both(rest, terms.inErrors, 'AND')
    return {
      sql: `jobs.id IN (SELECT jobs.id FROM jobs INDEXED BY ${seriesIndexOf[part]} WHERE ${named.sql}
        UNION SELECT jobs.id FROM jobs WHERE ${failing.sql})`,
      values: [...named.values, ...failing.values],
    }
  }

  function rowsOf(condition: JobCondition, part: JobPart, count: number, offset: number, limit: number): Job[] {
    if (offset >= count || limit === 0) return []
    const { rest, terms } = condition
    const order = orderOf[part]
    const which = terms && count <= FEW ? idsOfFew(rest, terms, part) : eitherWay(condition)
    return reads
      .all<JobRow>(
        `${SELECT_JOBS} WHERE jobs.id IN (SELECT jobs.id FROM jobs WHERE ${which.sql} ${order} LIMIT ? OFFSET ?)
         ${order}`,
        ...which.values,
        limit,
        offset,
      )
      .map(jobOf)
  }

  /** Two lists end to end, each along its own index: those still open in order, then those that ended. */
  return function listJobs(filter: JobFilter, offset: number, limit: number): JobList {
    const list: JobList = { total: 0, jobs: [] }
    for (const part of ['open', 'ended'] as const) {
      const condition = jobCondition(filter, part)
      if (!condition) continue
      const count = countOf(filter, condition, part)
      list.jobs.push(...rowsOf(condition, part, count, Math.max(0, offset - list.total), limit - list.jobs.length))
      list.total += count
    }
    return list
  }
}
