import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { TrialReturns } from '#shared/lab/portfolio/overfitting.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { canonicalJson, hashOf, sha256 } from './canonicalJson.ts'
import { damagedError, readStoredJson } from '../storedJson.ts'
import { isEntry, type LedgerEntry, type LedgerLine, returnsFromBytes, type RunEntry } from './ledgerEntry.ts'
import { familyOf, keyOf, scopeOf } from './studyIdentity.ts'

const schema = `
  CREATE TABLE entries (
    position         INTEGER PRIMARY KEY AUTOINCREMENT,
    chain            TEXT NOT NULL, -- empty for this machine's own; else the hash of the first entry of the other chain
    sequence         INTEGER NOT NULL,
    event            TEXT NOT NULL,
    time_ms          INTEGER NOT NULL,
    hash             TEXT NOT NULL UNIQUE,
    previous         TEXT,
    role             TEXT,
    document_hash    TEXT,
    family           TEXT,
    scope            TEXT,
    key              TEXT,
    grid             TEXT,
    is_trial         INTEGER NOT NULL,
    sharpe           REAL,
    holdout_from_day TEXT,
    first_day        TEXT,
    returns_sha256   TEXT,
    body             TEXT NOT NULL, -- the entry as JSON
    merged_at_ms     INTEGER -- when an entry of another machine came; null for own ones
  ) STRICT;
  CREATE INDEX entries_by_chain ON entries (chain, sequence);
  CREATE INDEX entries_by_previous ON entries (previous);
  CREATE INDEX entries_by_family ON entries (family, is_trial, position);
  CREATE INDEX entries_by_event ON entries (family, event);
  CREATE INDEX entries_by_key ON entries (key, role, position);
  CREATE INDEX entries_by_document ON entries (document_hash);
  CREATE INDEX trials ON entries (is_trial, scope, position, key, sharpe) WHERE is_trial = 1;
  CREATE INDEX combinations ON entries (grid, position) WHERE grid IS NOT NULL;
  CREATE INDEX screens ON entries (position) WHERE role = 'screen';
  CREATE INDEX resets ON entries (chain, position) WHERE event = 'reset';
  CREATE TABLE returns (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE file_lists (sha256 TEXT PRIMARY KEY, files TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`

const FUNDING_TABLES =
  'CREATE TABLE IF NOT EXISTS funding_tables (sha256 TEXT PRIMARY KEY, rows TEXT NOT NULL) STRICT, WITHOUT ROWID'

const SCHEMA_VERSION = 5

export function createTables(database: SqliteDatabase): void {
  const version = () => database.pragma('user_version', { simple: true }) as number
  if (version() >= SCHEMA_VERSION) return
  database
    .transaction(() => {
      const before = version()
      if (before >= SCHEMA_VERSION) return
      if (before === 0) database.exec(schema)
      else {
        if (before < 2) updateFamilies(database)
        database.exec("CREATE INDEX IF NOT EXISTS screens ON entries (position) WHERE role = 'screen'")
        if (before < 4) addMergeTimes(database)
      }
      database.exec(FUNDING_TABLES)
      database.pragma(`user_version = ${SCHEMA_VERSION}`)
    })
    .immediate()
}

/** Adds the times of merges; one that was not recorded counts as now, so that nothing before it is ever forward. */
function addMergeTimes(database: SqliteDatabase): void {
  database.exec('ALTER TABLE entries ADD COLUMN merged_at_ms INTEGER')
  database.exec('CREATE INDEX entries_by_event ON entries (family, event)')
  database.prepare("UPDATE entries SET merged_at_ms = ? WHERE chain > ''").run(Date.now())
}

/** Computes the families and scopes of runs anew, because the funding period no longer counts in them. */
function updateFamilies(database: SqliteDatabase): void {
  const update = database.prepare('UPDATE entries SET family = ?, scope = ? WHERE position = ?')
  const updateOpened = database.prepare("UPDATE entries SET family = ? WHERE event = 'holdoutOpened' AND family = ?")
  const runs = database.prepare("SELECT position, body FROM entries WHERE event = 'run' AND family IS NOT NULL")
  for (const { position, body } of runs.all() as BodyRow[]) {
    const entry = storedEntry(position, body)
    if (entry.event !== 'run') continue
    update.run(familyOf(entry.study), scopeOf(entry.study), position)
    if (familyOf(entry.study) !== entry.family) updateOpened.run(familyOf(entry.study), entry.family)
  }
}

/** Number of entries read at a time. */
const PAGE_ROWS = 1000

/** An entry with its position in the ledger. */
export interface StoredEntry {
  position: number
  chain: string
  /** When an entry of another machine was merged; null for an own one. */
  mergedAtMs: number | null
  entry: LedgerEntry
}

interface BodyRow {
  position: number
  chain: string
  merged_at_ms: number | null
  body: string
}

function storedEntry(position: number, body: string): LedgerEntry {
  const label = `Entry ${position} of the ledger`
  const entry = readStoredJson(body, label)
  if (!isEntry(entry))
    throw damagedError(label, 'it is not an entry. Remove ledger.sqlite to have it built again from ledger.jsonl')
  return entry
}

const storedEntryOf = ({ position, chain, merged_at_ms, body }: BodyRow): StoredEntry => ({
  position,
  chain,
  mergedAtMs: merged_at_ms,
  entry: storedEntry(position, body),
})

/** The last reset of each chain; only later trials count. */
export interface LastResets {
  /** Position of this machine's last reset; 0 if there was none. */
  position: number
  /** Sequence number of the last reset of each other chain. */
  others: { chain: string; sequence: number }[]
}

/** A trial that counts, as it was recorded. */
export interface CountedTrial {
  family: string
  /** Sharpe ratio per day at `riskFree`; null if it has none. */
  sharpe: number | null
  /** Annual risk-free rate of its document. */
  riskFree: number
  returnsSha256: string | null
  days: number
  time: number
}

/** Queries and inserts on the ledger's database; none of them changes or removes an entry. */
export class LedgerTables {
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    this.#database = database
  }

  #all<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#database.prepare(sql).all(...values) as Row[]
  }

  #first<Row>(sql: string, ...values: unknown[]): Row | undefined {
    return this.#database.prepare(sql).get(...values) as Row | undefined
  }

  fact(name: string): string | null {
    return this.#first<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value ?? null
  }

  setFact(name: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)').run(name, value)
  }

  /** Adds an entry with its attachments; false if it exists already. */
  insert({ entry, mergedAt, files, returns }: LedgerLine, chain: string): boolean {
    const run = entry.event === 'run' ? entry : null
    const family = this.#familyOf(entry)
    const result = this.#database
      .prepare(
        `INSERT INTO entries (chain, sequence, event, time_ms, hash, previous, role, document_hash, family, scope, key, grid,
           is_trial, sharpe, holdout_from_day, first_day, returns_sha256, body, merged_at_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING`,
      )
      .run(
        chain,
        entry.sequence,
        entry.event,
        entry.time,
        entry.hash,
        entry.previous,
        run?.role ?? null,
        'documentHash' in entry ? entry.documentHash : null,
        family,
        run && scopeOf(run.study),
        run?.key ?? null,
        run?.role === 'combination' ? (run.grid?.documentHash ?? null) : null,
        run?.isTrial ? 1 : 0,
        run?.summary?.sharpe ?? null,
        'holdoutFromDay' in entry ? entry.holdoutFromDay : null,
        run?.firstDay ?? null,
        run?.returnsSha256 ?? null,
        JSON.stringify(entry),
        chain === '' ? null : (mergedAt ?? Date.now()),
      )
    if (run && family !== run.family)
      this.#database
        .prepare("UPDATE entries SET family = ? WHERE event = 'holdoutOpened' AND family = ?")
        .run(family, run.family)
    if (returns && run?.returnsSha256) {
      this.#database.prepare('INSERT OR IGNORE INTO returns VALUES (?, ?)').run(run.returnsSha256, returns)
    }
    if (files !== undefined) {
      this.#database.prepare('INSERT OR IGNORE INTO file_lists VALUES (?, ?)').run(hashOf(files), canonicalJson(files))
    }
    if (run?.fundingPeriods) {
      const rows = canonicalJson(run.fundingPeriods)
      this.#database.prepare('INSERT OR IGNORE INTO funding_tables VALUES (?, ?)').run(sha256(rows), rows)
    }
    return result.changes > 0
  }

  /**
   * Returns the family with which an entry counts: that of its document, because an entry of an earlier version may state
   * one in which the funding period still counted.
   */
  #familyOf(entry: LedgerEntry): string | null {
    if (entry.event === 'run') return familyOf(entry.study)
    if (!('family' in entry)) return null
    const run = this.#first<{ family: string }>(
      "SELECT family FROM entries WHERE event = 'run' AND json_extract(body, '$.family') = ? LIMIT 1",
      entry.family,
    )
    return run?.family ?? entry.family
  }

  last(chain = ''): LedgerEntry | null {
    const row = this.#first<BodyRow>('SELECT * FROM entries WHERE chain = ? ORDER BY sequence DESC LIMIT 1', chain)
    return row ? storedEntryOf(row).entry : null
  }

  byHash(hash: string): StoredEntry | null {
    const row = this.#first<BodyRow>('SELECT * FROM entries WHERE hash = ?', hash)
    return row ? storedEntryOf(row) : null
  }

  hasSuccessor(hash: string, chain: string): boolean {
    return this.#first('SELECT 1 FROM entries WHERE previous = ? AND chain = ?', hash, chain) !== undefined
  }

  bySequence = (sequence: number): StoredEntry | null => this.inChain('', sequence)

  inChain(chain: string, sequence: number): StoredEntry | null {
    const row = this.#first<BodyRow>('SELECT * FROM entries WHERE chain = ? AND sequence = ?', chain, sequence)
    return row ? storedEntryOf(row) : null
  }

  /**
   * Finds entries whose hash begins with these digits: at most two, which suffice to see that a prefix is ambiguous.
   */
  byHashPrefix(prefix: string): StoredEntry[] {
    return this.#all<BodyRow>('SELECT * FROM entries WHERE hash >= ? AND hash < ? LIMIT 2', prefix, `${prefix}g`).map(
      storedEntryOf,
    )
  }

  /**
   * Yields every entry, or every entry of a family, in the order in which they were added; reads in pages, so that
   * other statements may run in between.
   */
  *entries(family: string | null = null): Generator<StoredEntry> {
    let position = 0
    for (;;) {
      const page = this.#all<BodyRow>(
        `SELECT position, chain, merged_at_ms, body FROM entries WHERE position > ?${family === null ? '' : ' AND family = ?'}
         ORDER BY position LIMIT ${PAGE_ROWS}`,
        position,
        ...(family === null ? [] : [family]),
      )
      for (const row of page) yield storedEntryOf(row)
      if (page.length < PAGE_ROWS) return
      position = page[page.length - 1].position
    }
  }

  /** Counts the runs that read files of a dataset. */
  runsThatRead(dataset: string): number {
    const sql = `SELECT COUNT(DISTINCT position) AS count FROM entries, json_each(body, '$.inputs') AS input
      WHERE event = 'run' AND input.value ->> '$.sha256' IN (SELECT sha256 FROM file_lists WHERE instr(files, ?) > 0)`
    return this.#first<{ count: number }>(sql, `"dataset":${JSON.stringify(dataset)}`)?.count ?? 0
  }

  count(): number {
    return this.#first<{ count: number }>('SELECT COUNT(*) AS count FROM entries')?.count ?? 0
  }

  hasReturns = (sha256: string): boolean => this.#first('SELECT 1 FROM returns WHERE sha256 = ?', sha256) !== undefined
  hasFiles = (sha256: string): boolean => this.#first('SELECT 1 FROM file_lists WHERE sha256 = ?', sha256) !== undefined

  returns(sha256: string): Buffer | null {
    return this.#first<{ data: Buffer }>('SELECT data FROM returns WHERE sha256 = ?', sha256)?.data ?? null
  }

  files(sha256: string): unknown {
    const row = this.#first<{ files: string }>('SELECT files FROM file_lists WHERE sha256 = ?', sha256)
    return row ? readStoredJson(row.files, 'A list of files in the ledger') : undefined
  }

  hasFunding = (sha256: string): boolean =>
    this.#first('SELECT 1 FROM funding_tables WHERE sha256 = ?', sha256) !== undefined

  /** Returns the funding periods that a run went by; null if no entry has them. */
  funding(sha256: string): readonly FundingRow[] | null {
    const row = this.#first<{ rows: string }>('SELECT rows FROM funding_tables WHERE sha256 = ?', sha256)
    return row ? (readStoredJson(row.rows, 'Funding periods in the ledger') as FundingRow[]) : null
  }

  lastResets(): LastResets {
    const rows = this.#all<{ chain: string; position: number; sequence: number }>(
      "SELECT chain, MAX(position) AS position, MAX(sequence) AS sequence FROM entries WHERE event = 'reset' GROUP BY chain",
    )
    return {
      position: rows.find(({ chain }) => chain === '')?.position ?? 0,
      others: rows.filter(({ chain }) => chain !== ''),
    }
  }

  lastReset(): LedgerEntry | null {
    const row = this.#first<BodyRow>("SELECT * FROM entries WHERE event = 'reset' ORDER BY position DESC LIMIT 1")
    return row ? storedEntryOf(row).entry : null
  }

  /**
   * Finds the sequence number of the first counted run with a key; null if there is none.
   * @param isTest true to search tests and combinations alike; otherwise only runs of this role
   */
  firstOfKey(key: string, isTest: boolean, role: string): number | null {
    const { sql, values } = this.#countedCondition()
    const roles = isTest ? "role IN ('test', 'combination')" : 'role = ?'
    const row = this.#first<{ sequence: number }>(
      `SELECT sequence FROM entries WHERE key = ? AND ${roles} ${sql} ORDER BY position LIMIT 1`,
      key,
      ...(isTest ? [] : [role]),
      ...values,
    )
    return row?.sequence ?? null
  }

  /** Builds the condition for the entries after the last resets. */
  #countedCondition(): { sql: string; values: unknown[] } {
    const { position, others } = this.lastResets()
    return {
      sql: `AND position > ?${' AND NOT (chain = ? AND sequence < ?)'.repeat(others.length)}`,
      values: [position, ...others.flatMap(({ chain, sequence }) => [chain, sequence])],
    }
  }

  /** Lists the counted trials of a family, each key once, in ledger order. */
  trialsOf(family: string): TrialReturns[] {
    const { sql, values } = this.#countedCondition()
    const rows = this.#all<{ key: string; first_day: string | null; data: Buffer | null }>(
      `SELECT key, first_day, data FROM entries LEFT JOIN returns ON sha256 = returns_sha256
       WHERE family = ? AND is_trial = 1 ${sql} ORDER BY position`,
      family,
      ...values,
    )
    const seen = new Set<string>()
    return rows.flatMap(({ key, first_day, data }) => {
      if (seen.has(key)) return []
      seen.add(key)
      const net = data ? returnsFromBytes(data) : new Float64Array(0)
      return [{ firstDay: first_day === null ? null : dayNumberOf(first_day), net }]
    })
  }

  /** Lists the counted screens in ledger order, each key once. */
  screens(): { entry: RunEntry; chain: string }[] {
    const { sql, values } = this.#countedCondition()
    const rows = this.#all<BodyRow>(
      `SELECT position, chain, merged_at_ms, body FROM entries WHERE role = 'screen' ${sql} ORDER BY position`,
      ...values,
    )
    const seen = new Set<string>()
    return rows.flatMap((row) => {
      const { chain, entry } = storedEntryOf(row)
      if (entry.event !== 'run' || seen.has(entry.key)) return []
      seen.add(entry.key)
      return [{ entry, chain }]
    })
  }

  /** Counts everything that was tried: the trials, and the cells of the screens. */
  countTried(): number {
    return this.screens().reduce((sum, { entry }) => sum + (entry.cells ?? 0), this.countTrials())
  }

  /** @param scope source and interval to which the trials are restricted; absent for all */
  countTrials(scope?: string): number {
    const { sql, values } = this.#countedCondition()
    const scopeSql = scope === undefined ? '' : ' AND scope = ?'
    // Within one chain a key is a trial only once, so keys need to be compared only if there are merged chains.
    const hasMerged = this.#first("SELECT 1 FROM entries WHERE chain > '' LIMIT 1") !== undefined
    const row = this.#first<{ count: number }>(
      `SELECT COUNT(${hasMerged ? 'DISTINCT key' : '*'}) AS count FROM entries WHERE is_trial = 1${scopeSql} ${sql}`,
      ...(scope === undefined ? [] : [scope]),
      ...values,
    )
    return row?.count ?? 0
  }

  /** Lists counted trials in ledger order, each key once. */
  countedTrials({ family, scope }: { family?: string; scope?: string } = {}): CountedTrial[] {
    const { sql, values } = this.#countedCondition()
    return this.#all(
      `SELECT family, sharpe, COALESCE(json_extract(body, '$.study.riskFree'), 0) AS riskFree, returns_sha256 AS returnsSha256,
         COALESCE(json_extract(body, '$.summary.days'), 0) AS days, time_ms AS time, MIN(position)
       FROM entries WHERE is_trial = 1${family === undefined ? '' : ' AND family = ?'}${scope === undefined ? '' : ' AND scope = ?'} ${sql}
       GROUP BY family, key ORDER BY MIN(position)`,
      ...[family, scope].filter((one) => one !== undefined),
      ...values,
    )
  }

  /** Returns a trial's Sharpe ratio per day at a risk-free rate, which may differ from the one it was recorded at. */
  sharpeAt({ sharpe, riskFree: recordedRate, returnsSha256 }: CountedTrial, riskFree: number): number | null {
    if (recordedRate === riskFree) return sharpe
    const bytes = returnsSha256 === null ? null : this.returns(returnsSha256)
    return bytes && sharpeSample(returnsFromBytes(bytes), riskFree).sharpe
  }

  /** Lists the Sharpe ratios of all counted trials on a source and interval, in any family, at one risk-free rate. */
  sharpesOfScope(scope: string, riskFree: number): (number | null)[] {
    return this.countedTrials({ scope }).map((trial) => this.sharpeAt(trial, riskFree))
  }

  /** Lists the families that ever had a run. */
  families(): string[] {
    return this.#all<{ family: string }>("SELECT DISTINCT family FROM entries WHERE event = 'run'").map(
      ({ family }) => family,
    )
  }

  lastRunOf(family: string): RunEntry | null {
    const row = this.#first<BodyRow>(
      "SELECT * FROM entries WHERE family = ? AND event = 'run' ORDER BY position DESC LIMIT 1",
      family,
    )
    return row ? (storedEntryOf(row).entry as RunEntry) : null
  }

  /** Returns the annual risk-free rate of the last run of a tested portfolio; 0 without one. */
  lastRiskFree(family?: string): number {
    const row = this.#first<{ riskFree: number | null }>(
      `SELECT json_extract(body, '$.study.riskFree') AS riskFree FROM entries
       WHERE role IN ('test', 'combination', 'walk-forward') ${family === undefined ? '' : 'AND family = ?'}
       ORDER BY position DESC LIMIT 1`,
      ...(family === undefined ? [] : [family]),
    )
    return row?.riskFree ?? 0
  }

  /** Finds the last run of a document; combinations of its grid are not considered. */
  lastRunOfDocument(hash: string): RunEntry | null {
    const row = this.#first<BodyRow>(
      "SELECT * FROM entries WHERE document_hash = ? AND event = 'run' AND role <> 'combination' ORDER BY position DESC LIMIT 1",
      hash,
    )
    return row ? (storedEntryOf(row).entry as RunEntry) : null
  }

  /**
   * Returns the sequence number of the first run of a document, or of its walk-forward, since the last reset of the
   * trials. Runs on other inputs count too; null if there is none.
   * @param readUntil day from which rows are sealed; a run that read up to a different day is a different trial
   */
  trialOfDocument(hash: string, readUntil: string | null): number | null {
    const { sql, values } = this.#countedCondition()
    const trials = this.#all<BodyRow>(
      `SELECT * FROM entries WHERE document_hash = ? AND (is_trial = 1 OR role = 'walk-forward') ${sql} ORDER BY position`,
      hash,
      ...values,
    )
    for (const row of trials) {
      const { inputs, key, sequence } = storedEntryOf(row).entry as RunEntry
      if (keyOf({ documentHash: hash, inputs, readUntil }) === key) return sequence
    }
    return null
  }

  /** Counts the combinations of a grid that were recorded since the grid's last walk-forward. */
  countInterrupted(gridHash: string): number {
    const row = this.#first<{ count: number }>(
      `SELECT COUNT(DISTINCT key) AS count FROM entries WHERE grid = ? AND position >
         COALESCE((SELECT MAX(position) FROM entries WHERE document_hash = ? AND role = 'walk-forward'), 0)`,
      gridHash,
      gridHash,
    )
    return row?.count ?? 0
  }

  earliestHoldout(family: string): string | null {
    const row = this.#first<{ day: string | null }>(
      'SELECT MIN(holdout_from_day) AS day FROM entries WHERE family = ?',
      family,
    )
    return row?.day ?? null
  }

  isHoldoutOpened(family: string): boolean {
    return this.#first("SELECT 1 FROM entries WHERE family = ? AND event = 'holdoutOpened'", family) !== undefined
  }

  isRecorded(documentHash: string): boolean {
    return this.#first("SELECT 1 FROM entries WHERE document_hash = ? AND event = 'run'", documentHash) !== undefined
  }

  /** Finds the sequence number of this machine’s first registration of a document; null if there is none in time. */
  registrationOf(documentHash: string): number | null {
    const row = this.#first<{ sequence: number }>(
      `SELECT sequence FROM entries WHERE document_hash = ? AND event = 'registered' AND chain = ''
         AND json_extract(body, '$.late') = 0 ORDER BY position LIMIT 1`,
      documentHash,
    )
    return row?.sequence ?? null
  }

  countRuns(family: string): number {
    return (
      this.#first<{ count: number }>("SELECT COUNT(*) AS count FROM entries WHERE family = ? AND event = 'run'", family)
        ?.count ?? 0
    )
  }

  /** Lists the combinations of a grid that were recorded before a position, in ledger order. */
  combinationsBefore(gridHash: string, position: number): RunEntry[] {
    const rows = this.#all<BodyRow>(
      'SELECT * FROM entries WHERE grid = ? AND position < ? ORDER BY position',
      gridHash,
      position,
    )
    return rows.map((row) => storedEntryOf(row).entry as RunEntry)
  }

  /** Finds the combinations of a grid, by key, that were recorded since the walk-forward with this key last ended. */
  combinationsDone(gridHash: string, walkForwardKey: string): Map<string, RunEntry> {
    const lastWalkForward = this.#first<{ position: number | null }>(
      "SELECT MAX(position) AS position FROM entries WHERE key = ? AND role = 'walk-forward'",
      walkForwardKey,
    )
    const rows = this.#all<BodyRow>(
      'SELECT * FROM entries WHERE grid = ? AND position > ? ORDER BY position',
      gridHash,
      lastWalkForward?.position ?? 0,
    )
    return new Map(rows.map((row) => storedEntryOf(row).entry as RunEntry).map((entry) => [entry.key, entry]))
  }
}

/**
 * Returns the sequence number of the newest of this machine's entries in a damaged database; null if even that cannot
 * be read.
 */
export function newestSequence(path: string): number | null {
  try {
    const database = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      return new LedgerTables(database).last()?.sequence ?? null
    } finally {
      database.close()
    }
  } catch {
    return null
  }
}
