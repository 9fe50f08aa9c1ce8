import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { AppError } from '#shared/contract/errors.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import type { Study, StudyKind } from '#shared/lab/studyDocument.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'

export interface ListedStudy {
  id: string
  name: string | null
  kind: StudyKind
  /** Milliseconds since the epoch. */
  lastRun: number
  documentHash: string
  /** Mark of runs that the ledger counts; it is false because there is no ledger yet. */
  recorded: boolean
}

export interface StoredStudy extends ListedStudy {
  study: Study
  result: StudyResult
}

/** Studies that were run, each with its last result. */
export interface StudyStore {
  /** The last run first. */
  list(): ListedStudy[]
  read(id: string): StoredStudy
  /** Keeps a run; a study that differs in nothing but its name takes the place of the earlier one. */
  save(study: Study, result: StudyResult): string
}

interface Row {
  id: string
  document_hash: string
  name: string | null
  kind: StudyKind
  last_run_ms: number
}

const columns = 'id, document_hash, name, kind, last_run_ms'
const ID_DIGITS = 12

const listed = ({ id, document_hash, name, kind, last_run_ms }: Row): ListedStudy => ({
  id,
  name,
  kind,
  lastRun: last_run_ms,
  documentHash: document_hash,
  recorded: false,
})

export function createStudyStore({ reads, writes }: Database, clock: Clock): StudyStore {
  return {
    list: () => reads.all<Row>(`SELECT ${columns} FROM studies ORDER BY last_run_ms DESC, id`).map(listed),
    read(id) {
      const row = reads.first<Row & { document: string; result: Uint8Array }>(
        `SELECT ${columns}, document, result FROM studies WHERE id = ?`,
        id,
      )
      if (!row) throw new AppError('not-found', `There is no study ${id}.`)
      const result = JSON.parse(gunzipSync(row.result).toString('utf8')) as StudyResult
      return { ...listed(row), study: JSON.parse(row.document) as Study, result }
    },
    save(study, result) {
      const hash = documentHash(study)
      const id = hash.slice(0, ID_DIGITS)
      writes.run(
        `INSERT INTO studies (id, document_hash, name, kind, document, result, last_run_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (document_hash) DO UPDATE SET
           name = excluded.name, document = excluded.document, result = excluded.result, last_run_ms = excluded.last_run_ms`,
        id,
        hash,
        study.name,
        study.kind,
        JSON.stringify(study),
        gzipSync(JSON.stringify(result)),
        clock.nowMs(),
      )
      return id
    },
  }
}

/** Hashes the canonical JSON of a study without its name, which nothing depends on. */
export function documentHash({ name: _name, ...study }: Study): string {
  return createHash('sha256').update(canonicalJson(study)).digest('hex')
}

/** Writes JSON with keys by code units and without white space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(',')}}`
}
