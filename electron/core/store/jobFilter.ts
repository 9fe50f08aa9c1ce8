import { fold } from './coverageStore.ts'

export type JobState = 'queued' | 'running' | 'waiting' | 'paused' | 'done' | 'failed' | 'cancelled'

export interface JobFilter {
  states?: readonly JobState[]
  batchId?: number
  connectionId?: string
  /** Words that all occur in dataset, venue, symbol, interval, period or error. */
  text?: string
}

export interface JobCondition {
  sql: string
  values: (string | number)[]
}

const statesOf: Record<'open' | 'ended' | 'all', readonly JobState[]> = {
  open: ['queued', 'running', 'waiting', 'paused'],
  ended: ['done', 'failed', 'cancelled'],
  all: ['queued', 'running', 'waiting', 'paused', 'done', 'failed', 'cancelled'],
}

const like = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** On `jobs`; open and ended ones are asked apart because each has an index in its own order. */
export function jobCondition(filter: JobFilter, part: 'open' | 'ended' | 'all'): JobCondition {
  const parts = part === 'all' ? ['1'] : [`jobs.ended_at_ms IS ${part === 'open' ? '' : 'NOT '}NULL`]
  const values: (string | number)[] = []
  const states = statesOf[part].filter((state) => filter.states?.includes(state) ?? true)
  if (states.length === 0) return { sql: '0', values: [] }
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
  for (const word of fold(filter.text ?? '')
    .split(/\s+/)
    .filter(Boolean)) {
    parts.push(`(jobs.search LIKE ? ESCAPE '\\' OR (jobs.error IS NOT NULL AND lower(jobs.error) LIKE ? ESCAPE '\\'))`)
    values.push(like(word), like(word))
  }
  return { sql: parts.join(' AND '), values }
}
