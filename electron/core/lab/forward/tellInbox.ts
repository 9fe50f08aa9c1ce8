import { forwardScore } from '#shared/lab/forward/forwardScore.ts'
import { SUPPORTING_EVIDENCE } from '#shared/lab/forward/evidence.ts'
import { parseDay } from '#shared/time.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { Store } from '#core/store/store.ts'
import type { ForwardRun } from './forwardRuns.ts'
import { recordOf } from './runRecord.ts'

/** Tells the inbox that a run was killed or supported, each once. */
export function tellInbox(
  { store, ledger }: { store: Pick<Store, 'forwardScores' | 'checks' | 'database'>; ledger: Ledger },
  run: ForwardRun,
): void {
  const { hash, sequence, study } = run.entry
  const { days } = store.forwardScores.read(hash)
  const { killed, supported } = forwardScore(recordOf(ledger, run, []), days)
  const name = `entry ${sequence}${study.name === null ? '' : ` (${study.name})`}`
  const tell = (what: string, day: string | null, why: string) => {
    if (day === null || !store.forwardScores.tell(hash, what)) return
    store.checks.add(name, { state: 'hit', value: null, time: parseDay(day), rows: null, why })
  }
  store.database.writes.inTransaction(() => {
    tell('killed', killed, `killed on ${killed}`)
    tell('supported', supported, `evidence reached ${SUPPORTING_EVIDENCE} on ${supported}`)
  })
}
