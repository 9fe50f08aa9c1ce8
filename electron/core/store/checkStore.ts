import type { CheckOutcome, CheckRule, CheckRun, InboxEntry, SavedCheck } from '#shared/contract/areas/inbox.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import type { DocumentStore } from './documentStore.ts'

export interface CheckStore {
  list(): SavedCheck[]
  /** Saves a check, replacing the one with the same name. */
  save(check: SavedCheck): void
  remove(name: string): void
  inbox(): InboxEntry[]
  /** Returns the last run of a check with its present rule, wherever it ran; null if it has not run. */
  lastRun(check: Pick<SavedCheck, 'name' | 'rule'>): CheckRun | null
  /** Keeps the outcome of a check as that of its last run. */
  keepRun(check: Pick<SavedCheck, 'name' | 'rule'>, outcome: CheckOutcome): void
  /**
   * Adds the outcome of a check, unless the check's last entry has the same outcome.
   * @returns whether it was added
   */
  add(check: string, outcome: CheckOutcome): boolean
  markRead(id: number): InboxEntry
  /** Hides an entry until a time, after which it is unread again. */
  snooze(id: number, untilMs: number): InboxEntry
  /** Returns a text that changes whenever a check or an entry changes. */
  revision(): string
}

interface InboxRow {
  id: number
  name: string
  created_at_ms: number
  outcome: string
  read_at_ms: number | null
  snoozed_until_ms: number | null
}

interface RunRow {
  ran_at_ms: number
  outcome: string
}

const ruleText = (rule: CheckRule) => JSON.stringify(rule)

const entryOf = ({
  id,
  name,
  created_at_ms: createdAt,
  outcome,
  read_at_ms: readAt,
  snoozed_until_ms: snoozedUntil,
}: InboxRow): InboxEntry => ({
  id,
  check: name,
  createdAt,
  ...(JSON.parse(outcome) as CheckOutcome),
  readAt,
  snoozedUntil,
})

/** Tells whether outcomes are the same but for the comparison, which earlier versions did not keep. */
const isSameOutcome = ({ compared: _was, ...last }: CheckOutcome, { compared: _is, ...outcome }: CheckOutcome) =>
  JSON.stringify(last) === JSON.stringify(outcome)

/** Maximum number of entries in the inbox; older ones are removed. */
const MOST_ENTRIES = 5000

export function createCheckStore(
  { reads, writes }: Database,
  checks: DocumentStore<'check'>,
  clock: Clock,
): CheckStore {
  const find = (id: number): InboxEntry => {
    const row = writes.first<InboxRow>('SELECT * FROM inbox WHERE id = ?', id)
    if (!row) throw new AppError('not-found', `The inbox has no entry ${id}.`)
    return entryOf(row)
  }
  const selectInboxState = 'SELECT max(id), count(read_at_ms), sum(snoozed_until_ms), sum(read_at_ms) FROM inbox'
  const selectLastRun = 'SELECT max(ran_at_ms) FROM check_runs'
  return {
    revision: () => JSON.stringify([checks.revision(), reads.all(selectInboxState), reads.all(selectLastRun)]),
    list: () => checks.all().map(({ name, document }) => ({ name, ...document })),
    save: ({ name, ...document }) => checks.put(name, name, document),
    remove(name) {
      if (checks.find(name) === null) throw new AppError('not-found', `There is no check “${name}”.`)
      checks.remove(name)
      writes.run('DELETE FROM check_runs WHERE name = ?', name)
    },
    lastRun({ name, rule }) {
      const row = writes.first<RunRow>('SELECT * FROM check_runs WHERE name = ? AND rule = ?', name, ruleText(rule))
      return row ? { ranAt: row.ran_at_ms, ...(JSON.parse(row.outcome) as CheckOutcome) } : null
    },
    keepRun({ name, rule }, outcome) {
      const sql = 'INSERT OR REPLACE INTO check_runs (name, rule, ran_at_ms, outcome) VALUES (?, ?, ?, ?)'
      writes.run(sql, name, ruleText(rule), clock.nowMs(), JSON.stringify(outcome))
    },
    inbox: () => writes.all<InboxRow>('SELECT * FROM inbox ORDER BY id DESC').map(entryOf),
    add(check, outcome) {
      const text = JSON.stringify(outcome)
      return writes.inTransaction(() => {
        const last = writes.first<InboxRow>('SELECT * FROM inbox WHERE name = ? ORDER BY id DESC LIMIT 1', check)
        if (last && isSameOutcome(JSON.parse(last.outcome) as CheckOutcome, outcome)) return false
        writes.run('INSERT INTO inbox (name, created_at_ms, outcome) VALUES (?, ?, ?)', check, clock.nowMs(), text)
        writes.run('DELETE FROM inbox WHERE id <= (SELECT max(id) FROM inbox) - ?', MOST_ENTRIES)
        return true
      })
    },
    markRead(id) {
      writes.run('UPDATE inbox SET read_at_ms = ?, snoozed_until_ms = NULL WHERE id = ?', clock.nowMs(), id)
      return find(id)
    },
    snooze(id, untilMs) {
      writes.run('UPDATE inbox SET snoozed_until_ms = ?, read_at_ms = NULL WHERE id = ?', untilMs, id)
      return find(id)
    },
  }
}
