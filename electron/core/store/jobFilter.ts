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

const like = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** On `jobs`; open and ended ones are asked apart because each has an index in its own order. */
export function jobCondition(filter: JobFilter, part: 'open' | 'ended' | 'all'): JobCondition {
  const parts = part === 'all' ? ['1'] : [`jobs.ended_at_ms IS ${part === 'open' ? '' : 'NOT '}NULL`]
  const values: (string | number)[] = []
  if (filter.states) {
    parts.push('jobs.state IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(filter.states))
  }
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
    parts.push(`(jobs.search LIKE ? ESCAPE '\\' OR lower(coalesce(jobs.error, '')) LIKE ? ESCAPE '\\')`)
    values.push(like(word), like(word))
  }
  return { sql: parts.join(' AND '), values }
}
