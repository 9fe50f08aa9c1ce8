import { closeSync, existsSync, openSync, readSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { readSmallBytes } from '#core/smallFile.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Clock, Logger } from '#core/ports.ts'
import { createPrivateFile } from '../createPrivateFile.ts'
import { makeFolders } from '../makeFolders.ts'
import { storedJsonOr } from '../storedJson.ts'
import { isDamage, storeError } from '../storeErrors.ts'
import { useWriteAheadLog } from '../writeAheadLog.ts'
import { sha256 } from './canonicalJson.ts'
import {
  type Attachments,
  entryHash,
  type EntryDraft,
  sortChains,
  type LedgerEntry,
  type LedgerFace,
  type LedgerLine,
  readLine,
  returnsBytes,
  type RunEntry,
  writeLine,
} from './ledgerEntry.ts'
import { createMissingCounter, type LedgerLog, openLedgerLog, textAfterLastLine, visitLines } from './ledgerLog.ts'
import { createTables, LedgerTables, newestSequence, type StoredEntry } from './ledgerTables.ts'
import { areLost, countLost, describeLoss, type LostEntries } from './lostEntries.ts'

/** Time to wait for another process that is writing. */
const BUSY_TIMEOUT_MS = 30_000
/** Size up to which the whole database is checked at every start. */
const CHECKED_AT_START_BYTES = 4 * 2 ** 20
/** Number of bytes at the end of the plain-text copy; their hash shows whether this database wrote the copy. */
const TAIL_BYTES = 256

/**
 * A draft of the entry of a run, with its attachments; whether a run is a trial is decided when the entry is written.
 */
export type RunDraft = Omit<
  Extract<EntryDraft, { event: 'run' }>,
  'isTrial' | 'repeats' | 'returnsSha256' | 'registration' | 'familyRuns'
> &
  Attachments & {
    /** True for a run that is recorded but does not count as a trial, whatever its role. */
    isNoTrial?: boolean
  }
/** A draft of a registration; whether it is late is decided when the entry is written. */
type RegisteredDraft = Omit<Extract<EntryDraft, { event: 'registered' }>, 'late'>
type LedgerDraft = RunDraft | RegisteredDraft | Extract<EntryDraft, { event: 'holdoutOpened' | 'reset' }>

/** The ledger of every study and test, to which entries are only ever added. */
export interface Ledger {
  /** Appends entries, all or none; they are on the disk when it returns. */
  append(drafts: readonly LedgerDraft[], who: LedgerFace): LedgerEntry[]
  /** The entries, for queries; only `append` and `merge` add any. */
  tables: LedgerTables
  lost(): LostEntries | null
  /** Finds the first broken entry; null if the chain and the copy are intact. */
  verify(): { sequence: number; problem: string } | null
  /** Imports the entries of another machine's ledger; `added` of its `entries` were new. */
  merge(path: string): { entries: number; added: number }
  notices: string[]
  close(): void
}

export interface LedgerDeps {
  dataDir: string
  clock: Clock
  log: Logger
  /** Called with each file list that an entry is the first to have, as a JSON value that is not validated. */
  onFiles?: (files: unknown) => void
}

export function openLedger(deps: LedgerDeps): Ledger {
  try {
    return new LedgerFile(deps)
  } catch (thrown) {
    throw storeError(thrown, deps.dataDir)
  }
}

class LedgerFile implements Ledger {
  readonly notices: string[] = []
  readonly #clock: Clock
  readonly #log: Logger
  readonly #path: string
  readonly #copy: LedgerLog
  readonly #onFiles: (files: unknown) => void
  #database: SqliteDatabase
  tables: LedgerTables

  constructor({ dataDir, clock, log, onFiles = () => {} }: LedgerDeps) {
    makeFolders(dataDir)
    this.#clock = clock
    this.#log = log
    this.#onFiles = onFiles
    this.#path = join(dataDir, 'ledger.sqlite')
    this.#copy = openLedgerLog(join(dataDir, 'ledger.jsonl'))
    this.#database = this.#openOrRebuild()
    this.tables = new LedgerTables(this.#database)
    if (!this.#isCopyCurrent()) this.#write(() => undefined)
  }

  append(drafts: readonly LedgerDraft[], who: LedgerFace): LedgerEntry[] {
    const fileLists: unknown[] = []
    const entries = this.#write((add) => {
      let lastEntry = this.tables.last()
      return drafts.map((draft) => {
        const { line } = this.#withChain(draft, who, lastEntry)
        add(line)
        if (line.files !== undefined) fileLists.push(line.files)
        lastEntry = line.entry
        return line.entry
      })
    })
    for (const list of fileLists) this.#onFiles(list)
    return entries
  }

  /** Gives a draft its place in the chain. */
  #withChain(draft: LedgerDraft, who: LedgerFace, last: LedgerEntry | null): { line: LedgerLine } {
    const base = {
      sequence: (last?.sequence ?? 0) + 1,
      time: this.#clock.nowMs(),
      who,
      previous: last?.hash ?? null,
    }
    if (draft.event !== 'run') {
      const late = draft.event === 'registered' && { late: this.tables.isRecorded(draft.documentHash) }
      const entry = { ...draft, ...late, ...base, hash: '' } as LedgerEntry
      return { line: { entry: { ...entry, hash: entryHash(entry) }, chain: null } }
    }
    const { returns, files, fundingPeriods, isNoTrial = false, ...run } = draft
    const hasPeriods = run.inputs.some((input) => this.tables.hasFunding(input.sha256))
    const bytes = returns && returnsBytes(returns)
    const isTest = run.role === 'test' || run.role === 'combination'
    const mayCount = isTest || run.role === 'blend'
    const firstSequence = this.tables.firstOfKey(run.key, isTest, run.role)
    const entry: RunEntry = {
      ...run,
      ...base,
      ...(fundingPeriods && !hasPeriods && { fundingPeriods }),
      isTrial: mayCount && !isNoTrial && firstSequence === null,
      repeats: firstSequence,
      registration: this.tables.registrationOf(run.documentHash),
      familyRuns: this.tables.countRuns(run.family),
      returnsSha256: bytes ? sha256(bytes) : null,
      hash: '',
    }
    entry.hash = entryHash(entry)
    const hasReturns = entry.returnsSha256 !== null && this.tables.hasReturns(entry.returnsSha256)
    const isNewList = files !== undefined && !entry.inputs.some((input) => this.tables.hasFiles(input.sha256))
    return {
      line: { entry, chain: null, ...(bytes && !hasReturns && { returns: bytes }), ...(isNewList && { files }) },
    }
  }

  lost(): LostEntries | null {
    const value = this.tables.fact('lost')
    return storedJsonOr<LostEntries | null>(value, areLost, null)
  }

  verify(): { sequence: number; problem: string } | null {
    const sequences = new Map<string, number>()
    for (const { entry } of this.tables.entries()) {
      const { sequence, hash, previous } = entry
      const brokenEntry = (problem: string) => ({ sequence, problem })
      if (entryHash(entry) !== hash) return brokenEntry('its content does not match its hash')
      const before = previous === null ? 0 : sequences.get(previous)
      if (before === undefined) return brokenEntry('the entry before it is missing')
      if (sequence !== before + 1) return brokenEntry(`it follows number ${before}`)
      const storedReturns =
        entry.event === 'run' && entry.returnsSha256 ? this.tables.returns(entry.returnsSha256) : null
      if (
        entry.event === 'run' &&
        entry.returnsSha256 &&
        (!storedReturns || sha256(storedReturns) !== entry.returnsSha256)
      ) {
        return brokenEntry('its returns are missing or do not match their hash')
      }
      sequences.set(hash, sequence)
    }
    return this.#verifyCopy(sequences)
  }

  #verifyCopy(sequences: ReadonlyMap<string, number>): { sequence: number; problem: string } | null {
    let number = 0
    let found: { sequence: number; problem: string } | null = null
    const seen = new Set<string>()
    this.#copy.readLines(0, (text) => {
      number++
      const line = readLine(text)
      if (line) seen.add(line.entry.hash)
      if (found || (line && sequences.has(line.entry.hash))) return
      found = { sequence: line?.entry.sequence ?? number, problem: `line ${number} of ledger.jsonl was changed` }
    })
    for (const [hash, sequence] of found ? [] : sequences) {
      if (!seen.has(hash)) return { sequence, problem: 'it is missing from ledger.jsonl' }
    }
    return found
  }

  merge(path: string): { entries: number; added: number } {
    const bytes = readSmallBytes(path, MOST_MERGE_BYTES)
    const unendedLine = textAfterLastLine(bytes)
    const merged = this.#write((add) => {
      let entries = 0
      let added = 0
      const mergeLine = (text: string): void => {
        entries++
        const line = readLine(text)
        if (!line)
          throw new AppError('bad-input', `Line ${entries} of ${path} is not a ledger entry, or it was changed.`)
        if (this.tables.byHash(line.entry.hash)) return
        add({ ...line, chain: this.#chainOf(line.entry, path), mergedAt: this.#clock.nowMs() })
        added++
      }
      // Lines are read one by one, because reading all at once could take many times the file's size in memory.
      visitLines(bytes, mergeLine)
      if (readLine(unendedLine)) mergeLine(unendedLine)
      else if (unendedLine !== '' && entries === 0)
        throw new AppError('bad-input', `${path} contains no ledger entries.`)
      return { entries, added }
    })
    if (unendedLine !== '' && !readLine(unendedLine))
      this.#notice(`The last line of ${path} is cut off, so its entry was not added. Merge the whole file again.`)
    return merged
  }

  /**
   * Finds the chain that an entry of another machine belongs to: the chain of its previous entry, or a new chain if it
   * has no previous entry, or if that chain is this machine's or has gone on differently.
   */
  #chainOf({ previous, hash, sequence }: LedgerEntry, path: string): string {
    if (previous === null) return hash
    const before = this.tables.byHash(previous)
    if (!before) throw new AppError('bad-input', `${path} lacks the entry before number ${sequence}.`)
    const isFork = before.chain === '' || this.tables.hasSuccessor(previous, before.chain)
    return isFork ? hash : before.chain
  }

  /** Brings the copy up to date, then runs a write in one transaction that also appends its lines to the copy. */
  #write<Result>(work: (add: (line: LedgerLine) => void) => Result): Result {
    try {
      return this.#inTransaction(work)
    } catch (thrown) {
      if (!isDamage(thrown)) throw storeError(thrown, this.#path)
      this.#database.close()
      this.#database = this.#rebuild()
      this.tables = new LedgerTables(this.#database)
      return this.#inTransaction(work)
    }
  }

  #inTransaction<Result>(work: (add: (line: LedgerLine) => void) => Result): Result {
    return this.#database
      .transaction(() => {
        this.#reconcile()
        const lines: string[] = []
        const result = work((line) => {
          if (this.tables.insert(line, line.chain ?? '')) lines.push(writeLine(line))
        })
        if (lines.length > 0) {
          this.#noteCopy(this.#copy.append(lines.join(''), Number(this.tables.fact('copyBytes') ?? 0)))
        }
        return result
      })
      .immediate()
  }

  #noteCopy(bytes: number): void {
    this.tables.setFact('copyBytes', String(bytes))
    this.tables.setFact('copyTail', this.#tailBefore(bytes))
  }

  #tailBefore(bytes: number): string {
    const length = Math.min(bytes, TAIL_BYTES)
    if (length === 0) return ''
    const tail = Buffer.alloc(length)
    const file = openSync(this.#copy.path, 'r')
    try {
      readSync(file, tail, 0, length, bytes - length)
    } finally {
      closeSync(file)
    }
    return sha256(tail)
  }

  /** Tells whether the copy has the length and the last bytes that this database wrote. */
  #isCopyCurrent(): boolean {
    const copiedBytes = Number(this.tables.fact('copyBytes') ?? 0)
    return (
      this.#copy.sizeBytes() === copiedBytes && this.#tailBefore(copiedBytes) === (this.tables.fact('copyTail') ?? '')
    )
  }

  /**
   * Makes the index and the copy equal. Lines that a killed process added only to the copy are read into the index, a
   * torn last line is cut off, and a copy that was replaced is written again.
   */
  #reconcile(): void {
    if (this.#isCopyCurrent()) return
    if (this.tables.last() === null) return void this.#adoptWholeCopy(this.tables)
    const copiedBytes = Number(this.tables.fact('copyBytes') ?? 0)
    const isLonger =
      this.#copy.sizeBytes() > copiedBytes && this.#tailBefore(copiedBytes) === (this.tables.fact('copyTail') ?? '')
    let isUsable = isLonger
    const end = this.#copy.readLines(isLonger ? copiedBytes : 0, (text) => {
      const line = readLine(text)
      if (!line || !this.#adopt(line)) isUsable = false
    })
    if (isUsable) {
      if (end < this.#copy.sizeBytes()) this.#copy.cut(end)
      return this.#noteCopy(end)
    }
    this.#rewriteCopy()
  }

  /**
   * Fills an empty database from the copy and records how many entries are lost.
   * @returns the number of lost entries; null if it is unknown
   */
  #adoptWholeCopy(
    tables: LedgerTables,
    lastSequence: number | null = null,
    damagedPath: string | null = null,
  ): number | null {
    const missingInCopy = this.#readCopy(tables, lastSequence)
    const foundInDamaged = damagedPath === null ? 0 : countLost(damagedPath, tables)
    const missing = missingInCopy === null && foundInDamaged === 0 ? null : Math.max(missingInCopy ?? 0, foundInDamaged)
    if (missing !== 0) tables.setFact('lost', JSON.stringify({ entries: missing, time: this.#clock.nowMs() }))
    return missing
  }

  /** Imports an entry of the copy that the database lacks; false if it fits no known chain. */
  #adopt(line: LedgerLine): boolean {
    const { previous } = line.entry
    const before = previous === null ? null : this.tables.byHash(previous)
    if (previous !== null && !before) return this.tables.byHash(line.entry.hash) !== null
    const chain = line.chain ?? ''
    const isTaken =
      before === null ? chain === '' && this.tables.last() !== null : this.tables.hasSuccessor(before.entry.hash, chain)
    if (isTaken) return this.tables.byHash(line.entry.hash) !== null
    this.tables.insert(line, chain)
    return true
  }

  /** Writes the copy anew from the database; a file in its place is kept under another name. */
  #rewriteCopy(): void {
    const oldName = this.#copy.setAside(`replaced-${this.#stamp()}`)
    const writtenHashes = new Set<string>()
    let bytes = 0
    let lines: string[] = []
    const flush = () => {
      bytes = this.#copy.append(lines.join(''), bytes)
      lines = []
    }
    for (const stored of this.tables.entries()) {
      lines.push(writeLine(this.#lineOf(stored, writtenHashes)))
      if (lines.length === 1000) flush()
    }
    flush()
    this.#noteCopy(bytes)
    if (oldName)
      this.#notice(
        `ledger.jsonl no longer matched the ledger. It was written again; the old file was kept as ${oldName}.`,
      )
  }

  #lineOf({ entry, chain, mergedAtMs }: StoredEntry, writtenHashes: Set<string>): LedgerLine {
    const line: LedgerLine = {
      entry,
      chain: chain === '' ? null : chain,
      ...(mergedAtMs !== null && { mergedAt: mergedAtMs }),
    }
    if (entry.event !== 'run') return line
    if (entry.returnsSha256 && !writtenHashes.has(entry.returnsSha256)) {
      writtenHashes.add(entry.returnsSha256)
      const returns = this.tables.returns(entry.returnsSha256)
      if (returns) line.returns = returns
    }
    for (const input of entry.inputs) {
      if (writtenHashes.has(input.sha256)) continue
      writtenHashes.add(input.sha256)
      const files = this.tables.files(input.sha256)
      if (files !== undefined) line.files = files
    }
    return line
  }

  #openOrRebuild(): SqliteDatabase {
    try {
      return this.#open()
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown
      return this.#rebuild()
    }
  }

  #open(): SqliteDatabase {
    createPrivateFile(this.#path)
    const database = new Sqlite(this.#path, { timeout: BUSY_TIMEOUT_MS })
    try {
      useWriteAheadLog(database, BUSY_TIMEOUT_MS)
      database.pragma('synchronous = FULL')
      const pages = database.pragma('page_count', { simple: true }) as number
      if (pages * 4096 <= CHECKED_AT_START_BYTES && database.pragma('quick_check(1)', { simple: true }) !== 'ok') {
        throw new Sqlite.SqliteError('The ledger is damaged.', 'SQLITE_CORRUPT')
      }
      createTables(database)
      return database
    } catch (thrown) {
      database.close()
      throw thrown
    }
  }

  /** Rebuilds a damaged database from the copy and records how many entries are lost. */
  #rebuild(): SqliteDatabase {
    const asidePath = `${this.#path}.damaged-${this.#stamp()}`
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(this.#path + suffix)) renameSync(this.#path + suffix, asidePath + suffix)
    }
    const newest = newestSequence(asidePath)
    const database = this.#open()
    const tables = new LedgerTables(database)
    this.tables = tables
    const lost = database.transaction(() => this.#adoptWholeCopy(tables, newest, asidePath)).immediate()
    this.#notice(
      `The database of the ledger was damaged. It was set aside as ${asidePath} and rebuilt from ledger.jsonl. ${describeLoss(lost, newest)}`,
    )
    return database
  }

  /** Tells whether the lines of every chain are in order; false only for a file that somebody has rearranged. */
  #isCopyInOrder(): boolean {
    const newest = new Map<string, number>()
    let isInOrder = true
    this.#copy.readLines(0, (text) => {
      const line = readLine(text)
      if (!line) return
      const chain = line.chain ?? ''
      if (line.entry.sequence < (newest.get(chain) ?? 0)) isInOrder = false
      newest.set(chain, line.entry.sequence)
    })
    return isInOrder
  }

  /**
   * Reads the whole copy into a new database.
   * @param newest sequence number that the newest entry had; null if it is unknown
   * @returns the number of entries that the copy lacks; null if it is empty and nothing is known about the entries
   */
  #readCopy(tables: LedgerTables, newest: number | null): number | null {
    const counter = createMissingCounter(newest ?? 0)
    const insertLine = (line: LedgerLine): void => {
      const chain = line.chain ?? ''
      if (tables.insert(line, chain)) counter.entry(chain, line.entry.sequence)
    }
    const isInOrder = this.#isCopyInOrder()
    const waitingLines: LedgerLine[] = []
    let lines = 0
    const end = this.#copy.readLines(0, (text) => {
      lines++
      const line = readLine(text)
      if (!line) return counter.unreadable()
      if (isInOrder) insertLine(line)
      else waitingLines.push(line)
    })
    for (const line of sortChains(waitingLines)) insertLine(line)
    if (end < this.#copy.sizeBytes()) this.#copy.cut(end)
    this.#noteCopy(end)
    return lines === 0 && newest === null ? null : counter.missing()
  }

  #stamp(): string {
    return new Date(this.#clock.nowMs()).toISOString().replaceAll(':', '-')
  }

  #notice(message: string): void {
    this.notices.push(message)
    this.#log.write('warn', message)
  }

  close(): void {
    this.#database.close()
  }
}

/** Maximum size of another machine's ledger that can be imported. */
const MOST_MERGE_BYTES = 400 * 2 ** 20
