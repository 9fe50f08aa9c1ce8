import type { DayRange } from '#shared/time/ranges.ts'

import type { Database } from './database.ts'
import { isDay, isInstant, isTextList, storedJsonOr } from './storedJson.ts'

/** Key of a request: its canonical form without the range of days. */
export interface RequestKey {
  connectionId: string
  endpoint: string
  query: string
}

/** Time and source of a response, and the problems found in it. */
export interface FetchInfo {
  fetchedAtMs: number
  source: string
  problems: string[]
}

export interface StoredRequest extends FetchInfo {
  id: number
  /** Requested days of a history; null for other requests. */
  range: DayRange | null
}

export interface PortfolioRequests {
  find(key: RequestKey): StoredRequest | undefined
  /** Returns the time of the latest response; 0 if there is none. */
  lastAnswerMs(): number
  /** Lists the requests whose latest response is newer than this time. */
  answeredAfter(timeMs: number): RequestKey[]
  /**
   * Records a response; call inside a transaction.
   * @param requested the requested days of a history; null for other requests
   * @returns id of the request
   */
  noteAnswer(key: RequestKey, fetched: FetchInfo, requested: DayRange | null): number
}

interface RequestRow {
  id: number
  fetched_at_ms: number
  source: string | null
  problems: string | null
  start_day: number | null
  end_day: number | null
}

/**
 * Size limit of the stored texts about a response; longer ones, which another program must have written, are not read.
 */
const MOST_TEXT_BYTES = 2 ** 20
export const textWithinLimit = (column: string): string =>
  `CASE WHEN octet_length(${column}) <= ${MOST_TEXT_BYTES} THEN ${column} END`

const SELECT = `SELECT id, fetched_at_ms, ${textWithinLimit('source')} AS source, ${textWithinLimit('problems')} AS problems, start_day, end_day FROM portfolio_requests
  WHERE connection_id = ? AND endpoint = ? AND query = ?`

const DAMAGED = 'The stored answer is partly damaged; “Refresh” fetches it again.'

/** Reads a request. Damaged fields are ignored; if the time is damaged, the request counts as never fetched. */
function requestOf({
  id,
  fetched_at_ms: fetchedAtMs,
  source,
  problems,
  start_day,
  end_day,
}: RequestRow): StoredRequest {
  const range = start_day === null || end_day === null ? null : { start: start_day, end: end_day }
  const notes = storedJsonOr<string[] | null>(problems, (value) => isTextList(value), null)
  const isValidRange = range === null || (isDay(range.start) && isDay(range.end) && range.start <= range.end)
  const isComplete = notes !== null && source !== null && isInstant(fetchedAtMs) && isValidRange
  return {
    id,
    fetchedAtMs: isInstant(fetchedAtMs) ? fetchedAtMs : 0,
    source: source ?? '',
    problems: isComplete ? notes : [...(notes ?? []), DAMAGED],
    range: isValidRange ? range : null,
  }
}

const haveGap = (a: DayRange, b: DayRange): boolean => a.start > b.end || b.start > a.end

/**
 * Merges two ranges of requested days. If there is a gap between them, the newly requested range is returned, because
 * the days of the gap were never requested.
 */
function mergeRanges(known: DayRange | null, requested: DayRange | null): DayRange | null {
  if (!known || !requested || haveGap(known, requested)) return requested
  return { start: Math.min(known.start, requested.start), end: Math.max(known.end, requested.end) }
}

/**
 * Picks the fetch that determines the freshness of a history: the one that fetched its end. A fetch that ends
 * earlier does not change the freshness, but adds its problems. If there is a gap between the two ranges, the known one
 * is dropped, and its freshness with it.
 */
function freshestFetch(known: StoredRequest | null, fetched: FetchInfo, requested: DayRange | null): FetchInfo {
  if (!known?.range || !requested || requested.end >= known.range.end || haveGap(known.range, requested)) return fetched
  const { fetchedAtMs, source, problems } = known
  return { fetchedAtMs, source, problems: [...new Set([...problems, ...fetched.problems])] }
}

export function createPortfolioRequests({ reads, writes }: Database): PortfolioRequests {
  return {
    find({ connectionId, endpoint, query }) {
      const row = reads.first<RequestRow>(SELECT, connectionId, endpoint, query)
      return row && requestOf(row)
    },
    lastAnswerMs: () =>
      reads.first<{ time: number | null }>('SELECT max(fetched_at_ms) AS time FROM portfolio_requests')?.time ?? 0,
    answeredAfter: (timeMs) =>
      reads.all<RequestKey>(
        'SELECT connection_id AS connectionId, endpoint, query FROM portfolio_requests WHERE fetched_at_ms > ?',
        timeMs,
      ),
    noteAnswer({ connectionId, endpoint, query }, fetched, requested) {
      const row = writes.first<RequestRow>(SELECT, connectionId, endpoint, query)
      const known = row ? requestOf(row) : null
      const range = mergeRanges(known?.range ?? null, requested)
      const { fetchedAtMs, source, problems } = freshestFetch(known, fetched, requested)
      writes.run(
        `INSERT INTO portfolio_requests
           (connection_id, endpoint, query, fetched_at_ms, source, problems, start_day, end_day)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (connection_id, endpoint, query) DO UPDATE SET fetched_at_ms = excluded.fetched_at_ms,
           source = excluded.source, problems = excluded.problems, start_day = excluded.start_day, end_day = excluded.end_day`,
        connectionId,
        endpoint,
        query,
        fetchedAtMs,
        source,
        JSON.stringify(problems),
        range?.start ?? null,
        range?.end ?? null,
      )
      return writes.first<RequestRow>(SELECT, connectionId, endpoint, query)!.id
    },
  }
}
