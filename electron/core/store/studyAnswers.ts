import { gzipSync } from 'node:zlib'
import type { KeptTrial, LabDocument, StudyAnswer } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Database } from './database.ts'
import type { Documents } from './documentStore.ts'
import { canonicalJson } from './ledger/canonicalJson.ts'
import { damagedError, readPackedJson, readStoredJson } from './storedJson.ts'

/** Most bytes, compressed, that all answers take together; a backup contains them. */
const MOST_ANSWER_BYTES = 128 * 2 ** 20

/** The answers of each study of the Lab, one a trial. */
export interface StudyAnswers {
  /** Reads the answer of a trial, or the latest; null if there is none. Throws if it was removed to make room. */
  read(id: string, trial?: number): StudyAnswer | null
  /** Lists the trials of a study in the order of their numbers. */
  trials(id: string): KeptTrial[]
  /**
   * Stores an answer as the next trial. A run of the same document replaces the one before, and so does a run that
   * nobody asked for after another such run. Keeps nothing if the study no longer exists. Where all answers together
   * are too large, the oldest make room, except the latest of each study; their trials stay in the list.
   * @param how.verdict the answer in one sentence, which the list of studies shows
   */
  keep(
    id: string,
    answer: Omit<StudyAnswer, 'trial'>,
    how?: { isAutomatic?: boolean; verdict?: string | null },
  ): StudyAnswer
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

const removedError = (trial: number): AppError =>
  new AppError(
    'not-found',
    `The answer of trial ${trial} was removed, because newer ones needed its room. Run it again to see it.`,
  )

interface TrialRow {
  trial: number
  ran_at_ms: number
  is_automatic: number
  document: string | null
  isRemoved: number
}

export function createStudyAnswers(
  { writes }: Database,
  { study: studies }: Pick<Documents, 'study'>,
  mostBytes = MOST_ANSWER_BYTES,
): StudyAnswers {
  const exists = (id: string) =>
    writes.first("SELECT 1 FROM user_documents WHERE kind = 'study' AND id = ?", id) !== undefined
  const rowsOf = (id: string) =>
    writes.all<TrialRow>(
      `SELECT trial, ran_at_ms, is_automatic, document, length(answer) = 0 AS isRemoved
       FROM study_answers WHERE id = ? ORDER BY trial`,
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
    if (row?.answer.length === 0) throw removedError(row.trial)
    return row ? answerOf(row.answer, row.trial) : null
  }

  /** Empties the oldest answers until all together are small enough; the latest of each study stays. */
  function makeRoom(): void {
    const size = writes.first<{ bytes: number }>('SELECT sum(length(answer)) AS bytes FROM study_answers')?.bytes ?? 0
    if (size <= mostBytes) return
    const oldest = writes.all<{ id: string; trial: number; bytes: number }>(
      `SELECT id, trial, length(answer) AS bytes FROM study_answers AS answers
       WHERE length(answer) > 0 AND EXISTS (SELECT 1 FROM study_answers AS later WHERE later.id = answers.id
         AND (later.ran_at_ms, later.trial) > (answers.ran_at_ms, answers.trial))
       ORDER BY ran_at_ms, id, trial`,
    )
    let excess = size - mostBytes
    for (const { id, trial, bytes } of oldest) {
      if (excess <= 0) return
      writes.run("UPDATE study_answers SET answer = x'' WHERE id = ? AND trial = ?", id, trial)
      excess -= bytes
    }
  }

  /** Documents of runs of an earlier version are in their answers only; a damaged one is not listed. */
  function trialOf(id: string, { trial, ran_at_ms: ranAt, document, isRemoved }: TrialRow): KeptTrial[] {
    const isKept = isRemoved === 0
    if (document !== null)
      return [{ trial, ranAt, document: readStoredJson(document, LABEL) as unknown as LabDocument, isKept }]
    try {
      const answer = read(id, trial)
      return answer ? [{ trial, ranAt: answer.ranAt, document: answer.document, isKept }] : []
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
    keep: (id, answer, { isAutomatic = false, verdict = null } = {}) =>
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
        makeRoom()
        studies.note(id, { ranAt: answer.ranAt, verdict })
        return kept
      }),
  }
}
