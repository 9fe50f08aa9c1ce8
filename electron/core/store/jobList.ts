import { fold } from './coverageStore.ts'
import { type Job, jobOf, type JobRow, type JobState, SELECT_JOBS } from './jobTable.ts'
import type { Reads } from './sql.ts'

export interface JobFilter {
  states?: readonly JobState[]
  batchId?: number
  connectionId?: string
  ids?: readonly number[]
  errorCode?: string
  /** Words that must all occur in the dataset, venue, symbol, interval, period or error. */
  text?: string
}

/** Columns by which ended jobs can be sorted, as SQL expressions. */
const sortColumns = {
  dataset: 'series.dataset',
  exchange: 'series.exchange',
  symbol: 'series.symbol',
  interval: 'series.interval',
  timestamp: 'series.timestamp',
  period: 'jobs.period',
  state: 'jobs.state',
  totalBytes: 'jobs.total_bytes',
  outcome: 'jobs.outcome',
  attempts: 'jobs.attempts',
  endedAt: 'jobs.ended_at_ms',
} as const

/** Order of the ended jobs, by default newest first; open jobs are always listed in the order in which they run. */
export interface JobSort {
  key: keyof typeof sortColumns
  descending: boolean
}

interface Condition {
  sql: string
  values: (string | number)[]
}

/** Part of the list; open and ended jobs are queried separately because each part has an index in its own order. */
type JobPart = 'open' | 'ended'

interface TextCondition {
  inNames: Condition
  inErrors: Condition
}

interface JobCondition {
  /** All conditions except those on the text. */
  base: Condition
  /** Conditions on the text, one of which has to hold; null if the filter has no text. */
  text: TextCondition | null
}

const statesByPart: Record<JobPart | 'all', readonly JobState[]> = {
  open: ['queued', 'running', 'waiting', 'paused'],
  ended: ['done', 'failed', 'cancelled'],
  all: ['queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled'],
}

const likePattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`
const likeSql = (expression: string) => `${expression} LIKE ? ESCAPE '\\'`

const combine = (first: Condition, second: Condition, by: 'AND' | 'OR' | 'AND NOT'): Condition => ({
  sql: `(${first.sql}) ${by} (${second.sql})`,
  values: [...first.values, ...second.values],
})

/** Builds the conditions on `jobs`; null if no job can match. */
function jobCondition(filter: JobFilter, part: JobPart | 'all'): JobCondition | null {
  const conditions = part === 'all' ? ['1'] : [`jobs.ended_at_ms IS ${part === 'open' ? '' : 'NOT '}NULL`]
  const values: (string | number)[] = []
  const states = statesByPart[part].filter((state) => filter.states?.includes(state) ?? true)
  if (states.length === 0) return null
  // If all states are wanted, no condition is needed. The plus sign keeps SQLite from using an index on states, which
  // would lose the order of the list.
  if (states.length < statesByPart[part].length)
    conditions.push(`+jobs.state IN (${states.map((state) => `'${state}'`).join(', ')})`)
  if (filter.batchId !== undefined) {
    conditions.push('jobs.id IN (SELECT job_id FROM batch_jobs WHERE batch_id = ?)')
    values.push(filter.batchId)
  }
  if (filter.connectionId !== undefined) {
    conditions.push('jobs.connection_id = ?')
    values.push(filter.connectionId)
  }
  if (filter.errorCode !== undefined) {
    conditions.push("jobs.error IS NOT NULL AND jobs.error ->> '$.code' = ?")
    values.push(filter.errorCode)
  }
  if (filter.ids !== undefined) {
    conditions.push('jobs.id IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(filter.ids))
  }
  const terms = fold(filter.text ?? '')
    .split(/\s+/)
    .filter(Boolean)
  return {
    base: { sql: conditions.join(' AND '), values },
    text: terms.length > 0 ? { inNames: conditionOnNames(terms), inErrors: conditionOnErrors(terms) } : null,
  }
}

/** Builds the condition on `jobs` that selects all jobs matching a filter, open or ended. */
export function jobWhere(filter: JobFilter): Condition {
  const condition = jobCondition(filter, 'all')
  return condition ? wholeCondition(condition) : { sql: '0', values: [] }
}

const wholeCondition = ({ base, text }: JobCondition): Condition =>
  text ? combine(base, combine(text.inNames, text.inErrors, 'OR'), 'AND') : base

/**
 * Builds the condition that all words occur in the names of the series or in the period. It searches the series,
 * because there are far fewer series than jobs, and searches periods only for words that could be part of a period.
 */
function conditionOnNames(terms: readonly string[]): Condition {
  const seriesWithTerms = (count: number) =>
    `jobs.series_id IN (SELECT id FROM series WHERE ${Array.from({ length: count }, () => likeSql('search')).join(' AND ')})`
  const dates = terms.filter((word) => /^[\d-]+$/.test(word)).map(likePattern)
  const otherTerms = terms.filter((word) => !/^[\d-]+$/.test(word)).map(likePattern)
  return {
    sql: [
      ...(otherTerms.length > 0 ? [seriesWithTerms(otherTerms.length)] : []),
      ...dates.map(() => `(${seriesWithTerms(1)} OR ${likeSql('jobs.period')})`),
    ].join(' AND '),
    values: [...otherTerms, ...dates.flatMap((date) => [date, date])],
  }
}

/** Builds the condition that a job has an error and that all words occur in its names, its period or the error. */
function conditionOnErrors(terms: readonly string[]): Condition {
  const anywhereSql = `(${['series.search', 'failing.period', 'lower(failing.error)'].map(likeSql).join(' OR ')})`
  return {
    sql: `jobs.id IN (SELECT failing.id FROM jobs AS failing INDEXED BY jobs_with_error
      JOIN series ON series.id = failing.series_id
      WHERE failing.error IS NOT NULL AND ${terms.map(() => anywhereSql).join(' AND ')})`,
    values: terms.map(likePattern).flatMap((word) => [word, word, word]),
  }
}

export interface JobList {
  /** Number of all jobs that match, of which `jobs` is one page. */
  total: number
  /** Open jobs in the order in which they would run, then ended ones in the requested order. */
  jobs: Job[]
}

export const QUEUE_ORDER = 'ORDER BY jobs.priority DESC, jobs.position, jobs.id'
const orderByPart: Record<JobPart, string> = {
  open: QUEUE_ORDER,
  ended: 'ORDER BY jobs.ended_at_ms DESC, jobs.id DESC',
}
const indexNames: Record<JobPart, string> = { open: 'open_jobs', ended: 'ended_jobs' }

const WITH_SERIES = 'JOIN series ON series.id = jobs.series_id'

/** Builds the ORDER BY for a column: missing values last in both directions, jobs with equal values newest first. */
const orderByColumn = ({ key, descending }: JobSort) => {
  const column = sortColumns[key]
  return `ORDER BY ${column} IS NULL, ${column} ${descending ? 'DESC' : 'ASC'}, jobs.ended_at_ms DESC, jobs.id DESC`
}

/** Number of jobs up to which sorting them is faster than reading them in order. */
const FEW_JOBS = 5000

const filtersOnlyStates = ({ batchId, connectionId, ids, errorCode }: JobFilter) =>
  [batchId, connectionId, ids, errorCode].every((each) => each === undefined)

/** Creates the function that lists jobs. It finds a page and the total without ever scanning all jobs for a text. */
export function createJobList(reads: Reads) {
  function countWhere(condition: Condition, index = ''): number {
    const sql = `SELECT count(*) AS n FROM jobs ${index} WHERE ${condition.sql}`
    return reads.first<{ n: number }>(sql, ...condition.values)?.n ?? 0
  }

  function countOf(filter: JobFilter, { base, text }: JobCondition, part: JobPart): number {
    if (!text) return filtersOnlyStates(filter) ? countOfStates(filter, part) : countWhere(base)
    const countInNames = countWhere(combine(base, text.inNames, 'AND'), `INDEXED BY ${indexNames[part]}`)
    return countInNames + countWhere(combine(base, combine(text.inErrors, text.inNames, 'AND NOT'), 'AND'))
  }

  /** Reads the stored counts, so that the time does not grow with the number of jobs. */
  function countOfStates({ states }: JobFilter, part: JobPart): number {
    const wanted = statesByPart[part].filter((state) => states?.includes(state) ?? true)
    const sql = 'SELECT sum(jobs) AS n FROM job_counts WHERE state IN (SELECT value FROM json_each(?))'
    return reads.first<{ n: number | null }>(sql, JSON.stringify(wanted))?.n ?? 0
  }

  /** Builds a condition that lists the ids of all matches, which is fast only for few matches. */
  function idsOfFew(base: Condition, text: TextCondition, part: JobPart): Condition {
    const nameCondition = combine(base, text.inNames, 'AND')
    const errorCondition = combine(base, text.inErrors, 'AND')
    return {
      sql: `jobs.id IN (SELECT jobs.id FROM jobs INDEXED BY ${indexNames[part]} WHERE ${nameCondition.sql}
        UNION SELECT jobs.id FROM jobs WHERE ${errorCondition.sql})`,
      values: [...nameCondition.values, ...errorCondition.values],
    }
  }

  function rowsOf(
    condition: JobCondition,
    part: JobPart,
    count: number,
    { offset, limit, sort }: { offset: number; limit: number; sort: JobSort | null },
  ): Job[] {
    if (offset >= count || limit === 0) return []
    const { base, text } = condition
    const isSorted = sort !== null && part === 'ended'
    const order = isSorted ? orderByColumn(sort) : orderByPart[part]
    const matchCondition = text && count <= FEW_JOBS ? idsOfFew(base, text, part) : wholeCondition(condition)
    return reads
      .all<JobRow>(
        `${SELECT_JOBS} WHERE jobs.id IN (SELECT jobs.id FROM jobs ${isSorted ? WITH_SERIES : ''} WHERE ${matchCondition.sql} ${order} LIMIT ? OFFSET ?)
         ${order}`,
        ...matchCondition.values,
        limit,
        offset,
      )
      .map(jobOf)
  }

  /** Lists the open jobs in order and then the ended ones, each part along its own index. */
  return function listJobs(filter: JobFilter, offset: number, limit: number, sort: JobSort | null = null): JobList {
    const list: JobList = { total: 0, jobs: [] }
    for (const part of ['open', 'ended'] as const) {
      const condition = jobCondition(filter, part)
      if (!condition) continue
      const count = countOf(filter, condition, part)
      const page = { offset: Math.max(0, offset - list.total), limit: limit - list.jobs.length, sort }
      list.jobs.push(...rowsOf(condition, part, count, page))
      list.total += count
    }
    return list
  }
}
