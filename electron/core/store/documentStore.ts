import { randomUUID } from 'node:crypto'
import { MOST_NAME_LENGTH } from '#shared/units/fileNames.ts'
import { type DocumentOf, type Listed, type Opened, specOf } from '#shared/contract/documents/documentKinds.ts'
import { type DocumentKind, documentKindNames } from '#shared/contract/documents/kindNames.ts'
import { AppError } from '#shared/contract/errors.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { readStoredJson, storedJsonOr } from './storedJson.ts'

interface DocumentRow {
  id: string
  name: string
  /** Document as JSON. */
  body: string
  revision: number
}

/** Access to the documents of one kind. */
export interface DocumentStore<Kind extends DocumentKind> {
  /** Lists the documents, most recently changed first. */
  list(): Listed<Kind>[]
  read(id: string): Opened<Kind>
  /** Reads a document; null if there is none with this id. */
  find(id: string): Opened<Kind> | null
  /** Reads all documents, by their ids. */
  all(): Opened<Kind>[]
  /** Creates a document; if the name is taken, it gets a number. */
  create(name: string, document: DocumentOf<Kind>): Opened<Kind>
  /** @returns the new revision */
  save(id: string, document: DocumentOf<Kind>, revision?: number): number
  rename(id: string, name: string): Opened<Kind>
  /** Creates or replaces a document that came from elsewhere, by its id; if the name is taken, it gets a number. */
  put(id: string, name: string, document: DocumentOf<Kind>): void
  /** Changes what a list shows besides the document; does nothing if the document no longer exists. */
  note(id: string, state: Partial<Listed<Kind>>): void
  remove(id: string): void
  /** Creates the error for a document that is gone. */
  notFoundError(): AppError
  /** Returns a text that changes whenever any of the documents changes. */
  revision(): string
}

/** The documents of each kind. */
export type Documents = { readonly [Kind in DocumentKind]: DocumentStore<Kind> }

export const createDocuments = (database: Database, clock: Clock): Documents =>
  Object.fromEntries(
    documentKindNames.map((kind) => [kind, createDocumentStore(database, clock, kind)]),
  ) as unknown as Documents

/**
 * Gives access to the documents of a kind. The revision of a document shows whether another window has changed the
 * document since it was read.
 */
function createDocumentStore<Kind extends DocumentKind>(
  { writes }: Database,
  clock: Clock,
  kind: Kind,
): DocumentStore<Kind> {
  const { noun, open, facts, state, idOf } = specOf(kind)
  const keyOf = (name: string, document: DocumentOf<Kind>) =>
    idOf?.(name, document) ?? name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const notFoundError = () => new AppError('not-found', `The ${noun} no longer exists.`)

  // All reads go through the writer, because only that sees the uncommitted rows of its transaction.
  const selectRow = (id: string) =>
    writes.first<DocumentRow>('SELECT id, name, body, revision FROM user_documents WHERE kind = ? AND id = ?', kind, id)

  function rowOf(id: string): DocumentRow {
    const row = selectRow(id)
    if (!row) throw notFoundError()
    return row
  }

  function openedOf({ id, name, body, revision }: DocumentRow): Opened<Kind> {
    const opened = open(readStoredJson(body, `“${name}”`))
    if ('problem' in opened)
      throw new AppError('unsupported', `“${name}” cannot be opened. ${opened.problem.replace(/\.?$/, '.')}`)
    return { id, name, document: opened.document, revision }
  }

  const isTaken = (name: string, document: DocumentOf<Kind>, exceptId = '') =>
    writes.first(
      'SELECT 1 FROM user_documents WHERE kind = ? AND key = ? AND id <> ?',
      kind,
      keyOf(name, document),
      exceptId,
    ) !== undefined

  const freeName = (name: string, document: DocumentOf<Kind>, exceptId = '') =>
    findFreeName(name, (each) => isTaken(each, document, exceptId))

  const write = (id: string, name: string, document: DocumentOf<Kind>) =>
    writes.run(
      `INSERT INTO user_documents (kind, id, key, name, body, facts, state, revision, changed_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
       ON CONFLICT (kind, id) DO UPDATE SET key = excluded.key, name = excluded.name, body = excluded.body, facts = excluded.facts,
         revision = revision + 1, changed_at_ms = excluded.changed_at_ms`,
      kind,
      id,
      keyOf(name, document),
      name,
      JSON.stringify(document),
      JSON.stringify(facts(document)),
      JSON.stringify(state),
      clock.nowMs(),
    )

  return {
    notFoundError,
    list: () =>
      writes
        .all<{ id: string; name: string; changedAt: number; facts: string; state: string }>(
          `SELECT id, name, changed_at_ms AS changedAt, facts, state FROM user_documents
           WHERE kind = ? ORDER BY changed_at_ms DESC, name`,
          kind,
        )
        .map(
          ({ facts: factsText, state: stateText, ...row }) =>
            ({
              ...row,
              ...storedJsonOr(factsText, isRecord, {}),
              ...state,
              ...storedJsonOr(stateText, isRecord, {}),
            }) as unknown as Listed<Kind>,
        ),
    revision: () =>
      JSON.stringify(
        writes.all('SELECT id, name, state, revision FROM user_documents WHERE kind = ? ORDER BY id', kind),
      ),
    read: (id) => openedOf(rowOf(id)),
    find: (id) => {
      const row = selectRow(id)
      return row === undefined ? null : openedOf(row)
    },
    all: () =>
      writes
        .all<DocumentRow>('SELECT id, name, body, revision FROM user_documents WHERE kind = ? ORDER BY id', kind)
        .map(openedOf),
    create: (name, document) =>
      writes.inTransaction(() => {
        const ownName = freeName(name, document)
        const id = idOf?.(ownName, document) ?? randomUUID()
        write(id, ownName, document)
        return { id, name: ownName, document, revision: 1 }
      }),
    save: (id, document, revision) =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (revision !== undefined && revision !== before.revision)
          throw new AppError('conflict', `“${before.name}” was changed in another window.`)
        write(id, before.name, document)
        return before.revision + 1
      }),
    rename: (id, name) =>
      writes.inTransaction(() => {
        const before = openedOf(rowOf(id))
        if (isTaken(name, before.document, id))
          throw new AppError('conflict', `A ${noun} named “${name}” already exists. Choose another name.`)
        const newId = idOf?.(name, before.document) ?? id
        writes.run(
          'UPDATE user_documents SET id = ?, key = ?, name = ?, changed_at_ms = ? WHERE kind = ? AND id = ?',
          newId,
          keyOf(name, before.document),
          name,
          clock.nowMs(),
          kind,
          id,
        )
        return { ...before, id: newId, name }
      }),
    put: (id, name, document) => writes.inTransaction(() => void write(id, freeName(name, document, id), document)),
    note: (id, changed) =>
      void writes.run(
        'UPDATE user_documents SET state = json_patch(state, ?) WHERE kind = ? AND id = ?',
        JSON.stringify(changed),
        kind,
        id,
      ),
    remove(id) {
      if (writes.run('DELETE FROM user_documents WHERE kind = ? AND id = ?', kind, id) === 0) throw notFoundError()
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
