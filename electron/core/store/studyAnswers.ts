import { gzipSync } from 'node:zlib'
import type { KeptTrial, LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Database } from './database.ts'
import type { Documents } from './documentStore.ts'
import { canonicalJson } from './ledger/canonicalJson.ts'
import { damagedError, readPackedJson, readStoredJson } from './storedJson.ts'

/** The answers of each study of the Lab, one a trial. */
export interface StudyAnswers {
  /** Reads the answer of a trial, or the latest; null if there is none. */
  read(id: string, trial?: number): StudyAnswer | null
  /** Lists the trials of a study in the order of their numbers. */
  trials(id: string): KeptTrial[]
  /**
   * Stores an answer as the next trial. A run of the same document replaces the one before, and so does a run that
   * nobody asked for after another such run. Keeps nothing if the study no longer exists.
   */
  keep(id: string, answer: Omit<StudyAnswer, 'trial'>, how?: { isAutomatic: boolean }): StudyAnswer
}

const LABEL = 'The last result of this study'

function answerOf(packed: Uint8Array, trial: number): StudyAnswer {
  const answer = readPackedJson(packed, LABEL)
  const isComplete =
    isRecord(answer) &&
    isRecord(answer.result) &&
    isRecord(answer.document) &&
    isRecord(answer.document.study) &&
    answer.result.kind === answer.document.study.kind &&
    typeof answer.ranAt === 'number'
  if (!isComplete) throw damagedError(LABEL, 'it is not the result of a study. Run it again')
  return { ...(answer as unknown as StudyAnswer), trial }
}

interface TrialRow {
  trial: number
  ran_at_ms: number
  is_automatic: number
  document: string | null
}

export function createStudyAnswers({ writes }: Database, { study: studies }: Pick<Documents, 'study'>): StudyAnswers {
  const exists = (id: string) =>
    writes.first("SELECT 1 FROM user_documents WHERE kind = 'study' AND id = ?", id) !== undefined
  const rowsOf = (id: string) =>
    writes.all<TrialRow>(
      'SELECT trial, ran_at_ms, is_automatic, document FROM study_answers WHERE id = ? ORDER BY trial',
      id,
    )

  function read(id: string, trial?: number): StudyAnswer | null {
    const row = writes.first<{ trial: number; answer: Uint8Array }>(
      `SELECT trial, answer FROM study_answers WHERE id = ? AND trial = coalesce(?, trial)
       ORDER BY ran_at_ms DESC, trial DESC LIMIT 1`,
      id,
      trial ?? null,
    )
    if (!row && !exists(id)) throw studies.notFoundError()
    return row ? answerOf(row.answer, row.trial) : null
  }

  /** Documents of runs of an earlier version are in their answers only; a damaged one is not listed. */
  function trialOf(id: string, { trial, ran_at_ms: ranAt, document }: TrialRow): KeptTrial[] {
    if (document !== null)
      return [{ trial, ranAt, document: readStoredJson(document, LABEL) as unknown as LabDocument }]
    try {
      const answer = read(id, trial)
      return answer ? [{ trial, ranAt: answer.ranAt, document: answer.document }] : []
    } catch {
      return []
    }
  }

  /** Number under which an answer is kept. */
  function numberFor(id: string, document: string, isAutomatic: boolean): number {
    const rows = rowsOf(id)
    const same = rows.find((row) => row.document === document)
    if (same) return same.trial
    const last = rows.at(-1)
    if (!last) return 1
    return isAutomatic && last.is_automatic === 1 ? last.trial : last.trial + 1
  }

  return {
    read,
    trials: (id) => rowsOf(id).flatMap((row) => trialOf(id, row)),
    keep: (id, answer, { isAutomatic } = { isAutomatic: false }) =>
      writes.inTransaction(() => {
        if (!exists(id)) return { ...answer, trial: 1 }
        const document = canonicalJson(answer.document)
        const trial = numberFor(id, document, isAutomatic)
        const kept = { ...answer, trial }
        writes.run(
          'INSERT OR REPLACE INTO study_answers VALUES (?, ?, ?, ?, ?, ?)',
          id,
          trial,
          answer.ranAt,
          Number(isAutomatic),
          document,
          gzipSync(JSON.stringify(kept)),
        )
        studies.note(id, { ranAt: answer.ranAt })
        return kept
      }),
  }
}
