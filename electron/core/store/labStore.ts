import { randomUUID } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type LabDocument,
  labDocument,
  type LabStudy,
  type ListedLabStudy,
  type StudyAnswer,
} from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { type StudyKind, studyKinds } from '#shared/lab/studyDocument.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'

/** Studies of the Lab as the person wrote them, each with its last answer. */
export interface LabStore {
  /** The last changed first. */
  list(): ListedLabStudy[]
  read(id: string): LabStudy
  /** A name that is taken gets a number. */
  create(name: string, document: LabDocument): LabStudy
  /** @returns the new revision */
  save(id: string, document: LabDocument, revision?: number): number
  rename(id: string, name: string): LabStudy
  remove(id: string): void
  answer(id: string): StudyAnswer | null
  /** Keeps the last answer of a study; one of a study that was removed meanwhile is dropped. */
  keepAnswer(id: string, answer: StudyAnswer): void
  /** A text that differs whenever any of them changed. */
  revision(): string
}

interface Row {
  id: string
  name: string
  document: string
  revision: number
}

const gone = () => new AppError('not-found', 'The study is gone.')

const kindOf = ({ study: { kind } }: LabDocument): StudyKind | null => studyKinds.find((each) => each === kind) ?? null

/** Finds a name that no other study has, by putting a number behind it. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  const stem = name.replace(/ \d+$/, '')
  for (let number = 2; ; number += 1) if (!isTaken(`${stem} ${number}`)) return `${stem} ${number}`
}

export function createLabStore({ reads, writes }: Database, clock: Clock): LabStore {
  // The writer reads inside transactions, because it alone sees what was just written.
  function rowOf(id: string): Row {
    const row = writes.first<Row>('SELECT id, name, document, revision FROM lab_documents WHERE id = ?', id)
    if (!row) throw gone()
    return row
  }
  const isTaken = (name: string, exceptId = '') =>
    writes.first('SELECT 1 FROM lab_documents WHERE name = ? AND id <> ?', name, exceptId) !== undefined

  return {
    list: () =>
      reads
        .all<{ id: string; name: string; kind: StudyKind | null; changed_at_ms: number; ran_at_ms: number | null }>(
          'SELECT id, name, kind, changed_at_ms, ran_at_ms FROM lab_documents ORDER BY changed_at_ms DESC, name',
        )
        .map(({ changed_at_ms: changedAt, ran_at_ms: ranAt, ...row }) => ({ ...row, changedAt, ranAt })),
    read: (id) => studyOf(rowOf(id)),
    create: (name, document) =>
      writes.inTransaction(() => {
        const made = { id: randomUUID(), name: freeName(name, isTaken), document, revision: 1 }
        writes.run(
          'INSERT INTO lab_documents (id, name, kind, document, revision, changed_at_ms) VALUES (?, ?, ?, ?, 1, ?)',
          made.id,
          made.name,
          kindOf(document),
          JSON.stringify(document),
          clock.nowMs(),
        )
        return made
      }),
    save: (id, document, revision) =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (revision !== undefined && revision !== before.revision)
          throw new AppError('conflict', `“${before.name}” was changed in another window.`)
        writes.run(
          'UPDATE lab_documents SET document = ?, kind = ?, revision = ?, changed_at_ms = ? WHERE id = ?',
          JSON.stringify(document),
          kindOf(document),
          before.revision + 1,
          clock.nowMs(),
          id,
        )
        return before.revision + 1
      }),
    rename: (id, name) =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (isTaken(name, id)) throw new AppError('conflict', `There is a study named “${name}” already.`)
        writes.run('UPDATE lab_documents SET name = ?, changed_at_ms = ? WHERE id = ?', name, clock.nowMs(), id)
        return studyOf({ ...before, name })
      }),
    remove(id) {
      if (writes.run('DELETE FROM lab_documents WHERE id = ?', id) === 0) throw gone()
    },
    answer(id) {
      const row = writes.first<{ answer: Uint8Array | null }>('SELECT answer FROM lab_documents WHERE id = ?', id)
      if (!row) throw gone()
      return row.answer && (JSON.parse(gunzipSync(row.answer).toString('utf8')) as StudyAnswer)
    },
    keepAnswer: (id, answer) =>
      void writes.run(
        'UPDATE lab_documents SET answer = ?, ran_at_ms = ? WHERE id = ?',
        gzipSync(JSON.stringify(answer)),
        answer.ranAt,
        id,
      ),
    revision: () => JSON.stringify(reads.all('SELECT id, name, revision, ran_at_ms FROM lab_documents ORDER BY id')),
  }
}

function studyOf({ id, name, document, revision }: Row): LabStudy {
  const read = labDocument.safeParse(JSON.parse(document))
  if (!read.success)
    throw new AppError('unsupported', `“${name}” cannot be opened. It was written by another version of Perpscope.`)
  return { id, name, document: read.data, revision }
}
