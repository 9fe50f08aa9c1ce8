import { parseDay } from '#shared/time.ts'
import { marketDay } from '../market/days.ts'
import { ApiRefusal } from '../refusal.ts'
import type { SnapshotAsOf } from './snapshotClock.ts'
import type { SandboxVenue } from '../market/venues.ts'
import type { Constraint } from './universe.ts'

/** Allowed values of `smoothing`, in days. */
const smoothings = ['0', '5', '10', '15', '20', '30']

/** A range of day numbers, half-open. */
export interface DayNumberRange {
  from: number
  to: number
}

export function requiredValue(query: URLSearchParams, name: string): string {
  const value = query.get(name)?.trim()
  if (value) return value
  throw new ApiRefusal(400, 'missing_parameter', `Missing required parameter: ${name}`, { parameter: name })
}

/** Reads a parameter with a closed set of values; null if it is absent or empty. */
export function oneOfParameter<T extends string>(
  query: URLSearchParams,
  name: string,
  allowed: readonly T[],
): T | null {
  const value = query.get(name)
  if (value === null || value === '') return null
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new ApiRefusal(400, 'invalid_parameter', `Invalid ${name}: ${value}. Allowed values: ${allowed.join(', ')}`, {
    parameter: name,
    value,
    allowed,
  })
}

/**
 * Reads the smoothing. An empty value does not count as omitted: according to its documentation, the portfolio service
 * answers every value except the six allowed ones with status 400.
 */
export function smoothingOf(query: URLSearchParams, defaultValue: number): number {
  if (query.get('smoothing') === '') {
    const allowed = smoothings.join(', ')
    throw new ApiRefusal(400, 'invalid_parameter', `Invalid smoothing: it is empty. Allowed values: ${allowed}`, {
      parameter: 'smoothing',
      value: '',
      allowed: smoothings,
    })
  }
  const value = oneOfParameter(query, 'smoothing', smoothings)
  return value === null ? defaultValue : Number(value)
}

export function constraintOf({
  query,
  venues,
}: {
  query: URLSearchParams
  venues: readonly SandboxVenue[]
}): Constraint {
  const short = oneOfParameter(query, 'exchange', ['unconstrained', ...venues.map((venue) => venue.short)])
  return venues.find((venue) => venue.short === short) ?? null
}

export function asOfOf(query: URLSearchParams, defaultValue: SnapshotAsOf): SnapshotAsOf {
  return oneOfParameter(query, 'as_of', ['latest', 'close'] as const) ?? defaultValue
}

function dateOf(query: URLSearchParams, name: string): number | null {
  const value = query.get(name)
  if (value === null || value === '') return null
  if (parseDay(value) !== null) return marketDay(value)
  throw new ApiRefusal(400, 'invalid_parameter', `Invalid ${name}: ${value}. Expected YYYY-MM-DD`, {
    parameter: name,
    value,
  })
}

/** Limits the days from `first` to `last` to those from `start_date` to `end_date`, all inclusive. */
export function rangeOf(query: URLSearchParams, first: number, last: number): DayNumberRange {
  const start = dateOf(query, 'start_date') ?? first
  const end = dateOf(query, 'end_date') ?? last
  const from = Math.max(first, start)
  return { from, to: Math.max(from, Math.min(last, end) + 1) }
}

/** Reads a comma-separated list, without duplicates and without white space around its names. */
export function listParameter(query: URLSearchParams, name: string): string[] {
  const names = requiredValue(query, name)
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
  if (names.length > 0) return [...new Set(names)]
  throw new ApiRefusal(400, 'missing_parameter', `Missing required parameter: ${name}`, { parameter: name })
}
