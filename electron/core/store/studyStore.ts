import { AppError } from '#shared/contract/errors.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import type { BlendResult } from '#shared/lab/kinds/blend/run.ts'
import type { DailyWeights } from '#shared/lab/portfolio/portfolioResult.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { documentHash, type RecordedStudy } from './ledger/studyIdentity.ts'
import { damagedError, isRecord, packJson, readPackedJson, readStoredJson } from './storedJson.ts'

export interface ListedStudy {
  id: string
  name: string | null
  kind: RecordedStudy['kind']
  /** Milliseconds since the epoch. */
  lastRun: number
  documentHash: string
}

export interface StoredStudy extends ListedStudy {
  study: RecordedStudy
  result: StoredResult
}

type StoredResult = StudyResult | PortfolioResult | BlendResult

/** Studies that were run, each with its latest result. */
export interface StudyRunStore {
  /** Lists the studies, most recently run first. */
  list(): ListedStudy[]
  read(id: string): StoredStudy
  /**
   * Stores a run and returns the study's id; a stored study that differs only in fields without effect on the results,
   * such as its name, is replaced.
   */
  save(study: RecordedStudy, result: StoredResult, weights?: DailyWeights | null): string
  /** Weights by day of a tested portfolio; null if they were not kept. */
  weights(id: string): DailyWeights | null
}

interface StudyRow {
  id: string
  document_hash: string
  name: string | null
  kind: RecordedStudy['kind']
  last_run_ms: number
}

const columns = 'id, document_hash, name, kind, last_run_ms'
const ID_DIGITS = 12

const listedStudyOf = ({ id, document_hash, name, kind, last_run_ms }: StudyRow): ListedStudy => ({
  id,
  name,
  kind,
  lastRun: last_run_ms,
  documentHash: document_hash,
})

export function createStudyRunStore({ reads, writes }: Database, clock: Clock): StudyRunStore {
  return {
    list: () => reads.all<StudyRow>(`SELECT ${columns} FROM studies ORDER BY last_run_ms DESC, id`).map(listedStudyOf),
    read(id) {
      const row = reads.first<StudyRow & { document: string; result: Uint8Array }>(
        `SELECT ${columns}, document, result FROM studies WHERE id = ?`,
        id,
      )
      if (!row) throw new AppError('not-found', `There is no study ${id}.`)
      const label = `The stored result of study ${id}`
      const result = readPackedJson(row.result, label)
      const study = readStoredJson(row.document, `The stored document of study ${id}`)
      if (!isRecord(result) || !isRecord(study) || study.kind !== row.kind || result.kind !== row.kind)
        throw damagedError(label, 'it is not the result of a study. Run it again')
      return {
        ...listedStudyOf(row),
        study: study as unknown as RecordedStudy,
        result: result as unknown as StoredStudy['result'],
      }
    },
    weights(id) {
      const row = reads.first<{ weights: Uint8Array | null }>('SELECT weights FROM studies WHERE id = ?', id)
      return row?.weights ? (readPackedJson(row.weights, `The stored weights of test ${id}`) as DailyWeights) : null
    },
    save(study, result, weights = null) {
      const hash = documentHash(study)
      const id = hash.slice(0, ID_DIGITS)
      writes.run(
        `INSERT INTO studies (id, document_hash, name, kind, document, result, weights, last_run_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (document_hash) DO UPDATE SET
           name = excluded.name, document = excluded.document, result = excluded.result,
           weights = excluded.weights, last_run_ms = excluded.last_run_ms`,
        id,
        hash,
        study.name,
        study.kind,
        JSON.stringify(study),
        packJson(result),
        weights && packJson(weights),
        clock.nowMs(),
      )
      return id
    },
  }
}
