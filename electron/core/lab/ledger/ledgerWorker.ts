import type { TrialPreview } from '#shared/contract/areas/lab.ts'
import type { Expectation, FamilyEntries, LedgerOverview } from '#shared/contract/areas/ledger.ts'
import type { RecordedRun } from '#shared/lab/portfolio/testProvenance.ts'
import { openLedger } from '#core/store/ledger/ledger.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { expectationOf } from '../forward/registerStudy.ts'
import { familyEntries, overviewOf, previewOf, recordedRun } from './ledgerReport.ts'

/** This thread reads, checks and merges the ledger, because a large one takes seconds. */

answerTasks<LedgerTask, LedgerAnswer>(answer)

export type LedgerWork =
  | { work: 'overview' }
  | { work: 'family'; family: string }
  | { work: 'preview'; document: unknown; fromCache: boolean }
  | { work: 'expectation'; document: unknown; onPanel: boolean }
  | { work: 'recorded'; documentHash: string }
  | { work: 'verify' }
  | { work: 'merge'; path: string }

export type LedgerTask = LedgerWork & { dataDir: string; nowMs: number }

export interface LedgerAnswers {
  overview: Omit<LedgerOverview, 'copyPath'>
  family: FamilyEntries
  preview: TrialPreview | null
  expectation: Expectation | null
  recorded: RecordedRun | null
  verify: { entries: number; broken: { sequence: number; problem: string } | null }
  merge: { entries: number; added: number }
}

/** An answer, with messages from opening the ledger, whose database may have been rebuilt. */
export interface LedgerAnswer {
  answer: LedgerAnswers[LedgerWork['work']]
  notices: string[]
}

function answer(task: LedgerTask): LedgerAnswer {
  const ledger = openLedger({
    dataDir: task.dataDir,
    clock: { nowMs: () => task.nowMs },
    log: { write: () => {} },
  })
  try {
    switch (task.work) {
      case 'overview':
        return { answer: overviewOf(ledger), notices: ledger.notices }
      case 'family':
        return { answer: familyEntries(ledger, task.family), notices: ledger.notices }
      case 'preview':
        return { answer: previewOf(ledger, task.document, task.fromCache), notices: ledger.notices }
      case 'expectation':
        return { answer: expectationOf(ledger, task), notices: ledger.notices }
      case 'recorded':
        return { answer: recordedRun(ledger.tables, task.documentHash), notices: ledger.notices }
      case 'verify': {
        const broken = ledger.verify()
        return { answer: { entries: ledger.tables.count(), broken }, notices: ledger.notices }
      }
      case 'merge':
        return { answer: ledger.merge(task.path), notices: ledger.notices }
    }
  } finally {
    ledger.close()
  }
}
