import { gzipSync } from 'node:zlib'
import {
  type LabDocument,
  labDocument,
  type LabStudy,
  type ListedLabStudy,
  type StudyAnswer,
} from '#shared/contract/areas/lab.ts'
import { type LabKind, labKinds } from '#shared/lab/portfolio/portfolioStudy.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'
import { createDocumentTable, type DocumentStore, rowParser } from './documentTable.ts'
import { damagedError, isRecord, readPackedJson } from './storedJson.ts'

/** Studies of the Lab as the user wrote them, each with its latest result. */
export interface LabStore extends DocumentStore<ListedLabStudy, LabDocument, LabStudy> {
  answer(id: string): StudyAnswer | null
  /** Stores the latest result of a study; does nothing if the study no longer exists. */
  keepAnswer(id: string, answer: StudyAnswer): void
}

function answerOf(packed: Uint8Array): StudyAnswer {
  const label = 'The last result of this study'
  const answer = readPackedJson(packed, label)
  const isComplete =
    isRecord(answer) &&
    isRecord(answer.result) &&
    isRecord(answer.document) &&
    isRecord(answer.document.study) &&
    answer.result.kind === answer.document.study.kind &&
    typeof answer.ranAt === 'number'
  if (!isComplete) throw damagedError(label, 'it is not the result of a study. Run it again')
  return answer as unknown as StudyAnswer
}

const kindOf = ({ study: { kind } }: LabDocument): LabKind | null => labKinds.find((each) => each === kind) ?? null

export function createLabStore(database: Database, clock: Clock): LabStore {
  const { reads, writes } = database
  const { notFoundError, ...documents } = createDocumentTable<ListedLabStudy, LabDocument, LabStudy>(database, clock, {
    table: 'lab_documents',
    noun: 'study',
    derived: { column: 'kind', compute: kindOf },
    open: rowParser(labDocument),
  })
  return {
    ...documents,
    list: () =>
      reads
        .all<{ id: string; name: string; kind: LabKind | null; changed_at_ms: number; ran_at_ms: number | null }>(
          'SELECT id, name, kind, changed_at_ms, ran_at_ms FROM lab_documents ORDER BY changed_at_ms DESC, name',
        )
        .map(({ changed_at_ms: changedAt, ran_at_ms: ranAt, ...row }) => ({ ...row, changedAt, ranAt })),
    answer(id) {
      const row = writes.first<{ answer: Uint8Array | null }>('SELECT answer FROM lab_documents WHERE id = ?', id)
      if (!row) throw notFoundError()
      return row.answer && answerOf(row.answer)
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
