import type { IdKind } from '#shared/catalog/portfolioEndpoints.ts'
import type { HistoryMatrix, PortfolioSnapshot } from '#shared/portfolio/dailySeries.ts'
import type { DayRange } from '#shared/time/ranges.ts'
import type { Database } from './database.ts'
import { CELLS, createColumnLists, type StoredCells } from './portfolioCells.ts'
import type { RowArrivals } from './rowArrivals.ts'
import { createPortfolioDays, type MergeResult, type PortfolioDays } from './portfolioDays.ts'
import {
  createPortfolioRequests,
  type FetchInfo,
  type PortfolioRequests,
  type RequestKey,
} from './portfolioRequests.ts'
import { createPortfolioSnapshots, type PortfolioSnapshots } from './portfolioSnapshots.ts'
import { damagedError, isInstant, isTextList, storedJsonOr } from './storedJson.ts'

/** The values of a day or a snapshot before the service changed them. */
export interface Revision {
  day: number
  createdAtMs: number | null
  columns: string[]
  values: Float64Array
  fetchedAtMs: number
  replacedAtMs: number
}

/** A list of tickers, and since when the service has returned it. */
interface TickerListState {
  tickers: string[]
  firstSeenAtMs: number
}

/** All responses of the portfolio services, by canonical request; replaced values are kept as revisions. */
export interface PortfolioStore {
  find: PortfolioRequests['find']
  lastAnswerMs: PortfolioRequests['lastAnswerMs']
  answeredAfter: PortfolioRequests['answeredAfter']
  /** Saves all days in one transaction, together with the requested range. */
  saveDays(key: RequestKey, requested: DayRange, matrix: HistoryMatrix, fetched: FetchInfo): MergeResult
  days: PortfolioDays['read']
  day: PortfolioDays['day']
  lastDay: PortfolioDays['lastDay']
  histories: PortfolioDays['list']
  /** @returns whether the snapshot contained new data */
  saveSnapshot(key: RequestKey, snapshot: PortfolioSnapshot, fetched: FetchInfo): boolean
  snapshot: PortfolioSnapshots['read']
  snapshots: PortfolioSnapshots['list']
  snapshotsOf: PortfolioSnapshots['listOf']
  lastCreatedMs: PortfolioSnapshots['lastCreatedMs']
  /** @returns whether the list differs from the newest stored one */
  saveTickers(key: RequestKey, tickers: readonly string[], fetched: FetchInfo): boolean
  /** Returns ticker lists, newest first: the current one, then those that it replaced. */
  tickerLists(requestId: number, limit: number): TickerListState[]
  /** Lists the revisions, newest first. */
  revisions(requestId: number, limit: number): Revision[]
  ids: PortfolioIds
  bareOverlays: BareOverlays
}

/** Services that know an overlay's portfolio only without its universe size. */
interface BareOverlays {
  has(connectionId: string, url: string): boolean
  set(connectionId: string, url: string, isBare: boolean): void
}

interface RevisionRow extends StoredCells {
  day: number
  created_at_ms: number | null
  fetched_at_ms: number
  replaced_at_ms: number
}

interface TickersRow {
  tickers: string | null
  first_seen_at_ms: number
}

/** Size limit of a stored ticker list; a longer one, which another program must have written, is not read. */
const MOST_TICKERS_BYTES = 16 * 2 ** 20

/** Parses a ticker list; null if it is damaged. */
function tickerListOf({ tickers, first_seen_at_ms: firstSeenAtMs }: TickersRow): TickerListState | null {
  const list = storedJsonOr<string[] | null>(tickers, isTextList, null)
  return list && isInstant(firstSeenAtMs) ? { tickers: list, firstSeenAtMs } : null
}

/** Leaves out damaged older lists; throws if the newest is damaged, so that it is fetched again. */
function readableLists(rows: readonly TickersRow[]): TickerListState[] {
  const lists = rows.map(tickerListOf)
  if (lists[0] === null)
    throw damagedError('The stored list of tickers', 'it is not a list of names. “Refresh” fetches it again')
  return lists.filter((list) => list !== null)
}

export function createPortfolioStore(database: Database, arrivals: RowArrivals): PortfolioStore {
  const { reads, writes } = database
  const requests = createPortfolioRequests(database)
  const columnLists = createColumnLists(database)
  const days = createPortfolioDays(database, columnLists, arrivals)
  const snapshots = createPortfolioSnapshots(database, columnLists)

  return {
    find: requests.find,
    lastAnswerMs: requests.lastAnswerMs,
    answeredAfter: requests.answeredAfter,
    saveDays: (key, requested, matrix, fetched) =>
      writes.inTransaction(() => days.merge(requests.noteAnswer(key, fetched, requested), matrix, fetched.fetchedAtMs)),
    days: days.read,
    day: days.day,
    lastDay: days.lastDay,
    histories: days.list,
    saveSnapshot: (key, snapshot, fetched) =>
      writes.inTransaction(() =>
        snapshots.keep(requests.noteAnswer(key, fetched, null), snapshot, fetched.fetchedAtMs),
      ),
    snapshot: snapshots.read,
    snapshots: snapshots.list,
    snapshotsOf: snapshots.listOf,
    lastCreatedMs: snapshots.lastCreatedMs,
    saveTickers: (key, tickers, fetched) =>
      writes.inTransaction(() => {
        const id = requests.noteAnswer(key, fetched, null)
        const text = JSON.stringify(tickers)
        const newestList = writes.first<{ is_same: number; first_seen_at_ms: number }>(
          'SELECT tickers = ? AS is_same, first_seen_at_ms FROM portfolio_lists WHERE request_id = ? ORDER BY id DESC LIMIT 1',
          text,
          id,
        )
        // A list with an invalid time is damaged, so this response replaces it.
        if (newestList?.is_same === 1 && isInstant(newestList.first_seen_at_ms)) return false
        writes.run(
          'INSERT INTO portfolio_lists (request_id, tickers, first_seen_at_ms) VALUES (?, ?, ?)',
          id,
          text,
          fetched.fetchedAtMs,
        )
        return true
      }),
    tickerLists: (requestId, limit) =>
      readableLists(
        reads.all<TickersRow>(
          `SELECT CASE WHEN octet_length(tickers) <= ${MOST_TICKERS_BYTES} THEN tickers END AS tickers, first_seen_at_ms
           FROM portfolio_lists WHERE request_id = ? ORDER BY id DESC LIMIT ?`,
          requestId,
          limit,
        ),
      ),
    revisions: (requestId, limit) =>
      reads
        .all<RevisionRow>(
          `SELECT day, created_at_ms, columns_id, ${CELLS}, fetched_at_ms, replaced_at_ms FROM portfolio_revisions
           WHERE request_id = ? ORDER BY id DESC LIMIT ?`,
          requestId,
          limit,
        )
        .map((row) => ({
          day: row.day,
          createdAtMs: row.created_at_ms,
          ...columnLists.readOrThrow(row, 'An earlier value of this answer'),
          fetchedAtMs: row.fetched_at_ms,
          replacedAtMs: row.replaced_at_ms,
        })),
    ids: createPortfolioIds(database),
    bareOverlays: createBareOverlays(database),
  }
}

const createBareOverlays = ({ reads, writes }: Database): BareOverlays => ({
  has: (connectionId, url) =>
    reads.first('SELECT 1 FROM bare_overlays WHERE connection_id = ? AND url = ?', connectionId, url) !== undefined,
  set(connectionId, url, isBare) {
    if (isBare) writes.run('INSERT OR IGNORE INTO bare_overlays (connection_id, url) VALUES (?, ?)', connectionId, url)
    else writes.run('DELETE FROM bare_overlays WHERE connection_id = ? AND url = ?', connectionId, url)
  },
})

/** Ids are free text; those that were used successfully are suggested again. */
interface PortfolioIds {
  noteUse(connectionId: string, ids: readonly { kind: IdKind; id: string }[], nowMs: number): void
  /** Lists the ids that were used, most recent first. */
  usedIds(connectionId: string, kind: IdKind, limit: number): { id: string; usedAtMs: number }[]
}

/** Size limit of an id (300 characters of up to 4 bytes); a longer one is not suggested. */
const MOST_ID_BYTES = 1200
/** Time within which a repeated use of an id is not written again. */
const SAME_USE_MS = 60_000

function createPortfolioIds({ reads, writes }: Database): PortfolioIds {
  const isRecorded = (connectionId: string, kind: IdKind, id: string, sinceMs: number) =>
    reads.first(
      'SELECT 1 FROM portfolio_ids WHERE connection_id = ? AND kind = ? AND name = ? AND used_at_ms > ?',
      connectionId,
      kind,
      id,
      sinceMs,
    ) !== undefined

  return {
    noteUse(connectionId, ids, nowMs) {
      const unrecorded = ids.filter(({ kind, id }) => !isRecorded(connectionId, kind, id, nowMs - SAME_USE_MS))
      if (unrecorded.length === 0) return
      writes.inTransaction(() => {
        for (const { kind, id } of unrecorded) {
          writes.run(
            'INSERT OR REPLACE INTO portfolio_ids (connection_id, kind, name, used_at_ms) VALUES (?, ?, ?, ?)',
            connectionId,
            kind,
            id,
            nowMs,
          )
        }
      })
    },
    usedIds: (connectionId, kind, limit) =>
      reads
        .all<{ name: string; used_at_ms: number }>(
          `SELECT name, used_at_ms FROM portfolio_ids WHERE connection_id = ? AND kind = ? AND octet_length(name) <= ${MOST_ID_BYTES}
           ORDER BY used_at_ms DESC, name LIMIT ?`,
          connectionId,
          kind,
          limit,
        )
        .filter((row) => isInstant(row.used_at_ms))
        .map((row) => ({ id: row.name, usedAtMs: row.used_at_ms })),
  }
}
