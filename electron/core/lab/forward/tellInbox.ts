import { forwardScore } from '#shared/lab/forward/forwardScore.ts'
import { SUPPORTING_EVIDENCE } from '#shared/lab/forward/evidence.ts'
import { parseDay } from '#shared/time.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { StoredDay } from '#core/store/forwardScoreStore.ts'
import type { Store } from '#core/store/store.ts'
import type { ForwardRun } from './forwardRuns.ts'
import { recordOf } from './runRecord.ts'

/** Tells the inbox that a run was killed or supported, each once; within the transaction that stores its days. */
export function tellInbox(
  { store, ledger }: { store: Pick<Store, 'forwardScores' | 'checks'>; ledger: Ledger },
  run: ForwardRun,
  days: readonly StoredDay[],
): void {
  const { hash, sequence, study, family } = run.entry
  const { killed, supported } = forwardScore(recordOf(ledger, run), days)
  const name = `entry ${sequence}${study.name === null ? '' : ` (${study.name})`}`
  const tell = (what: string, day: string | null, why: string) => {
    if (day === null || !store.forwardScores.tell(hash, what)) return
    store.checks.add(name, { state: 'hit', value: null, time: parseDay(day), rows: null, why, family })
  }
  tell('killed', killed, `killed on ${killed}`)
  tell('supported', supported, `evidence reached ${SUPPORTING_EVIDENCE} on ${supported}`)
}
