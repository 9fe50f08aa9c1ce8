import { fold } from './coverageStore.ts'

export type JobState = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'cancelled'

export interface JobFilter {
  states?: readonly JobState[]
  batchId?: number
  connectionId?: string
  /** TextCondition that all occur in dataset, venue, symbol, interval, period or error. */
  text?: string
}

export interface Condition {
  sql: string
  values: (string | number)[]
}

/** Open and ended ones are asked apart because each has an index in its own order. */
export type JobPart = 'open' | 'ended'

export interface TextCondition {
  inNames: Condition
  inErrors: Condition
}

export interface JobCondition {
  /** All but the words. */
  rest: Condition
  /** Either of both; null where no word is asked for. */
  terms: TextCondition | null
}

export const statesOf: Record<JobPart | 'all', readonly JobState[]> = {
  open: ['queued', 'running', 'waiting', 'paused'],
  ended: ['done', 'failed', 'cancelled'],
  all: ['queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled'],
}

const like = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`
const isLike = (what: string) => `${what} LIKE ? ESCAPE '\\'`

export const both = (first: Condition, second: Condition, by: 'AND' | 'OR' | 'AND NOT'): Condition => ({
  sql: `(${first.sql}) ${by} (${second.sql})`,
  values: [...first.values, ...second.values],
})

/** On `jobs`; null where no job can be meant. */
export function jobCondition(filter: JobFilter, part: JobPart | 'all'): JobCondition | null {
  const parts = part === 'all' ? ['1'] : [`jobs.ended_at_ms IS ${part === 'open' ? '' : 'NOT '}NULL`]
  const values: (string | number)[] = []
  const states = statesOf[part].filter((state) => filter.states?.includes(state) ?? true)
  if (states.length === 0) return null
  // With all of them there is nothing to test; with some, the lists still go along their own order.
  if (states.length < statesOf[part].length)
    parts.push(`+jobs.state IN (${states.map((state) => `'${state}'`).join(', ')})`)
  if (filter.batchId !== undefined) {
    parts.push('jobs.id IN (SELECT job_id FROM batch_jobs WHERE batch_id = ?)')
    values.push(filter.batchId)
  }
  if (filter.connectionId !== undefined) {
    parts.push('jobs.connection_id = ?')
    values.push(filter.connectionId)
  }
  const terms = fold(filter.text ?? '')
    .split(/\s+/)
    .filter(Boolean)
  return {
    rest: { sql: parts.join(' AND '), values },
    terms: terms.length > 0 ? { inNames: inNames(terms), inErrors: inErrors(terms) } : null,
  }
}

/** On `jobs`, whichever index it is looked up by. */
export function jobWhere(filter: JobFilter): Condition {
  const condition = jobCondition(filter, 'all')
  return condition ? eitherWay(condition) : { sql: '0', values: [] }
}

export const eitherWay = ({ rest, terms }: JobCondition): Condition =>
  terms ? both(rest, both(terms.inNames, terms.inErrors, 'OR'), 'AND') : rest

/**
 * All words occur in the names of the series or in the period. There are far fewer series than jobs, so they are looked
 * through instead; a period is looked at only where the word could be a piece of one.
 */
function inNames(terms: readonly string[]): Condition {
  const named = (count: number) =>
    `jobs.series_id IN (SELECT id FROM series WHERE ${Array.from({ length: count }, () => isLike('search')).join(' AND ')})`
  const dates = terms.filter((word) => /^[\d-]+$/.test(word)).map(like)
  const others = terms.filter((word) => !/^[\d-]+$/.test(word)).map(like)
  return {
    sql: [
      ...(others.length > 0 ? [named(others.length)] : []),
      ...dates.map(() => `(${named(1)} OR ${isLike('jobs.period')})`),
    ].join(' AND '),
    values: [...others, ...dates.flatMap((date) => [date, date])],
  }
}

/** All words occur in the names, the period or the error of a job that has one. */
function inErrors(terms: readonly string[]): Condition {
  const anywhere = `(${['series.search', 'failing.period', 'lower(failing.error)'].map(isLike).join(' OR ')})`
  return {
    sql: `jobs.id IN (SELECT failing.id FROM jobs AS failing INDEXED BY jobs_with_error
      JOIN series ON series.id = failing.series_id
      WHERE failing.error IS NOT NULL AND ${terms.map(() => anywhere).join(' AND ')})`,
    values: terms.map(like).flatMap((word) => [word, word, word]),
  }
}
