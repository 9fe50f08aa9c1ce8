import { randomUUID } from 'node:crypto'
import { MOST_NAME_LENGTH } from '#shared/contract/documentCalls.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { readStoredJson } from './storedJson.ts'

/** A row of a documents table. */
export interface DocumentRow {
  id: string
  name: string
  /** Document as JSON. */
  document: string
  revision: number
}

/** Access to the documents of one kind. */
export interface DocumentStore<Listed, Document, Opened> {
  /** Lists the documents, most recently changed first. */
  list(): Listed[]
  read(id: string): Opened
  /** Creates a document; if the name is taken, it gets a number. */
  create(name: string, document: Document): Opened
  /** @returns the new revision */
  save(id: string, document: Document, revision?: number): number
  rename(id: string, name: string): Opened
  /** Creates or replaces a document that came from elsewhere, by its id; if the name is taken, it gets a number. */
  put(id: string, name: string, document: Document): void
  remove(id: string): void
  /** Returns a text that changes whenever any of the documents changes. */
  revision(): string
}

export interface DocumentTableSpec<Document, Opened> {
  table: 'workspaces' | 'lab_documents' | 'sql_queries' | 'boards'
  /** Noun for messages, such as `workspace`. */
  noun: string
  /** A column of the list, computed from the document whenever the document is written. */
  derived: { column: string; compute(document: Document): string | number | null }
  /** A further field of the list, as an SQL expression. */
  listed?: string
  /** Parses a row; throws if this version cannot read it. */
  open(row: DocumentRow): Opened
}

/**
 * Gives access to a table of named documents. The revision of a document shows whether another window has changed the
 * document since it was read.
 */
export function createDocumentTable<Listed, Document, Opened>(
  { reads, writes }: Database,
  clock: Clock,
  { table, noun, derived, listed, open }: DocumentTableSpec<Document, Opened>,
) {
  const notFoundError = () => new AppError('not-found', `The ${noun} no longer exists.`)

  // Reads through the writer, because only that sees the uncommitted rows of its transaction.
  function rowOf(id: string): DocumentRow {
    const row = writes.first<DocumentRow>(`SELECT id, name, document, revision FROM ${table} WHERE id = ?`, id)
    if (!row) throw notFoundError()
    return row
  }

  const isTaken = (name: string, exceptId = '') =>
    writes.first(`SELECT 1 FROM ${table} WHERE name = ? AND id <> ?`, name, exceptId) !== undefined

  const freeName = (name: string, exceptId = '') => findFreeName(name, (each) => isTaken(each, exceptId))

  return {
    notFoundError,
    list: (): Listed[] =>
      reads.all<Listed>(
        `SELECT id, name, changed_at_ms AS changedAt, ${[derived.column, ...(listed ? [listed] : [])].join(', ')}
         FROM ${table} ORDER BY changed_at_ms DESC, name`,
      ),
    revision: (): string => JSON.stringify(reads.all(`SELECT id, name, revision FROM ${table} ORDER BY id`)),
    read: (id: string): Opened => open(rowOf(id)),
    create: (name: string, document: Document) =>
      writes.inTransaction(() => {
        const made = { id: randomUUID(), name: freeName(name), document, revision: 1 }
        writes.run(
          `INSERT INTO ${table} (id, name, document, ${derived.column}, revision, changed_at_ms) VALUES (?, ?, ?, ?, 1, ?)`,
          made.id,
          made.name,
          JSON.stringify(document),
          derived.compute(document),
          clock.nowMs(),
        )
        return made
      }),
    save: (id: string, document: Document, revision?: number): number =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (revision !== undefined && revision !== before.revision)
          throw new AppError('conflict', `“${before.name}” was changed in another window.`)
        writes.run(
          `UPDATE ${table} SET document = ?, ${derived.column} = ?, revision = ?, changed_at_ms = ? WHERE id = ?`,
          JSON.stringify(document),
          derived.compute(document),
          before.revision + 1,
          clock.nowMs(),
          id,
        )
        return before.revision + 1
      }),
    rename: (id: string, name: string): Opened =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (isTaken(name, id))
          throw new AppError('conflict', `A ${noun} named “${name}” already exists. Choose another name.`)
        writes.run(`UPDATE ${table} SET name = ?, changed_at_ms = ? WHERE id = ?`, name, clock.nowMs(), id)
        return open({ ...before, name })
      }),
    put: (id: string, name: string, document: Document): void =>
      writes.inTransaction(() => {
        writes.run(
          `INSERT INTO ${table} (id, name, document, ${derived.column}, revision, changed_at_ms) VALUES (?, ?, ?, ?, 1, ?)
           ON CONFLICT (id) DO UPDATE SET name = excluded.name, document = excluded.document,
             ${derived.column} = excluded.${derived.column}, revision = revision + 1, changed_at_ms = excluded.changed_at_ms`,
          id,
          freeName(name, id),
          JSON.stringify(document),
          derived.compute(document),
          clock.nowMs(),
        )
      }),
    remove(id: string): void {
      if (writes.run(`DELETE FROM ${table} WHERE id = ?`, id) === 0) throw notFoundError()
    },
  }
}

/**
 * Finds a free name by appending a number. It doubles the number and then bisects, because thousands of documents may
 * have the same name.
 */
export function findFreeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  const stem = name.replace(/ \d+$/, '')
  let freeNumber = 2
  while (isTaken(numberedName(stem, freeNumber))) freeNumber *= 2
  for (let takenNumber = freeNumber / 2; freeNumber - takenNumber > 1;) {
    const middle = Math.floor((takenNumber + freeNumber) / 2)
    if (isTaken(numberedName(stem, middle))) takenNumber = middle
    else freeNumber = middle
  }
  return numberedName(stem, freeNumber)
}

/** Appends a number to a name. A name that would become too long to be saved is shortened before the number. */
function numberedName(stem: string, number: number): string {
  const ending = ` ${number}`
  const shortStem = stem.slice(0, MOST_NAME_LENGTH - ending.length)
  // The cut may split a surrogate pair, whose first half is then removed.
  return `${shortStem.replace(/[\ud800-\udbff]$/, '').trimEnd()}${ending}`
}

/** Returns a parser for rows whose documents follow a schema. */
export const rowParser =
  <Document>(schema: { safeParse(value: unknown): { success: true; data: Document } | { success: false } }) =>
  ({ id, name, document, revision }: DocumentRow) => {
    const parsed = schema.safeParse(readStoredJson(document, `“${name}”`))
    if (!parsed.success)
      throw new AppError('unsupported', `“${name}” cannot be opened. It was written by another version of Perpscope.`)
    return { id, name, document: parsed.data, revision }
  }
