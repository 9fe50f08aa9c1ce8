import { join } from 'node:path'
import { asBadInput } from '#shared/contract/studyRefusal.ts'
import type { Clock } from '#core/ports.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { LedgerFace, RegisteredEntry } from '#core/store/ledger/ledgerEntry.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { type Registration, registerStudy } from '../forward/registerStudy.ts'
import type { LedgerAnswer, LedgerAnswers, LedgerTask, LedgerWork } from './ledgerWorker.ts'

export interface LedgerServiceDeps {
  dataDir: string
  clock: Clock
  /** Returns the ledger that this process writes. */
  open(): Ledger
  /** Reopens the ledger at the next use. */
  reopen(): void
}

/** Answers a window's queries about the ledger on a separate thread. */
export interface LedgerService {
  /** Path of the plain-text copy. */
  copyPath: string
  ask<Work extends LedgerWork['work']>(
    work: Extract<LedgerWork, { work: Work }>,
    signal: AbortSignal,
  ): Promise<{ answer: LedgerAnswers[Work]; notices: string[] }>
  /** Records what is expected of a document; rejects with `bad-input` if it is refused. */
  register(registration: Registration, who: LedgerFace): Promise<RegisteredEntry>
  /**
   * Starts counting trials anew.
   * @returns the sequence number of the entry
   */
  reset(reason: string): number
  /** Updates the plain-text copy, which also happens whenever the ledger is opened. */
  syncCopy(): void
  close(): Promise<void>
}

export function createLedgerService({ dataDir, clock, open, reopen }: LedgerServiceDeps): LedgerService {
  const pool = createThreadPool<LedgerTask, LedgerAnswer>(threadEntry('ledgerWorker', import.meta.url), 1)
  const notices: string[] = []
  return {
    copyPath: join(dataDir, 'ledger.jsonl'),
    async ask(work, signal) {
      notices.push(...open().notices.splice(0))
      const reply = await pool.run({ ...work, dataDir, nowMs: clock.nowMs() }, signal)
      if (reply.notices.length > 0) {
        notices.push(...reply.notices)
        reopen()
      }
      return { answer: reply.answer as never, notices: [...notices] }
    },
    register: (registration, who) => asBadInput(async () => registerStudy(open(), registration, who)),
    reset: (reason) => open().append([{ event: 'reset', reason }], 'window')[0].sequence,
    syncCopy: () => void open(),
    close: () => pool.close(),
  }
}
