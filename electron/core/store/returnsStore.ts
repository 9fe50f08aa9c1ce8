import { randomUUID } from 'node:crypto'
import type { ListedReturns, ReturnUnit } from '#shared/contract/areas/returns.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Database } from './database.ts'

/** A file of returns or weights, with the text that it contained when it was last read. */
export interface StoredReturns extends ListedReturns {
  /** Path of the file; null for a copy uploaded through a browser. */
  path: string | null
  text: string
  /** Size and modification time of the file that the text was read from. */
  stamp: string
  unit: ReturnUnit | null
  cost: string | null
  readAtMs: number
}

const ownKinds = ['returns', 'weights', 'prices'] as const
export type OwnKind = (typeof ownKinds)[number]

/** A file that a study or plan names. */
export interface NamedFile {
  name: string
  /** Null for a file that was opened before kinds were noted. */
  kind: OwnKind | null
  text: string
  unit: ReturnUnit | null
}

export type ReturnsFileState = Pick<StoredReturns, 'text' | 'stamp' | 'readAtMs'>

export interface ReturnsStore {
  /** Lists files of returns and weights. */
  list(): ListedReturns[]
  /** Lists all files by name, prices too. */
  listNamed(): { name: string; kind: OwnKind | null; readAtMs: number }[]
  findNamed(name: string): NamedFile | null
  /** Stores a copy of a file under a name; a file of that name is replaced. */
  saveNamed(file: NamedFile, readAtMs: number): void
  /** Returns false if there is no such name. */
  removeNamed(name: string): boolean
  read(id: string): StoredReturns
  /** Finds the document of a file. */
  findByPath(path: string): StoredReturns | null
  /** Finds the document of an uploaded copy by its name and text. */
  findCopy(name: string, text: string): StoredReturns | null
  /** Creates a document; if the name is taken, it gets a number. */
  create(name: string, path: string | null, state: ReturnsFileState): StoredReturns
  update(id: string, state: ReturnsFileState): void
  change(id: string, changes: Partial<Pick<StoredReturns, 'unit' | 'cost'>>): void
  remove(id: string): void
  /** Returns a text that changes whenever a file of returns is opened, changed or removed. */
  revision(): string
}

const columns = 'id, name, path, text, stamp, unit, cost, read_at_ms AS readAtMs'

export function createReturnsStore({ reads, writes }: Database): ReturnsStore {
  const notFoundError = () => new AppError('not-found', 'This file of returns was removed from Perpscope.')
  const select = `SELECT ${columns} FROM own_returns`

  function read(id: string): StoredReturns {
    const row = writes.first<StoredReturns>(`${select} WHERE id = ?`, id)
    if (!row) throw notFoundError()
    return { ...row }
  }

  function freeName(name: string): string {
    const isTaken = (wanted: string) => writes.first('SELECT 1 FROM own_returns WHERE name = ?', wanted) !== undefined
    if (!isTaken(name)) return name
    for (let number = 2; ; number += 1) if (!isTaken(`${name} ${number}`)) return `${name} ${number}`
  }

  return {
    list: () =>
      reads
        .all<ListedReturns>("SELECT id, name FROM own_returns WHERE kind IS NOT 'prices' ORDER BY name")
        .map((row) => ({ ...row })),
    listNamed: () =>
      reads
        .all<ReturnType<ReturnsStore['listNamed']>[number]>(
          'SELECT name, kind, read_at_ms AS readAtMs FROM own_returns ORDER BY name',
        )
        .map((row) => ({ ...row })),
    findNamed(name) {
      const row = writes.first<NamedFile>('SELECT name, kind, text, unit FROM own_returns WHERE name = ?', name)
      return row ? { ...row } : null
    },
    saveNamed: ({ name, kind, text, unit }, readAtMs) =>
      writes.inTransaction(() => {
        writes.run('DELETE FROM own_returns WHERE name = ?', name)
        writes.run(
          "INSERT INTO own_returns (id, name, path, text, stamp, unit, read_at_ms, kind) VALUES (?, ?, NULL, ?, '', ?, ?, ?)",
          randomUUID(),
          name,
          text,
          unit,
          readAtMs,
          kind,
        )
      }),
    removeNamed: (name) => writes.run('DELETE FROM own_returns WHERE name = ?', name) > 0,
    read,
    findByPath: (path) => writes.first<StoredReturns>(`${select} WHERE path = ?`, path) ?? null,
    findCopy: (name, text) =>
      writes.first<StoredReturns>(
        `${select} WHERE path IS NULL AND text = ? AND (name = ? OR substr(name, 1, ?) = ?)`,
        text,
        name,
        // If the name was taken, the copy's name is followed by a number.
        name.length + 1,
        `${name} `,
      ) ?? null,
    create: (name, path, { text, stamp, readAtMs }) =>
      writes.inTransaction(() => {
        const id = randomUUID()
        writes.run(
          'INSERT INTO own_returns (id, name, path, text, stamp, read_at_ms) VALUES (?, ?, ?, ?, ?, ?)',
          id,
          freeName(name),
          path,
          text,
          stamp,
          readAtMs,
        )
        return read(id)
      }),
    update(id, { text, stamp, readAtMs }) {
      writes.run('UPDATE own_returns SET text = ?, stamp = ?, read_at_ms = ? WHERE id = ?', text, stamp, readAtMs, id)
    },
    change: (id, changes) =>
      writes.inTransaction(() => {
        const { unit, cost } = { ...read(id), ...changes }
        writes.run('UPDATE own_returns SET unit = ?, cost = ? WHERE id = ?', unit, cost, id)
      }),
    remove(id) {
      if (writes.run('DELETE FROM own_returns WHERE id = ?', id) === 0) throw notFoundError()
    },
    revision: () => JSON.stringify(reads.all('SELECT id, name, path, stamp, unit, cost FROM own_returns ORDER BY id')),
  }
}
